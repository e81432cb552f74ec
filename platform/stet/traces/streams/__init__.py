"""Streams: one reader a generation, the log of what arrived, and everybody who watches."""

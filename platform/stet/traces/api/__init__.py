"""The machine interface of traces, one file per noun."""

"""Datasets, exports and, later, runs: what trainers pull."""

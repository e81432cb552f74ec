"""The machine interface of datasets and exports."""

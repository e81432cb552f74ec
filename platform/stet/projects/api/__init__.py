"""The API of projects, one file per noun."""

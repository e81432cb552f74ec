"""One file per export target: rows in, rows out."""

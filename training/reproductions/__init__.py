"""The acceptance experiments of published systems: one file each, run by ``python -m``."""

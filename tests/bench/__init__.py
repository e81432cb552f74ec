"""Measurements of the platform against the bare parts it stands on: ``make bench``."""

"""Stet: what every app stands on, and the site that joins them."""

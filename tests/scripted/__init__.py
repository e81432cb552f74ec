"""A model server that plays prepared tokens: same protocol as the real one, no model."""

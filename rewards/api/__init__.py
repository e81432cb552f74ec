"""REST of programs that judge."""

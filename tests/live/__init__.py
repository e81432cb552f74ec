"""Tests on real processes: the web server by uvicorn, PostgreSQL, and a model server."""

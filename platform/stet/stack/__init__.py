"""The embedded stack: real PostgreSQL, Redis, vLLM and Stet's own processes on one machine."""

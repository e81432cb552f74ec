"""Small worlds to act in, exact and fast: what the reproductions of systems run on."""

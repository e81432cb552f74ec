"""Policy versions: what is sampled from, exactly, and how."""

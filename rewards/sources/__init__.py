"""Sources of verdicts: one module each, found by `rewards.registry`."""

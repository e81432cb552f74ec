"""Programs judge: signal sources and their verdicts."""

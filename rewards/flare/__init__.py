"""FLARE (arXiv 2609.23808): how risky each step of an agent's run is, why, and what would help."""

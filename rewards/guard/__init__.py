"""AgentGuard (arXiv 2601.10440, 2609.16287): calls that should not happen, learned from abnormal
runs: events, patterns mined from them, and rules that are active only where their trigger matches.
"""

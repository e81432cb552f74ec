"""Reasoning and tool calls inside an answer: how each family of templates marks them."""

"""The pages of projects."""

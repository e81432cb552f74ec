"""People, their sign-in and their API tokens."""

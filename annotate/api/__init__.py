"""People's work over REST, one file per noun."""

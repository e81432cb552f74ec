"""The pages of people's work and of who leads it."""

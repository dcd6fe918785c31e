"""TODO: what this package does."""

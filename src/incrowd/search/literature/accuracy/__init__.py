"""The dual: the most privacy for a given accuracy."""

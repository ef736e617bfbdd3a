"""A checker written by a stranger, from the documentation alone."""

"""A full-domain answer refined class by class."""

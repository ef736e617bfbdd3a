"""Searches as the literature describes them, one module or folder each."""

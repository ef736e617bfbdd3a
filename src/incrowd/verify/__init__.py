"""Verification: judges released rows with code that shares nothing with the search."""

"""Verification: what rows that leave show, judged by code that shares nothing with the search."""

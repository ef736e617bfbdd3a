"""Crowd: local recoding in which classes trade records."""

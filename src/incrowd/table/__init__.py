"""Columns as codes, distinct rows with their counts, and the way from a frame and back."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

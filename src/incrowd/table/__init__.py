"""Columns as codes, distinct rows with their counts, and the doors between them and a frame."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

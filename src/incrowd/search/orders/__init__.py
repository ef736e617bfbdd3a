"""Rows in one line, and the best division of a line into classes."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

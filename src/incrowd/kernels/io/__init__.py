"""Loops over the bytes of delimited text."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

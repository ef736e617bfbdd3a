"""Loops over sets of columns: which of them tell records apart."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

"""Loops that find whom released rows may be about."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

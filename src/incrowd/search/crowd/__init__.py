"""Crowd: local recoding in which classes trade records."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

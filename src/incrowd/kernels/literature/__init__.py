"""Loops of searches as the literature describes them."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

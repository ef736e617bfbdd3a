"""The dual: the most privacy for a given accuracy."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

"""A full-domain answer refined class by class."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

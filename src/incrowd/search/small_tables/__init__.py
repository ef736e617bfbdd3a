"""Tables so small that all their partitions can be looked at."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

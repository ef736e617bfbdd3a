"""MinGen: minimal generalizations, by column and by cell."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

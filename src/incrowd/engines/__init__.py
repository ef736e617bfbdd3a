"""Where the rows live: an engine codes them once and releases them once."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

"""Policy: what the user asks for, and how it is written, drafted and compiled."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

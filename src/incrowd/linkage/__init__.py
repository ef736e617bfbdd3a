"""A release against the tables that somebody may hold (Bettini, Wang, Jajodia)."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

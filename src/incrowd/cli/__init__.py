"""The command line: parse a request, show a result; no logic."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

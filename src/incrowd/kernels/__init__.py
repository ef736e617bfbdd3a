"""Loops over arrays, compiled by numba; each module is loaded when it is first used."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

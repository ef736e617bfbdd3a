"""Kernels are compiled at their first call, so that no example has a deadline."""

from hypothesis import settings

settings.register_profile("compiling", deadline=None)
settings.load_profile("compiling")

"""Loops of full-domain generalization and of its refinement."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

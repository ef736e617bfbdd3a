"""Policies: what a release must satisfy; reading, writing, drafting and compiling them."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

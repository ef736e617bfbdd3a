"""Full-domain generalization with the least loss of all, proved."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

"""Classes of rows: what columns induce, how classes are refined, compressed rows."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

"""What each verb does between its door and the packages that judge: one file a verb."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

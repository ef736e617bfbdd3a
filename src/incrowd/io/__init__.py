"""Files: tables read and written, targets replaced as a whole."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)

"""Files of queries."""

import os

from incrowd.errors import InputError
from incrowd.io.files import content
from incrowd.loss.queries_workload import Workload, parse


def read_workload(path: str | os.PathLike[str]) -> Workload:
    """The workload of a text file, one query per line."""
    name = os.fspath(path)
    try:
        text = content(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        problem = InputError(f"the workload {name!r} is not UTF-8 text")
    else:
        return parse(text, name)
    raise problem

"""A frame or a path goes into one function, for verbs that still have one for each.

Once `verbs.x.x` takes both, its line in `api.py` names it there, and this file can go.
"""

import os
from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from inspect import signature
from typing import Any

_HOMES = {"anonymize": "incrowd.pipeline"}


@cache
def _either(name: str) -> Callable[..., Any]:
    home = import_module(_HOMES.get(name, f"incrowd.verbs.{name}"))
    of_frame: Callable[..., Any] = getattr(home, name)
    of_file: Callable[..., Any] | None = getattr(home, f"{name}_file", None)
    if of_file is None:
        return of_frame
    has_target = list(signature(of_file).parameters)[1:2] == ["target"]

    @wraps(of_frame)
    def either(source: Any, *rest: Any, **options: Any) -> Any:
        written = has_target and (rest or "target" in options)
        if not written and not isinstance(source, str | os.PathLike):
            return of_frame(source, *rest, **options)
        if has_target and not written:
            rest = (None,)
        return of_file(source, *rest, **options)

    return either


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return _either(name)

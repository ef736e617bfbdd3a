"""The docstrings below the fields of a class, read from its source when somebody asks for them."""

import ast
import linecache
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise


def docstrings_of(kind: type) -> dict[str, str]:
    """The docstring below each field of a class and its bases, by field, as it is written."""
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        texts |= _docstrings_by_class(base.__module__).get(base.__name__, {})
    return texts


@cache
def _docstrings_by_class(module: str) -> dict[str, dict[str, str]]:
    """For each class of a module the docstrings below its fields; empty without a source file."""
    here = vars(sys.modules[module])
    if "__file__" not in here:
        return {}
    tree = ast.parse("".join(linecache.getlines(here["__file__"], here)))
    return {
        one.name: dict(_docstrings_in(one)) for one in tree.body if isinstance(one, ast.ClassDef)
    }


def _docstrings_in(body: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield each field of a class that has a docstring below it, with its docstring."""
    for field, below in pairwise(body.body):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, text

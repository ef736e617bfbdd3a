"""Plain values as TOML text, in time that grows with their size."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def key(name: str) -> str:
    """A key, in quotes if it needs them.

    >>> key("age"), key("date of birth")
    ('age', '"date of birth"')
    """
    return name if _BARE.fullmatch(name) else _text(name)


def value(plain: Any) -> str:
    """A value on one line.

    >>> value({"name": "prefix", "steps": [4, 3], "strict": True})
    '{ name = "prefix", steps = [4, 3], strict = true }'
    """
    match plain:
        case bool():
            return "true" if plain else "false"
        case int() | float():
            return repr(plain)
        case str():
            return _text(plain)
        case Mapping():
            return "{ " + ", ".join(lines(plain)) + " }"
        case _:
            return "[" + ", ".join(value(one) for one in plain) + "]"


def lines(table: Mapping[str, Any]) -> Iterable[str]:
    """The lines of a table."""
    return (f"{key(name)} = {value(plain)}" for name, plain in table.items())


def comment(text: str) -> str:
    """A comment on one line."""
    return "# " + " ".join(text.split())


def _text(text: str) -> str:
    """A text in quotes; JSON escapes as TOML does, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

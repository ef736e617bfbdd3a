"""On which line of a TOML text each key stands, for messages."""

import re
from collections import Counter

import tomlkit
from tomlkit.exceptions import TOMLKitError

from incrowd.policy.faults import Path

_HEAD = re.compile(r"^\s*(\[\[?)(.+?)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*((?:[\w.\-]|"(?:[^"\\]|\\.)*"|'[^']*'|[ \t])+?)\s*=""")


def lines_of(text: str) -> dict[Path, int]:
    r"""The line (1, 2, …) of each key and table; keys inside a value have none of their own.

    >>> lines_of('version = 1\n[[models]]\nk = 5')
    {('version',): 1, ('models', 0): 2, ('models', 0, 'k'): 3}
    """
    lines: dict[Path, int] = {}
    table: Path = ()
    seen: Counter[Path] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        if (head := _HEAD.match(line)) and "=" not in line.split("]")[0]:
            table = _keys(head[2])
            if head[1] == "[[":
                seen[table] += 1
                table = (*table, seen[table] - 1)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_keys(key[1])), number)
    return lines


def _keys(dotted: str) -> Path:
    """The parts of a dotted key."""
    try:
        here = tomlkit.parse(f"{dotted} = 0").unwrap()
    except (TOMLKitError, ValueError):
        return (dotted,)
    parts: Path = ()
    while isinstance(here, dict):
        part = next(iter(here))
        here, parts = here[part], (*parts, part)
    return parts

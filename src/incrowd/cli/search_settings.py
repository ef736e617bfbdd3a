"""Settings of the search that options give, in place of a table `[search]` in a policy file."""

import dataclasses
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from incrowd.cli import options
from incrowd.errors import PolicyError
from incrowd.policy import toml
from incrowd.requests.policy import PolicyOptions
from incrowd.search import SEARCHES, Auto, Search
from incrowd.values import did_you_mean

_WORD = re.compile(r"[A-Za-z][\w+-]*")
"""Text that needs no quotes."""


def has_search_options(asked: PolicyOptions) -> bool:
    """Whether any option about the search is given."""
    return asked.method is not None or any(True for _ in _given_settings(asked))


def search_with_options(
    asked: PolicyOptions, search: Search | None = None, otherwise: str | None = None
) -> dict[str, Any]:
    """The name and the settings of the search, as a policy file writes them.

    The search is the one that an option names, else `otherwise`, else the policy's `search` (by
    default `Auto`). Settings of the policy's search count only if no option names a search and
    `otherwise` is no other. `PolicyError` for a setting that the search lacks, or of two values.
    """
    before = search or Auto()
    name = asked.method or (None if before.name == otherwise else otherwise)
    base: dict[str, Any] = {"name": name}
    if name is None:
        base = {setting: getattr(before, setting) for setting in _settings_of(before.name)}
    called = base["name"]
    known = [setting for setting in _settings_of(called) if setting != "name"]
    settings: dict[str, Any] = {}
    for flag, setting, value in _given_settings(asked):
        if called in SEARCHES and setting not in known:
            raise _misplaced_error(flag, setting, called, known)
        if settings.setdefault(setting, value) != value:
            raise PolicyError(f"options give '{setting}' two values", remedy="give one of them")
    return base | settings


def _given_settings(asked: PolicyOptions) -> Iterator[tuple[str, str, Any]]:
    """Yield the option, the name and the value of each setting that is given."""
    if asked.mapping is not None:
        yield "--mapping", "mapping", asked.mapping
    if asked.effort is not None:
        yield "--effort", "effort", asked.effort
    if asked.prefer:
        yield "--prefer", "prefer", read_preference(asked.prefer)
    for text in asked.setting or ():
        yield "--setting", *read_setting(text)


def read_preference(texts: Iterable[str]) -> dict[str, Any]:
    """Read the order and the weights in `--prefer`; `PolicyError` if a weight is no number.

    >>> read_preference(["zip,age", "sex=2"])
    {'order': ('zip', 'age'), 'weights': {'sex': 2}}
    """
    named = options.read_columns(texts)
    weighted = tuple(name for name in named if "=" in name)
    weights = options.read_numbers_by_column(map(_quote, weighted), "prefer", "zip=2")
    return {"order": tuple(n for n in named if "=" not in n), "weights": weights}


def _quote(name: str) -> str:
    """The name in double quotes, as a cell of a CSV file: it may hold commas."""
    return '"' + name.replace('"', '""') + '"'


def read_setting(text: str) -> tuple[str, Any]:
    """Read the name and the value of `--setting NAME=VALUE`, written as in a policy file.

    Words need no quotes. `PolicyError` if it cannot be read.

    >>> read_setting("mapping=hilbert"), read_setting("levels={zip = 2}")
    (('mapping', 'hilbert'), ('levels', {'zip': 2}))
    """
    name, _, value = (part.strip() for part in text.partition("="))
    if not name or not value:
        raise PolicyError(
            "--setting takes NAME=VALUE", remedy="write, for example, --setting rounds=5"
        )
    return name, _parse_setting(name, value)


def _parse_setting(name: str, text: str) -> Any:
    """Read a value as a policy file writes it, or a word without quotes; refuse other texts."""
    if _WORD.fullmatch(text) and text not in {"true", "false", "inf", "nan"}:
        return text
    line = f"value = {text}"
    try:
        if "\n" not in text and toml.line_too_deep(line) is None:
            return tomllib.loads(line)["value"]
    except tomllib.TOMLDecodeError:
        pass
    raise PolicyError(
        f"--setting cannot read the value of '{name}'",
        remedy="write it as a policy file does, in quotes of your shell: "
        "--setting 'levels={zip = 2}'",
    )


def _settings_of(search: str) -> tuple[str, ...]:
    """The names of the settings of a search; none if there is no such search."""
    if search not in SEARCHES:
        return ()
    kind: Any = SEARCHES[search]
    return tuple(one.name for one in dataclasses.fields(kind))


def _misplaced_error(flag: str, name: str, search: str, known: Sequence[str]) -> PolicyError:
    """The error for a setting that a search lacks; `known` are the settings that it has."""
    others = [other for other in SEARCHES if name in _settings_of(other)]
    near = did_you_mean(name, known) if flag == "--setting" else ""
    if others and not near:
        asked = ", ".join(f"--method {other}" for other in others)
        return PolicyError(
            f"the search '{search}' has no setting '{name}'",
            remedy=f"leave out {flag}, or choose a search that has it: {asked}",
        )
    some = f"its settings are {', '.join(known)}" if known else "it has no settings"
    return PolicyError(f"the search '{search}' has no setting '{name}'", remedy=near or some)

"""Composition: everything that can be asked for, from a frame or from a file.

Each function puts parts together and does nothing else. Names are loaded when they are first used:
whoever asks for a risk need not wait for the searches.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.run.drafts import draft, draft_file
    from incrowd.run.explored import kind_of, refuse_unexplorable, write_explored
    from incrowd.run.queries import query_precision
    from incrowd.run.reading import AnyPath, Reading
    from incrowd.run.releases import anonymize, anonymize_file, check, check_file
    from incrowd.run.risks import risk, risk_file

__all__ = [
    "AnyPath",
    "Reading",
    "anonymize",
    "anonymize_file",
    "check",
    "check_file",
    "draft",
    "draft_file",
    "kind_of",
    "query_precision",
    "refuse_unexplorable",
    "risk",
    "risk_file",
    "write_explored",
]

_HOMES = {
    "drafts": ("draft", "draft_file"),
    "explored": ("kind_of", "refuse_unexplorable", "write_explored"),
    "queries": ("query_precision",),
    "reading": ("AnyPath", "Reading"),
    "releases": ("anonymize", "anonymize_file", "check", "check_file"),
    "risks": ("risk", "risk_file"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"incrowd.run.{home}"), name)
    raise AttributeError(f"module 'incrowd.run' has no attribute {name!r}")

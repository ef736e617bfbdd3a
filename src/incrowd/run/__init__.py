"""Composition: everything that can be asked for, from a frame or from a file.

Each function puts parts together and does nothing else. Names are loaded when they are first used:
whoever asks for a risk need not wait for the searches.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.run.attacks import attack, attack_file
    from incrowd.run.checks import check, check_file
    from incrowd.run.drafts import draft, draft_file
    from incrowd.run.explored import kind_of, refuse_unexplorable, write_explored
    from incrowd.run.frontiers import frontier, frontier_file, write_frontier
    from incrowd.run.queries import query_precision
    from incrowd.run.reading import AnyPath, Reading
    from incrowd.run.releases import anonymize, anonymize_file
    from incrowd.run.risks import risk, risk_file
    from incrowd.run.safe_harbors import safe_harbor, safe_harbor_file, seen, seen_file
    from incrowd.run.signatures import new_keys

__all__ = [
    "AnyPath",
    "Reading",
    "anonymize",
    "anonymize_file",
    "attack",
    "attack_file",
    "check",
    "check_file",
    "draft",
    "draft_file",
    "frontier",
    "frontier_file",
    "kind_of",
    "new_keys",
    "query_precision",
    "refuse_unexplorable",
    "risk",
    "risk_file",
    "safe_harbor",
    "safe_harbor_file",
    "seen",
    "seen_file",
    "write_explored",
    "write_frontier",
]

_HOMES = {
    "attacks": ("attack", "attack_file"),
    "checks": ("check", "check_file"),
    "drafts": ("draft", "draft_file"),
    "explored": ("kind_of", "refuse_unexplorable", "write_explored"),
    "frontiers": ("frontier", "frontier_file", "write_frontier"),
    "queries": ("query_precision",),
    "reading": ("AnyPath", "Reading"),
    "releases": ("anonymize", "anonymize_file"),
    "risks": ("risk", "risk_file"),
    "safe_harbors": ("safe_harbor", "safe_harbor_file", "seen", "seen_file"),
    "signatures": ("new_keys",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"incrowd.run.{home}"), name)
    raise AttributeError(f"module 'incrowd.run' has no attribute {name!r}")

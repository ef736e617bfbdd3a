"""Composition: everything that can be asked for, from a frame or from a file.

Each function puts parts together and does nothing else. Names are loaded when they are first used:
whoever asks for a risk need not wait for the searches.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.pipeline import anonymize, anonymize_file
    from incrowd.verbs.attack import attack, attack_file
    from incrowd.verbs.check import check, check_file
    from incrowd.verbs.discover import discover
    from incrowd.verbs.draft import draft
    from incrowd.verbs.draft import draft as draft_file
    from incrowd.verbs.explored import kind_of, refuse_unexplorable, write_explored
    from incrowd.verbs.frontier import frontier, frontier_file, write_frontier
    from incrowd.verbs.groups import groups
    from incrowd.verbs.keys import new_keys
    from incrowd.verbs.mask import mask
    from incrowd.verbs.mask import mask as mask_file
    from incrowd.verbs.plan import apply_plan, plan, plan_sizes
    from incrowd.verbs.plan import plan as plan_file
    from incrowd.verbs.quantiles import quantiles
    from incrowd.verbs.quantiles import quantiles as quantiles_file
    from incrowd.verbs.query_precision import query_precision
    from incrowd.verbs.reading import AnyPath, Reading
    from incrowd.verbs.risk import risk, risk_file
    from incrowd.verbs.safe_harbor import safe_harbor, table_facts
    from incrowd.verbs.safe_harbor import safe_harbor as safe_harbor_file

__all__ = [
    "AnyPath",
    "Reading",
    "anonymize",
    "anonymize_file",
    "apply_plan",
    "attack",
    "attack_file",
    "check",
    "check_file",
    "discover",
    "draft",
    "draft_file",
    "frontier",
    "frontier_file",
    "groups",
    "kind_of",
    "mask",
    "mask_file",
    "new_keys",
    "plan",
    "plan_file",
    "plan_sizes",
    "quantiles",
    "quantiles_file",
    "query_precision",
    "refuse_unexplorable",
    "risk",
    "risk_file",
    "safe_harbor",
    "safe_harbor_file",
    "table_facts",
    "write_explored",
    "write_frontier",
]

_HOMES = {
    "pipeline": "anonymize anonymize_file",
    "verbs.attack": "attack attack_file",
    "verbs.check": "check check_file",
    "verbs.discover": "discover",
    "verbs.draft": "draft",
    "verbs.explored": "kind_of refuse_unexplorable write_explored",
    "verbs.frontier": "frontier frontier_file write_frontier",
    "verbs.groups": "groups",
    "verbs.keys": "new_keys",
    "verbs.mask": "mask mask_file",
    "verbs.plan": "apply_plan plan plan_file plan_sizes",
    "verbs.quantiles": "quantiles quantiles_file",
    "verbs.query_precision": "query_precision",
    "verbs.reading": "AnyPath Reading",
    "verbs.risk": "risk risk_file",
    "verbs.safe_harbor": "safe_harbor table_facts",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


_FORMER = {
    "draft_file": "draft",
    "safe_harbor_file": "safe_harbor",
    "mask_file": "mask",
    "plan_file": "plan",
    "quantiles_file": "quantiles",
}


def __getattr__(name: str) -> Any:
    name = _FORMER.get(name, name)
    if name in _HOME:
        return getattr(import_module(f"incrowd.{_HOME[name]}"), name)
    raise AttributeError(f"module 'incrowd.api' has no attribute {name!r}")

"""One function a verb: a frame, a path or a table elsewhere goes in, a result comes out.

A frame is one of pandas, Polars or PyArrow. A path is a CSV, TSV, Parquet or Arrow file; `reading`
says how to read it where incrowd should not find that out itself. A table elsewhere is a DuckDB
relation, a lazy Polars frame, an Ibis table or another of `incrowd.engines.elsewhere`: it is
counted where it is, and only what needs records one by one brings the columns that it needs into
memory (`incrowd.engines.fetch`). Names are loaded when they are first used: measuring a risk does
not load the searches.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from incrowd.lazy import homes_of

if TYPE_CHECKING:
    from incrowd.io.reading import Reading as Reading
    from incrowd.pipeline import anonymize as anonymize
    from incrowd.verbs.attack import attack as attack
    from incrowd.verbs.check import check as check
    from incrowd.verbs.check import new_keys as new_keys
    from incrowd.verbs.compare import compare as compare
    from incrowd.verbs.discover import discover as discover
    from incrowd.verbs.draft import draft as draft
    from incrowd.verbs.frontier import frontier as frontier
    from incrowd.verbs.groups import groups as groups
    from incrowd.verbs.mask import mask as mask
    from incrowd.verbs.named_sets import judge_sets as judge_sets
    from incrowd.verbs.plan import apply_plan as apply_plan
    from incrowd.verbs.plan import plan as plan
    from incrowd.verbs.plan import plan_sizes as plan_sizes
    from incrowd.verbs.quantiles import quantiles as quantiles
    from incrowd.verbs.query_precision import query_precision as query_precision
    from incrowd.verbs.report import report as report
    from incrowd.verbs.risk import risk as risk
    from incrowd.verbs.safe_harbor import safe_harbor as safe_harbor
    from incrowd.verbs.safe_harbor import table_facts as table_facts
    from incrowd.verbs.warm import warm as warm

_HOMES = homes_of(__name__)
__all__ = sorted(_HOMES)  # noqa: PLE0605  the imports above are the list


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

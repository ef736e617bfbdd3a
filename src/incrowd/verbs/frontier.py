"""The whole curve of privacy against loss, for a frame or a file; nothing is released."""

import csv
import io
from collections.abc import Sequence
from typing import Any

from incrowd.documents import charts, json
from incrowd.errors import PolicyError
from incrowd.io.atomic import replacing
from incrowd.io.files import write_bytes
from incrowd.io.hierarchies import builders_of
from incrowd.io.reading import AnyPath, Reading, enough_memory, opened
from incrowd.policy.policy import Policy
from incrowd.release.load import RunContext, load
from incrowd.search import Accuracy
from incrowd.search.literature.accuracy.frontier import BOUNDS, Frontier
from incrowd.search.literature.accuracy.frontier import frontier as frontier_of
from incrowd.verbs.explored import kind_of
from incrowd.watch import Watch


def frontier(  # noqa: PLR0913  the table, the request, and the settings of one run
    source: Any,
    policy: Policy,
    *,
    bounds: Sequence[float] = BOUNDS,
    reading: Reading | None = None,
    watch: Watch | None = None,
    folder: AnyPath = ".",
) -> Frontier:
    """Find the most privacy of a table for every largest loss of a class; nothing is released.

    `source` is a frame or the path of a file. The models of the policy are floors. If its search is
    `accuracy`, that is asked with each of the `bounds` in place of its own; otherwise privacy means
    l of the first sensitive column, or k if there is none. The policy's time limit is for the whole
    curve.
    """
    if policy.show == "permutation":
        raise PolicyError(
            'show = "permutation" leaves quasi-identifiers exact, so there is no loss to weigh',
            remedy="leave it out",
        )
    with enough_memory():
        engine = opened(source, reading, policy.columns).engine
        table = load(engine, policy, builders_of(policy, folder))
        limited = RunContext(watch=watch or Watch()).search_watch(policy)
        return frontier_of(table.compiled.problem, _search(policy), limited, bounds)


def write_frontier(curve: Frontier, path: AnyPath) -> None:
    """Write a curve as a table or a picture, by the suffix of the path."""
    content = _content(curve, kind_of(path))
    with replacing(path) as place:
        write_bytes(place, content)


def _search(policy: Policy) -> Accuracy:
    if isinstance(policy.search, Accuracy):
        return policy.search
    return Accuracy(privacy="l" if policy.sensitive else "k")


def _content(curve: Frontier, kind: str) -> bytes:

    if kind == "json":
        return json.dumps(json.frontier_document(curve)).encode()
    if kind == "csv":
        points = json.frontier_document(curve)["points"]
        text = io.StringIO()
        lines = csv.DictWriter(text, list(points[0]), lineterminator="\n")
        lines.writeheader()
        lines.writerows(points)
        return text.getvalue().encode()
    return charts.drawn(charts.frontier_chart(curve), kind)  # type: ignore[arg-type]

"""The whole curve of privacy against loss, for a frame or a file; nothing is released."""

import csv
import io
from collections.abc import Sequence
from typing import Any

from incrowd.documents import charts, json
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import PolicyError
from incrowd.io import tables
from incrowd.io.atomic import replacing
from incrowd.io.files import write_bytes
from incrowd.pipeline import builders_of
from incrowd.policy.policy import Policy
from incrowd.release.prepare import Outside, coded
from incrowd.search import Accuracy
from incrowd.search.literature.accuracy.frontier import BOUNDS, Frontier
from incrowd.search.literature.accuracy.frontier import frontier as frontier_of
from incrowd.verbs.explored import kind_of
from incrowd.verbs.reading import AnyPath, Reading, collected, enough_memory, rows_of
from incrowd.watch import Watch


def frontier(
    frame: Any,
    policy: Policy,
    *,
    bounds: Sequence[float] = BOUNDS,
    watch: Watch | None = None,
    folder: AnyPath = ".",
) -> Frontier:
    """The most privacy of a frame for every largest loss of a class; nothing is released.

    The models of the policy are floors. If its search is `accuracy`, that is asked with each of the
    `bounds` in place of its own; otherwise privacy means l of the first sensitive column, or k if
    there is none. The policy's time limit is for the whole curve.
    """
    with enough_memory():
        frame = collected(frame)
        source = tables.Source(rows_of(frame), text=False)
        return _curve(frame, source, policy, bounds, (watch, folder))


def frontier_file(  # noqa: PLR0913  a file, the request, and what comes from outside
    source: AnyPath,
    policy: Policy,
    *,
    bounds: Sequence[float] = BOUNDS,
    reading: Reading | None = None,
    watch: Watch | None = None,
    folder: AnyPath = ".",
) -> Frontier:
    """The most privacy of a table in a file for every largest loss of a class; see `frontier`."""
    with enough_memory():
        read = (reading or Reading()).expecting(policy.columns).read(source)
        return _curve(read.frame, read, policy, bounds, (watch, folder))


def write_frontier(curve: Frontier, path: AnyPath) -> None:
    """Write a curve as a table or a picture, by the suffix of the path."""
    content = _content(curve, kind_of(path))
    with replacing(path) as place:
        write_bytes(place, content)


def _curve(
    frame: Any,
    source: tables.Source,
    policy: Policy,
    bounds: Sequence[float],
    outside: tuple[Watch | None, AnyPath],
) -> Frontier:
    watch, folder = outside
    if policy.show == "permutation":
        raise PolicyError(
            'show = "permutation" leaves quasi-identifiers exact, so there is no loss to weigh',
            remedy="leave it out",
        )
    engine = MemoryEngine(frame, text=source.text)
    builders = builders_of(policy, folder)
    table = coded(engine, source.frame, policy, builders, text=source.text)
    limited = Outside(watch=watch or Watch()).search_watch(policy)
    return frontier_of(table.compiled.problem, _search(policy), limited, bounds)


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

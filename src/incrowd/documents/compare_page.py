"""A comparison as one page: the plane of risk and utility, then every figure of each release."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from incrowd.documents import interactive
from incrowd.documents.compare import (
    compare_document,
    farthest_columns,
    farthest_pairs,
    headline,
    loss_text,
)
from incrowd.documents.page import (
    Block,
    Figure,
    Folded,
    Interactive,
    Page,
    Section,
    Table,
    Text,
    page,
)
from incrowd.documents.pictures import Bars, HeatMap, Plane, Point, Ranges, Series
from incrowd.documents.view import View
from incrowd.utility.verdict import LIMITS

if TYPE_CHECKING:
    from incrowd.utility.comparison import (
        ColumnUtility,
        Comparison,
        Regression,
        ReleaseUtility,
    )

_OPEN = 6
"""Columns that are shown at once; the others can be unfolded."""
_MAP = 25
"""Columns of a heat map."""
_LISTED = 40
"""Pairs in a table."""
_NORMAL = 1.96


def compare_page(found: "Comparison") -> str:
    """The page as one HTML file."""
    return page(
        Page(
            title=f"Releases of {found.original}",
            verdict=Text((headline(found),)),
            sections=tuple(_sections(found)),
            made="Labels are read as sets of values, each record spread evenly over its set.",
        )
    )


def compare_view(found: "Comparison") -> View:
    """What a notebook shows: the verdict, the plane and a line for each release."""
    return View(
        Text((headline(found),)),
        _plane(found) or _variations(found),
        _releases(found),
        lambda: compare_document(found),
        found.notes,
    )


def _variations(found: "Comparison") -> Bars:
    """Without risks: how far the columns of each release are off."""
    names = tuple(release.name for release in found.releases)
    means = tuple(release.total_variation for release in found.releases)
    about = "The mean share of the records that would have to move to make a column like before."
    return Bars("Columns off by", about, names, (Series("mean total variation", means),))


def _sections(found: "Comparison") -> Iterator[Section]:
    yield Section("releases", "Risk and utility", tuple(_overview(found)))
    for place, release in enumerate(found.releases, start=1):
        yield Section(f"release-{place}", release.name, tuple(_release(release)))
    yield Section("notes", "Notes", (Text((LIMITS, *found.notes), "quiet"),))


def _overview(found: "Comparison") -> Iterator[Block]:
    yield _releases(found)
    plane = _plane(found)
    if plane is None:
        return
    rows = tuple((point.name, point.x, point.y, point.kind) for point in plane.points)
    still = Figure(plane, Table(("table", plane.x, plane.y, "kind"), rows))
    live = interactive.available()
    yield Interactive(interactive.plane_spec(plane), still) if live else still


def _plane(found: "Comparison") -> Plane | None:
    """Each release between its distance from the original and its risk."""
    best = set(found.frontier)
    points = [
        Point(r.name, r.distance, r.risk.highest, "frontier" if r.name in best else "release")
        for r in found.releases
        if r.distance is not None and r.risk is not None
    ]
    if not points or found.risk is None:
        return None
    first = Point(found.original, 0.0, found.risk.highest, "original")
    return Plane(
        "Risk and utility",
        "Lower is safer, farther left is closer to the original; no other release beats those on "
        "the frontier in both.",
        (first, *points),
        "distance from the original",
        "highest risk",
    )


def _releases(found: "Comparison") -> Table:
    heads = (
        "release",
        "records",
        "left out",
        "k",
        "highest risk",
        "GCP",
        "worst column",
        "mean total variation",
        "two-way total variation",
        "pairs off by",
    )
    return Table(heads, tuple(map(_row, found.releases)), "A line for each release.")


def _row(release: "ReleaseUtility") -> tuple[str | float | int | None, ...]:
    risk, worst = release.risk, release.worst
    return (
        release.name,
        release.records,
        release.left_out,
        None if risk is None else risk.k,
        None if risk is None else _round(risk.highest),
        loss_text(release, "gcp") if release.losses_at_most else _round(release.losses.get("gcp")),
        None if worst is None else worst.name,
        _round(release.total_variation),
        _round(release.two_way),
        _round(release.pair_difference),
    )


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _release(release: "ReleaseUtility") -> Iterator[Block]:
    if release.regression is not None and release.regression.coefficients:
        yield _coefficients(release.regression)
    yield from _models(release)
    columns = farthest_columns(release)
    yield _columns(release)
    for column in columns[:_OPEN]:
        yield _bars(column)
    if len(columns) > _OPEN:
        rest = columns[_OPEN : _OPEN + 60]
        yield Folded(f"{len(rest)} more columns", tuple(map(_bars, rest)))
    if release.pairs:
        yield from _pairs(release)
    yield from _figures(release)
    if release.notes:
        yield Text(release.notes, "quiet")


def _columns(release: "ReleaseUtility") -> Table:
    rows = tuple(
        (
            column.name,
            column.kind,
            _round(column.total_variation),
            _round(column.earth_mover),
            column.missing[0],
            column.missing[1],
            column.suppressed,
            column.unreadable,
            _round(column.ncp),
            _round(column.within_noise),
        )
        for column in farthest_columns(release)
    )
    heads = (
        "column",
        "kind",
        "total variation",
        "earth mover",
        "missing before",
        "missing after",
        "suppressed",
        "not readable",
        "NCP",
        "counts within noise",
    )
    return Table(heads, rows, "Columns, the farthest from the original first.")


def _bars(column: "ColumnUtility") -> Figure:
    shown = column.histogram
    both = (Series("original", shown.before), Series("release", shown.after))
    about = (
        f"Shares of the records of {column.name} before and after, labels spread evenly; bars of "
        "fewer than 5 records are withheld."
    )
    rows = tuple(zip(shown.labels, shown.before, shown.after, strict=True))
    picture = Bars(column.name, about, shown.labels, both, y="share of records")
    return Figure(picture, Table((column.name, "original", "release"), rows))


def _pairs(release: "ReleaseUtility") -> Iterator[Block]:
    far = farthest_pairs(release)[:_LISTED]
    rows = tuple(
        (
            *pair.columns,
            pair.measure,
            _round(pair.before),
            _round(pair.after),
            _round(pair.difference),
        )
        for pair in far
    )
    heads = ("column", "other column", "measure", "original", "release", "difference")
    listed = Table(heads, rows, "Associations that changed most.")
    yield Figure(_map(release), listed)


def _map(release: "ReleaseUtility") -> HeatMap:
    """The differences between associations as a matrix."""
    names = tuple(dict.fromkeys(name for pair in release.pairs for name in pair.columns))[:_MAP]
    known = {pair.columns: pair.difference for pair in release.pairs}
    values = tuple(
        tuple(0.0 if a == b else known.get((a, b), known.get((b, a))) for b in names) for a in names
    )
    about = (
        "What the release adds to the association of two columns (correlation, correlation ratio "
        "or Cramér's V); 0 is best."
    )
    return HeatMap("Associations: release less original", about, names, names, values, -1.0, 1.0)


def _coefficients(found: "Regression") -> Figure:
    terms = [one for one in found.coefficients if one.release is not None]
    ends = [(one.release or 0.0, _NORMAL * (one.release_error or 0.0)) for one in terms]
    about = (
        f"Coefficients of the {found.task} regression {found.formula} from the release, with 95 % "
        "intervals that take the release as exact, beside those of the original."
    )
    picture = Ranges(
        "The analysis",
        about,
        tuple(one.term for one in terms),
        tuple(value - width for value, width in ends),
        tuple(value for value, _ in ends),
        tuple(value + width for value, width in ends),
        tuple(one.original for one in terms),
        value_name="release with its interval",
        baseline_name="original",
    )
    heads = ("term", "original", "standard error", "release", "off by", "intervals overlap")
    rows = tuple(
        (
            one.term,
            one.original,
            one.standard_error,
            one.release,
            one.difference,
            _round(one.overlap),
        )
        for one in found.coefficients
    )
    return Figure(picture, Table(heads, rows))


def _models(release: "ReleaseUtility") -> Iterator[Block]:
    if not release.models:
        return
    heads = (
        "target",
        "model",
        "score",
        "original",
        "release",
        "baseline",
        "learned from",
        "tested on",
    )
    rows = tuple(
        (
            one.target,
            one.model,
            one.score,
            _round(one.original),
            _round(one.release),
            _round(one.baseline),
            one.trained_on,
            one.tested_on,
        )
        for one in release.models
    )
    yield Table(
        heads, rows, "Models that learn from each table, tested on records of the original."
    )


def _figures(release: "ReleaseUtility") -> Iterator[Block]:
    rows: list[tuple[str | float | int | None, ...]] = list(release.losses.items())
    rows.append(("two-way counts within noise", _round(release.two_way_within_noise)))
    if release.queries is not None:
        rows.append(("median error of range queries", _round(release.queries.median_error)))
        rows.append(("KL of counts by two columns", _round(release.queries.kl)))
    shown = tuple(
        (name, _round(value) if isinstance(value, float) else value) for name, value in rows
    )
    most = " Losses are upper bounds: some labels cannot be read." if release.losses_at_most else ""
    yield Table(("figure", "value"), shown, f"Losses from labels and classes, and queries.{most}")

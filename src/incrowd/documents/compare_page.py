"""A comparison as one page: the plane of risk and utility, then every figure of each release."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from incrowd.documents import interactive
from incrowd.documents.bar_names import bar_names
from incrowd.documents.compare import (
    compare_document,
    farthest_columns,
    farthest_pairs,
    gcp_text,
    headline,
    placed_releases,
)
from incrowd.documents.page import (
    Block,
    Cell,
    Columns,
    FigureTable,
    Folded,
    Interactive,
    Page,
    Paragraphs,
    PictureBlock,
    Section,
    page_html,
)
from incrowd.documents.pictures import Bars, EstimateBars, HeatMap, Plane, PlanePoint, Series
from incrowd.documents.report.wording import before_after_series
from incrowd.documents.view import ResultView
from incrowd.errors import count_of
from incrowd.utility.verdict import LIMITS

if TYPE_CHECKING:
    from incrowd.utility.comparison import ColumnUtility, Comparison, Regression, ReleaseUtility

_OPEN = 6
"""Columns that are shown at once; the others can be unfolded."""
_FOLDED = 60
"""Columns that can be unfolded at most; later ones are not drawn."""
_MAP = 25
"""Columns of a heat map."""
_LISTED = 40
"""Pairs in a table."""
_NORMAL = 1.96


def compare_html(found: "Comparison") -> str:
    """Write a comparison as one HTML file."""
    return page_html(
        Page(
            title=f"Releases of {found.original}",
            verdict=Paragraphs((headline(found),)),
            sections=tuple(_sections(found)),
            made="Labels are read as sets of values, each record spread evenly over its set.",
        )
    )


def compare_view(found: "Comparison") -> ResultView:
    """The comparison as a notebook shows it: verdict, plane and a line for each release."""
    return ResultView(
        Paragraphs((headline(found),)),
        _risk_plane(found) or _variation_bars(found),
        _releases_table(found),
        lambda: compare_document(found),
        found.notes,
    )


def _variation_bars(found: "Comparison") -> Bars:
    """Make bars of how far the columns of each release are off; drawn where risks are not known."""
    names = tuple(release.name for release in found.releases)
    means = tuple(release.total_variation for release in found.releases)
    about = "The mean share of the records that would have to move to make a column like before."
    return Bars("Columns off by", about, names, (Series("mean total variation", means),))


def _sections(found: "Comparison") -> Iterator[Section]:
    """Yield the sections: risk and utility of all, one for each release, and the notes."""
    yield Section("releases", "Risk and utility", tuple(_overview_blocks(found)))
    for place, release in enumerate(found.releases, start=1):
        yield Section(f"release-{place}", release.name, tuple(_release_blocks(release)))
    yield Section("notes", "Notes", (Paragraphs((LIMITS, *found.notes), "quiet"),))


def _overview_blocks(found: "Comparison") -> Iterator[Block]:
    """Yield the table of releases and, if risks are known, the plane of risk and utility."""
    yield _releases_table(found)
    plane = _risk_plane(found)
    if plane is None:
        return
    rows = tuple((point.name, point.x, point.y, point.kind) for point in plane.points)
    still = PictureBlock(plane, FigureTable(("table", plane.x, plane.y, "kind"), rows))
    live = interactive.is_available()
    yield Interactive(interactive.plane_spec(plane), still) if live else still


def _risk_plane(found: "Comparison") -> Plane | None:
    """Place each release by distance from the original and risk; None if risks are not known."""
    best = set(found.frontier)
    points = [
        PlanePoint(one.name, distance, risk, "frontier" if one.name in best else "release")
        for one, distance, risk in placed_releases(found)
    ]
    if not points or found.risk is None:
        return None
    first = PlanePoint(found.original, 0.0, found.risk.highest, "original")
    return Plane(
        "Risk and utility",
        "Lower is safer, farther left is closer to the original. A release is on the frontier "
        "unless another is no worse in both, and better in one.",
        (first, *points),
        "distance from the original",
        "highest risk",
    )


def _releases_table(found: "Comparison") -> FigureTable:
    """Make a table with a row for each release: its size, risk, loss and distances."""
    columns: Columns = {
        "release": "name",
        "records": "records",
        "left out": "left_out",
        "k": lambda release: None if release.risk is None else release.risk.k,
        "highest risk": lambda release: (
            None if release.risk is None else _round_figure(release.risk.highest)
        ),
        "GCP": _gcp_cell,
        "worst column": lambda release: None if release.worst is None else release.worst.name,
        "mean total variation": _round_field("total_variation"),
        "two-way total variation": _round_field("two_way"),
        "pairs off by": _round_field("pair_difference"),
    }
    return FigureTable.of(found.releases, columns, "A line for each release.")


def _gcp_cell(release: "ReleaseUtility") -> Cell:
    """The loss GCP in four decimals, as a text if it is an upper bound; None if not counted."""
    if release.losses_at_most:
        return gcp_text(release)
    return _round_figure(release.losses.get("gcp"))


def _round_field(name: str) -> Callable[[Any], float | None]:
    """Make a function that returns a field of an item in four decimals; None if that is None."""
    return lambda result: _round_figure(getattr(result, name))


def _round_figure(value: float | None) -> float | None:
    """The value in four decimals; None stays None."""
    return None if value is None else round(value, 4)


def _release_blocks(release: "ReleaseUtility") -> Iterator[Block]:
    """Yield what the page shows of one release: regression, models, columns, pairs and figures."""
    if release.regression is not None and release.regression.coefficients:
        yield _coefficients_picture(release.regression)
    yield from _model_blocks(release)
    columns = farthest_columns(release)
    yield _columns_table(release)
    for column in columns[:_OPEN]:
        yield _histogram_picture(column)
    if len(columns) > _OPEN:
        rest = columns[_OPEN : _OPEN + _FOLDED]
        yield Folded(count_of(len(rest), "more column"), tuple(map(_histogram_picture, rest)))
    if undrawn := columns[_OPEN + _FOLDED :]:
        less = f"{count_of(len(undrawn), 'column')} that changed less are in the table only."
        yield Paragraphs((less,), "quiet")
    if release.pairs:
        yield from _pair_blocks(release)
    yield from _figure_blocks(release)
    if release.notes:
        yield Paragraphs(release.notes, "quiet")


def _columns_table(release: "ReleaseUtility") -> FigureTable:
    """Make a table of the columns of a release, the farthest from the original first."""
    columns: Columns = {
        "column": "name",
        "kind": "kind",
        "total variation": _round_field("total_variation"),
        "earth mover": _round_field("earth_mover"),
        "missing before": lambda column: column.missing[0],
        "missing after": lambda column: column.missing[1],
        "suppressed": "suppressed",
        "not readable": "unreadable",
        "NCP": _round_field("ncp"),
        "counts within noise": _round_field("within_noise"),
    }
    caption = "Columns, the farthest from the original first."
    return FigureTable.of(farthest_columns(release), columns, caption)


def _histogram_picture(column: "ColumnUtility") -> PictureBlock:
    """Draw the histogram of a column before and after; its bars show no values of the table."""
    shown = column.histogram
    both = before_after_series(shown.before, shown.after)
    about = (
        f"Shares of the records of {column.name} before and after, labels spread evenly; bars of "
        "fewer than 5 records are withheld."
    )
    names = bar_names(shown.labels, column.kind, values=False)
    rows = tuple(zip(names, shown.before, shown.after, strict=True))
    picture = Bars(column.name, about, names, both, y="share of records")
    return PictureBlock(picture, FigureTable((column.name, "original", "release"), rows))


def _pair_blocks(release: "ReleaseUtility") -> Iterator[Block]:
    """Yield the map of associations, with a table of the pairs that changed most."""
    far = farthest_pairs(release)[:_LISTED]
    columns: Columns = {
        "column": lambda pair: pair.columns[0],
        "other column": lambda pair: pair.columns[1],
        "measure": "measure",
        "original": _round_field("before"),
        "release": _round_field("after"),
        "difference": _round_field("difference"),
    }
    listed = FigureTable.of(far, columns, "Associations that changed most.")
    yield PictureBlock(_pair_map(release), listed)


def _pair_map(release: "ReleaseUtility") -> HeatMap:
    """Map by how much the association of two columns changed; of many columns only the first."""
    every = tuple(dict.fromkeys(name for pair in release.pairs for name in pair.columns))
    names = every[:_MAP]
    known = {pair.columns: pair.difference for pair in release.pairs}
    values = tuple(
        tuple(0.0 if a == b else known.get((a, b), known.get((b, a))) for b in names) for a in names
    )
    about = (
        "What the release adds to the association of two columns (correlation, correlation ratio "
        "or Cramér's V); 0 is best."
    )
    if len(every) > _MAP:
        about += f" The first {_MAP} of {len(every):,} columns."
    return HeatMap("Associations: release less original", about, names, names, values, -1.0, 1.0)


def _coefficients_picture(found: "Regression") -> PictureBlock:
    """Draw the coefficients from the release with 95 % intervals, beside those of the original."""
    terms = [one for one in found.coefficients if one.release is not None]
    ends = [(one.release or 0.0, _NORMAL * (one.release_error or 0.0)) for one in terms]
    about = (
        f"Coefficients of the {found.task} regression {found.formula} from the release, with 95 % "
        "intervals that take the release as exact, beside those of the original."
    )
    picture = EstimateBars(
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
    columns: Columns = {
        "term": "term",
        "original": "original",
        "standard error": "standard_error",
        "release": "release",
        "off by": "difference",
        "intervals overlap": _round_field("overlap"),
    }
    return PictureBlock(picture, FigureTable.of(found.coefficients, columns))


def _model_blocks(release: "ReleaseUtility") -> Iterator[Block]:
    """Yield a table of models that learned from each table; nothing if there are none."""
    if not release.models:
        return
    columns: Columns = {
        "target": "target",
        "model": "model",
        "score": "score",
        "original": _round_field("original"),
        "release": _round_field("release"),
        "baseline": _round_field("baseline"),
        "learned from": "trained_on",
        "tested on": "tested_on",
    }
    caption = "Models that learn from each table, tested on records of the original."
    yield FigureTable.of(release.models, columns, caption)


def _figure_blocks(release: "ReleaseUtility") -> Iterator[Block]:
    """Yield one table of losses, two-way counts and range queries."""
    rows: list[tuple[str | float | int | None, ...]] = list(release.losses.items())
    rows.append(("two-way counts within noise", _round_figure(release.two_way_within_noise)))
    if release.queries is not None:
        rows.append(("median error of range queries", _round_figure(release.queries.median_error)))
        rows.append(("KL of counts by two columns", _round_figure(release.queries.kl)))
    shown = tuple(
        (name, _round_figure(value) if isinstance(value, float) else value) for name, value in rows
    )
    most = " Losses are upper bounds: some labels cannot be read." if release.losses_at_most else ""
    yield FigureTable(
        ("figure", "value"), shown, f"Losses from labels and classes, and queries.{most}"
    )

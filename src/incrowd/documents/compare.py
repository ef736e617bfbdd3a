"""Comparisons as people and programs read them. Nothing is computed here."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from incrowd.documents.bar_names import bar_names
from incrowd.documents.json import pick
from incrowd.documents.words import line, loss_name, number, quantity, share, stack, table
from incrowd.errors import join_words
from incrowd.utility.verdict import LIMITS, closeness_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from incrowd.utility.comparison import ColumnUtility, Comparison, PairUtility, ReleaseUtility

_HEADS = (
    "release",
    "records",
    "k",
    "risk",
    "gcp",
    "worst column",
    "columns off by",
    "pairs off by",
    "model",
)
_NONE = "–"  # noqa: RUF001  a dash for what is not there
_FINDINGS = 3
"""Findings that a headline names."""
_VERDICTS = {"close": "close to", "between": "neither close to nor far from", "far": "far from"}
_PAIRS = 5
"""Pairs that a terminal shows."""


def compare_document(found: "Comparison") -> dict[str, Any]:
    """`incrowd.compare/1`: what releases keep of their original, and how exposed people are."""
    return {
        "schema": "incrowd.compare/1",
        **pick(found, "original records"),
        "risk": None if found.risk is None else asdict(found.risk),
        **pick(found, "quasi sensitive formula frontier"),
        "releases": [_release_document(release) for release in found.releases],
        **pick(found, "seed notes"),
    }


def _release_document(release: "ReleaseUtility") -> dict[str, Any]:
    """A release as JSON has it: its verdict, every column and pair, models, losses and risk."""
    worst, verdict = release.worst, closeness_of(release)
    return {
        "name": release.name,
        "closeness": verdict.closeness,
        "findings": [finding.says for finding in verdict.findings],
        **pick(release, "records left_out absent total_variation"),
        "worst": None if worst is None else worst.name,
        **pick(release, "pair_difference two_way two_way_within_noise"),
        "columns": [_column_document(column) for column in release.columns],
        "pairs": [asdict(pair) | {"difference": pair.difference} for pair in release.pairs],
        "queries": None if release.queries is None else asdict(release.queries),
        "models": [asdict(model) for model in release.models],
        "regression": _regression_document(release),
        "losses": dict(release.losses),
        "losses_at_most": release.losses_at_most,
        "risk": None if release.risk is None else asdict(release.risk),
        "notes": release.notes,
    }


def _column_document(column: "ColumnUtility") -> dict[str, Any]:
    """A column as JSON has it; its bars are named without values of the table."""
    found = asdict(column)
    names = bar_names(column.histogram.labels, column.kind, values=False)
    found["histogram"]["labels"] = list(names)
    return found


def _regression_document(release: "ReleaseUtility") -> Mapping[str, Any] | None:
    """The regression as JSON has it, with the difference of each coefficient; None without one."""
    if release.regression is None:
        return None
    found = asdict(release.regression)
    terms = release.regression.coefficients
    found["coefficients"] = [asdict(one) | {"difference": one.difference} for one in terms]
    return found


def compare_text(found: "Comparison", *, details: bool = False) -> "RenderableType":
    """Show a sentence, the releases and their regressions; with `details` every column and pair."""
    parts: list[RenderableType] = [line(headline(found)), releases_table(found)]
    parts += [one for release in found.releases for one in _regression_parts(release, found)]
    if details:
        parts += [one for release in found.releases for one in _release_details(release)]
    return stack(parts[0], *parts[1:])


def headline(found: "Comparison") -> str:
    """Say how close the nearest release is, and how many are beaten in risk and distance."""
    told = [r for r in found.releases if r.distance is not None]
    if not told:
        return "No release shows anything that can be compared with the original."
    best = min(told, key=lambda release: release.distance or 0.0)
    if len(found.releases) == 1:
        return f"{best.name} {_closeness_words(best, found.original)}."
    says = f"{best.name} differs least from {found.original}, and {_closeness_words(best, 'it')}"
    return f"{says}.{_beaten_words(len(placed_releases(found)) - len(found.frontier))}"


def placed_releases(found: "Comparison") -> "list[tuple[ReleaseUtility, float, float]]":
    """The releases of which both are known, each with its distance and its highest risk."""
    return [
        (release, release.distance, release.risk.highest)
        for release in found.releases
        if release.distance is not None and release.risk is not None
    ]


def _beaten_words(beaten: int) -> str:
    """A further sentence on this many releases that are not on the frontier; empty for none."""
    if not beaten:
        return ""
    says = f" {quantity(beaten, 'release')} {'is' if beaten == 1 else 'are'} beaten by another that"
    return f"{says} is no worse in both risk and utility, and better in one."


def _closeness_words(release: "ReleaseUtility", original: str) -> str:
    """Say how close a release is, and its worst findings, or its distance if there are none."""
    verdict = closeness_of(release)
    says = f"is {_VERDICTS[verdict.closeness]} {original}"
    worst = "; ".join(finding.says for finding in verdict.findings[:_FINDINGS])
    if worst:
        return f"{says}: {worst}"
    distance = share(release.distance or 0.0)
    what = "two-way counts" if release.two_way is not None else "columns"
    return f"{says}: {distance} of the records would have to move in {what}"


def releases_table(found: "Comparison") -> "Table":
    """Make a table with a line for each release, after the original if its risk is known."""
    made = table(*_HEADS)
    if found.risk is not None:
        models = [model for release in found.releases for model in release.models[:1]]
        rest = ("0", _NONE, "0", "0", f"{models[0].original:.3f}" if models else _NONE)
        exposed = (number(found.risk.k), share(found.risk.highest))
        made.add_row(line(found.original), f"{found.records:,}", *exposed, *rest)
    for release in found.releases:
        made.add_row(*_release_row(release))
    return made


def _release_row(release: "ReleaseUtility") -> "tuple[RenderableType, ...]":
    """The cells of a release in the order of `_HEADS`, a dash for what is not known."""
    risk, worst = release.risk, release.worst
    told = (_NONE, _NONE) if risk is None else (number(risk.k), share(risk.highest))
    return (
        line(release.name),
        f"{release.records:,}",
        *told,
        gcp_text(release),
        _NONE if worst is None else line(f"{worst.name} {_share_words(worst.total_variation)}"),
        _share_words(release.total_variation),
        _share_words(release.pair_difference),
        f"{release.models[0].release:.3f}" if release.models else _NONE,
    )


def gcp_text(release: "ReleaseUtility") -> str:
    """The loss GCP of a release as a share; a dash if not known, `at most` if only a bound."""
    value = release.losses.get("gcp")
    return f"{'at most ' if value and release.losses_at_most else ''}{_share_words(value)}"


def _share_words(value: float | None) -> str:
    """A share for people; a dash if it is not known."""
    if value is None:
        return _NONE
    return "0" if abs(value) < 1e-9 else share(round(value, 4) or value)


def _release_details(release: "ReleaseUtility") -> "Iterator[RenderableType]":
    """Yield tables of the columns and pairs of a release, the farthest first, and of its losses."""
    yield line(f"{release.name}, column by column:")
    made = table("column", "off by", "moved on average", "missing", "shows nothing", "ncp")
    for column in farthest_columns(release):
        before, after = column.missing
        made.add_row(
            line(column.name),
            _share_words(column.total_variation),
            _share_words(column.earth_mover),
            f"{before:,} → {after:,}",
            f"{column.suppressed:,}",
            _share_words(column.ncp),
        )
    yield made
    if pairs := farthest_pairs(release):
        made = table("pair", "measure", "original", "release", "off by")
        for pair in pairs:
            figures = map(_figure_words, (pair.before, pair.after, pair.difference))
            made.add_row(line(" and ".join(pair.columns)), pair.measure, *figures)
        yield made
    if release.losses:
        most = "at most " * release.losses_at_most
        losses = ((loss_name(n), f"{most}{number(value)}") for n, value in release.losses.items())
        yield table("loss", "release", rows=losses)


def _figure_words(value: float | None) -> str:
    """A figure in four digits; a dash if it is not known."""
    return _NONE if value is None else f"{value:.4g}"


def _regression_parts(release: "ReleaseUtility", found: "Comparison") -> "Iterator[RenderableType]":
    """Yield a heading and the table of coefficients; nothing without a regression."""
    if release.regression is None:
        return
    terms = release.regression.coefficients
    yield line(f"{release.name}, {release.regression.task} regression {found.formula}:")
    made = table("term", "original", "standard error", "release", "off by", "intervals overlap")
    for one in terms:
        figures = (one.original, one.standard_error, one.release, one.difference)
        overlap = _NONE if one.overlap is None else f"{max(one.overlap, 0.0):.2f}"
        made.add_row(line(one.term), *map(_figure_words, figures), overlap)
    yield made


def notes_of(found: "Comparison") -> Iterator[str]:
    """Yield what the figures do not cover, all notes, and the columns that each release lacks."""
    yield LIMITS
    yield from found.notes
    for release in found.releases:
        for note in release.notes:
            yield f"{release.name}: {note}"
        if release.absent:
            some = join_words(release.absent[:_PAIRS])
            more = len(release.absent) - _PAIRS
            yield f"{release.name} lacks {some}{f' and {more:,} more' if more > 0 else ''}"


def farthest_pairs(release: "ReleaseUtility") -> "list[PairUtility]":
    """Sort pairs by the change of their association, most first; unknown changes are left out."""
    told = [pair for pair in release.pairs if pair.difference is not None]
    return sorted(told, key=lambda pair: -abs(pair.difference or 0.0))


def farthest_columns(release: "ReleaseUtility") -> "list[ColumnUtility]":
    """Sort columns by distance from the original, most first; unknown distances come last."""

    def distance(column: "ColumnUtility") -> float:
        return -1.0 if column.total_variation is None else column.total_variation

    return sorted(release.columns, key=distance, reverse=True)

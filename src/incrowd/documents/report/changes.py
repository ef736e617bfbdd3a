"""The sections of a report on what was done: columns, utility, alternatives."""

from collections.abc import Iterator

from incrowd.documents import interactive
from incrowd.documents.bar_names import bar_names
from incrowd.documents.page import (
    Block,
    Cell,
    Columns,
    FigureTable,
    Folded,
    Interactive,
    PictureBlock,
    Section,
)
from incrowd.documents.pictures import Bars, HeatMap, Plane, PlanePoint
from incrowd.documents.report.facts import AlternativeFacts, ColumnFact, ReportFacts
from incrowd.documents.report.wording import (
    before_after_series,
    count_or_few,
    figure_table,
    paragraphs,
    quiet_paragraphs,
    round_figures,
    share_or_few,
)
from incrowd.documents.words import loss_name, number, quantity
from incrowd.errors import sentence
from incrowd.utility.comparison import ColumnUtility, ReleaseUtility
from incrowd.withholding import FEW, public_count

_DRAWN = 40
"""Columns whose histograms are drawn at most, those farthest from the original."""
_LISTED = 12
_PAIRED = 14
"""Columns of the heat map of associations at most."""
CHARTS = "Install incrowd[charts] to get this picture with names that answer the pointer."


def columns_section(facts: ReportFacts, *, values: bool) -> Section:
    """Tell what was done to each column, with histograms; with `values` their bars name values."""
    utility = {} if facts.utility is None else {one.name: one for one in facts.utility.columns}
    farthest = sorted(utility.values(), key=lambda one: -(one.total_variation or 0.0))
    drawn = {one.name for one in farthest[:_DRAWN]}
    done = [one for one in facts.columns if one.role in {"quasi", "sensitive", "keep", "weight"}]
    gone = [one for one in facts.columns if one not in done]
    blocks: list[Block] = []
    for one in done:
        told = utility.get(one.name)
        inside = _column_blocks(one, told if one.name in drawn else None, values=values)
        blocks.append(Folded(f"{one.name}: {_change_words(one, told)}", inside))
    if gone:
        rows = [(one.name, one.role, _fate_words(one)) for one in gone]
        listing = figure_table(("column", "role", "what became of it"), rows)
        title = f"{quantity(len(gone), 'column')} not released as such"
        blocks.append(Folded(title, (listing,)) if len(gone) > _LISTED else listing)
    if len(done) > _LISTED:
        blocks = [Folded(f"All {len(done)} columns", tuple(blocks))]
    notes = [facts.absent.get("columns", "")]
    if len(utility) > _DRAWN:
        notes.append(f"Pictures are drawn of the {_DRAWN} columns that changed most.")
    return Section("columns", "What was done to each column", (*blocks, *quiet_paragraphs(*notes)))


def _change_words(one: ColumnFact, told: ColumnUtility | None) -> str:
    """Say in a few words what was done to a column; `told` compares it with the original."""
    if one.role != "quasi":
        return "unchanged" if one.role != "identifier" else _fate_words(one)
    parts = []
    if one.level is not None:
        top = "" if one.highest is None else f" of {number(one.highest)}"
        parts.append(f"level {number(one.level)}{top}")
    if one.labels is not None:
        parts.append(quantity(one.labels, "label"))
    if one.exact is not None:
        parts.append(f"{share_or_few(one.exact)} of the cells exact")
    if told is not None and told.ncp is not None:
        parts.append(f"a cell spans {share_or_few(told.ncp)} of the column on average")
    return ", ".join(parts) or "generalized"


def _fate_words(one: ColumnFact) -> str:
    """What became of a column that is not quasi-identifying, in a word or two."""
    if one.role == "identifier":
        return "left out" if one.action == "drop" else "replaced by a pseudonym"
    fates = {"unit": "left out: it tells people apart", "drop": "left out"}
    return fates.get(one.role, "unchanged")


def _column_blocks(
    one: ColumnFact, told: ColumnUtility | None, *, values: bool
) -> tuple[Block, ...]:
    """Sentences on a column; with `told`, the comparison with the original, a histogram, too."""
    blocks: list[Block] = list(paragraphs(*_column_sentences(one, told)))
    if told is not None and told.histogram.labels:
        names = bar_names(told.histogram.labels, told.kind, values=values)
        picture = Bars(
            f"{one.name}, before and after",
            _histogram_words(told, values=values),
            names,
            before_after_series(told.histogram.before, told.histogram.after),
            x=one.name,
            y="share of the records",
        )
        shares = (map(share_or_few, told.histogram.before), map(share_or_few, told.histogram.after))
        rows = zip(names, *shares, strict=True)
        blocks.append(PictureBlock(picture, figure_table((one.name, "original", "release"), rows)))
    return tuple(blocks)


def _histogram_words(told: ColumnUtility, *, values: bool) -> str:
    """Say how a histogram counts released cells, and how its values are named."""
    spread = "A released cell counts in equal parts for every value that it may stand for."
    if values or told.kind != "category":
        return spread
    return f"{spread} Values stand in the order of how common they are; --show-values names them."


def _column_sentences(one: ColumnFact, told: ColumnUtility | None) -> Iterator[str]:
    """Yield what the column shows in the release; with `told`, how far it is from the original."""
    if one.role != "quasi":
        yield "The column leaves as it is."
    elif one.level is not None:
        yield f"Every cell shows level {number(one.level)} of the hierarchy."
    else:
        yield "Each class shows its own span or set of values."
    if one.suppressed is None:
        yield f"{FEW.capitalize()} released cells show nothing."
    elif one.suppressed:
        yield f"{quantity(one.suppressed, 'released cell shows', 'released cells show')} nothing."
    if told is None:
        return
    if told.total_variation is not None:
        yield (
            f"{share_or_few(told.total_variation)} of the records would have to move to make the "
            "column look like the original's."
        )
    before, after = (public_count(count) for count in told.missing)
    if before != 0 or after != 0:
        yield f"Missing cells: {count_or_few(before)} before, {count_or_few(after)} after."
    if told.unreadable:
        yield (
            f"{count_or_few(public_count(told.unreadable))} cells stand for no value of the "
            "original: they count as if they could be any."
        )


def utility_section(facts: ReportFacts) -> Section:
    """Tell what the release keeps: columns, pairs of columns, queries, models."""
    found = facts.utility
    if found is None:
        why = facts.absent.get("utility", "The release was not compared with its original.")
        return Section("utility", "Utility", quiet_paragraphs(why))
    blocks: list[Block] = [*paragraphs(*_difference_sentences(found)), _folded_figures(found)]
    blocks += _association_blocks(found)
    if found.models:
        blocks.append(FigureTable.of(found.models, _MODELS, "Models trained on the release"))
    blocks += quiet_paragraphs(*found.notes)
    return Section("utility", "Utility", tuple(blocks))


_MODELS: Columns = {
    "predicts": "target",
    "model": "model",
    "score": "score",
    "from the original": lambda model: round(model.original, 4),
    "from the release": lambda model: round(model.release, 4),
    "by guessing": lambda model: round(model.baseline, 4),
}


def _difference_sentences(found: ReleaseUtility) -> Iterator[str]:
    """Yield how far columns, pairs of columns and queries are from the original."""
    if found.total_variation is not None:
        yield (
            f"Column by column the release is {share_or_few(found.total_variation)} away from the "
            "original on average (0 % is the same distribution)."
        )
    if found.worst is not None and found.worst.total_variation:
        yield (
            f"The column that changed most is {found.worst.name}: "
            f"{share_or_few(found.worst.total_variation)}."
        )
    if found.two_way is not None:
        yield f"Tables of two columns are {share_or_few(found.two_way)} away on average."
    if found.queries is not None:
        yield (
            "Counting queries over the release are off by "
            f"{share_or_few(found.queries.median_error)} (median of "
            f"{quantity(found.queries.queries, 'query', 'queries')})."
        )


def _folded_figures(found: ReleaseUtility) -> Block:
    """Make a folded table of losses and other figures."""
    rows: list[tuple[Cell, ...]] = [
        (f"loss: {loss_name(name)}", number(v)) for name, v in found.losses.items()
    ]
    if found.pair_difference is not None:
        rows.append(("mean change of associations", number(found.pair_difference)))
    if found.queries is not None:
        rows.append(("divergence of counts (KL, nats)", number(found.queries.kl)))
    return Folded("Losses and other figures", (figure_table(("figure", "value"), rows),))


def _association_blocks(found: ReleaseUtility) -> tuple[Block, ...]:
    """Map how associations of the first `_PAIRED` columns change; nothing if no change is known."""
    told = [pair for pair in found.pairs if pair.difference is not None]
    names = list(dict.fromkeys(name for pair in told for name in pair.columns))[:_PAIRED]
    if len(names) < 2:
        return ()
    change = {frozenset(pair.columns): pair.difference for pair in told}
    cells = tuple(tuple(change.get(frozenset((a, b))) for b in names) for a in names)
    picture = HeatMap(
        "How associations change",
        "Association of each pair of columns in the release less that in the original: 0 is "
        "unchanged, below 0 is weaker.",
        tuple(names),
        tuple(names),
        cells,
        least=-1.0,
        most=1.0,
    )
    head = ("columns", "measure", "original", "release")
    rows = [
        round_figures((" and ".join(p.columns), p.measure.replace("_", " "), p.before, p.after))
        for p in told
    ]
    return (PictureBlock(picture, figure_table(head, rows)),)


def alternatives_section(facts: ReportFacts) -> Section:
    """Tell what else was looked at, with the plane of risk and loss."""
    found = facts.alternatives
    if found is None:
        why = facts.absent.get("alternatives", "It is not known what else was looked at.")
        return Section("alternatives", "Alternatives", quiet_paragraphs(why))
    blocks: list[Block] = list(paragraphs(*_why_sentences(found)))
    plane = _alternatives_plane(facts, found)
    if len(plane.points) > 1:
        blocks += _plane_blocks(plane)
    if found.looked:
        head = ("levels", "smallest class at least", found.loss_name, "records left out", "taken")
        best = sorted(found.looked, key=lambda one: one.loss)[:_LISTED]
        rows = [
            (
                one.name,
                one.k,
                round(one.loss, 4),
                count_or_few(one.left_out),
                "yes" if one.taken else "",
            )
            for one in best
        ]
        blocks.append(Folded("The alternatives of least loss", (figure_table(head, rows),)))
    return Section("alternatives", "Alternatives that were looked at", tuple(blocks))


def _why_sentences(found: AlternativeFacts) -> Iterator[str]:
    """Yield why the search chose this release, whether it is optimal, and the bound of losses."""
    yield sentence(found.why)
    if found.optimal:
        yield "It is proved that no release of this kind loses less."
    else:
        yield "It is not proved that nothing loses less: another search, or more effort, may."
    if found.bound is not None:
        sure = "It is proved that no" if found.proved else "By an estimate from a sample, no"
        yield f"{sure} generalized release loses less than {number(found.bound)}."


def _alternatives_plane(facts: ReportFacts, found: AlternativeFacts) -> Plane:
    """Risk and loss of the original, of what was looked at and of this release, where known."""
    points: list[PlanePoint] = []
    if facts.exposure is not None and facts.exposure.of == "original":
        points.append(PlanePoint("the original", facts.exposure.risk.highest, 0.0, "original"))
    points += [
        PlanePoint(one.name, 1 / max(one.k, 1), one.loss, "alternative")
        for one in found.looked
        if not one.taken
    ]
    if facts.risk is not None and found.loss is not None:
        points.append(PlanePoint("this release", facts.risk.highest, found.loss, "release"))
    return Plane(
        "Risk and loss",
        "Every point is a table that was looked at: to the left is safer, below loses less.",
        tuple(points),
        x="highest chance to be found",
        y=f"information loss ({found.loss_name})",
    )


def _plane_blocks(plane: Plane) -> tuple[Block, ...]:
    """The plane as a picture or, with alternatives and `incrowd[charts]`, as a live chart."""
    rows = [
        (point.name, point.kind, share_or_few(point.x), round(point.y, 4)) for point in plane.points
    ]
    head = ("table", "what", "highest chance to be found", "loss")
    still = PictureBlock(plane, figure_table(head, rows[:60]))
    if not any(point.kind == "alternative" for point in plane.points):
        return (still,)
    if not interactive.is_available():
        return (still, *quiet_paragraphs(CHARTS))
    return (Interactive(interactive.plane_spec(plane), still),)

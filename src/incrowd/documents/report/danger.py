"""The sections of a report on risk: who is exposed, before and after, attacks."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from incrowd.documents.page import Block, Columns, FigureTable, Folded, PictureBlock, Section
from incrowd.documents.pictures import Bars, Curve, CurveLine, EstimateBars, HeatMap, Series
from incrowd.documents.report.facts import (
    AttackFact,
    AttackFacts,
    ContributionFact,
    DiversityFacts,
    ExposureFacts,
    ReportFacts,
    RiskCurve,
    RiskFacts,
    SizeFacts,
)
from incrowd.documents.report.wording import (
    before_after_series,
    count_or_few,
    figure_table,
    paragraphs,
    quiet_paragraphs,
    round_figures,
    share_or_few,
)
from incrowd.documents.words import number, quantity
from incrowd.errors import join_words
from incrowd.withholding import FEW

_MOST_BARS = 16
_OUTSIDERS = (
    "The policy protects people among those of the world, not among those of the table: a record "
    "may be alone in its class if enough people of the world fit it. The chances here are for "
    "somebody who knows that a person is in the table."
)
_MOST_ATTACKS = 14
"""Attacks drawn in one picture, unless more break a limit."""


def exposed_section(facts: ReportFacts) -> Section:
    """Tell who is exposed, by which columns and pairs."""
    found = facts.exposure
    blocks: list[Block] = []
    if found is not None:
        blocks += paragraphs(*_exposure_sentences(found))
        blocks += _exposed_pictures(found)
        blocks += quiet_paragraphs(*found.notes)
    blocks += quiet_paragraphs(facts.absent.get("exposed", ""))
    return Section("exposed", "Who is exposed, and why", tuple(blocks))


def _exposure_sentences(found: ExposureFacts) -> Iterator[str]:
    """Yield how many records are unique or exposed, and the worst pair and column."""
    risk, of = found.risk, found.of
    yield (
        f"{share_or_few(risk.unique_share)} of the records of the {of} are unique: anybody who "
        "knows these columns of a person finds their record."
    )
    yield (
        f"{share_or_few(risk.above)} are in classes so small that a guess is right more often than "
        f"one time in {number(1 / found.threshold)}."
    )
    if found.worst:
        one, other, share = found.worst[0]
        part = share_or_few(share)
        yield f"{one} and {other} together make {part} unique, more than any other pair."
    parts = [c for c in found.contributions if c.unique]
    if parts:
        most = max(parts, key=lambda one: one.unique or 0.0)
        yield (
            f"{most.column} does most to make records unique: its part is "
            f"{share_or_few(most.unique)} of the records."
        )


def _exposed_pictures(found: ExposureFacts) -> Iterator[Block]:
    """Draw what each column adds and, for several columns, unique records by pairs of them."""
    yield _contributions_picture(found)
    if len(found.pairs) > 1:
        rows = [
            (name, *(None if cell is None else round(cell, 4) for cell in line))
            for name, line in zip(found.pairs, found.unique, strict=True)
        ]
        picture = HeatMap(
            "Unique records by pairs of columns",
            f"Share of the records of the {found.of} that nobody else shares both columns with; "
            "each column alone on the diagonal.",
            found.pairs,
            found.pairs,
            found.unique,
            most=max(found.most, 0.01),
        )
        yield PictureBlock(picture, figure_table(("column", *found.pairs), rows))


def _contributions_picture(found: ExposureFacts) -> PictureBlock:
    """Draw the part of each column in unique records, or its exposure if that is not known."""
    shapley = any(one.unique is not None for one in found.contributions)
    every = sorted(found.contributions, key=lambda one: -((one.unique or one.alone) or 0.0))
    shown = every[:_MOST_BARS]
    names = tuple(one.column for one in shown)
    series: tuple[Series, ...]
    if shapley:
        series = (Series("part of the unique records", tuple(one.unique for one in shown)),)
        about = (
            "Each column's part of the share of unique records: what it adds, on average over all "
            "orders in which columns become known. The parts of all columns add up to that share."
        )
    else:
        series = tuple(_contribution_series(shown))
        about = "Records above the threshold by a column alone, and by all columns but this one."
    head = ("column", "exposed by it alone", "exposed without it", "part of unique records")
    rows = [(one.column, one.alone, one.without, one.unique) for one in every]
    picture = Bars("What each column does", about, names, series, y="share of the records")
    return PictureBlock(picture, figure_table(head, [round_figures(row) for row in rows]))


def _contribution_series(shown: Sequence[ContributionFact]) -> Iterator[Series]:
    """Yield exposure by a column alone, and by all others if that was counted."""
    yield Series("by this column alone", tuple(one.alone for one in shown))
    if any(one.without is not None for one in shown):
        yield Series("by all others", tuple(one.without for one in shown))


def before_section(facts: ReportFacts) -> Section:
    """Tell classes before and after: their sizes, the risk of records, l and t."""
    blocks: list[Block] = []
    if facts.risk is not None:
        exposed = facts.exposure
        before = exposed.risk if exposed is not None and exposed.of == "original" else None
        blocks += paragraphs(*_risk_sentences(before, facts.risk))
        blocks.append(_risk_table(before, facts.risk))
        if facts.data.world is not None:
            blocks += paragraphs(_OUTSIDERS)
    if facts.sizes is not None:
        blocks.append(_size_picture(facts.sizes))
        if facts.curve is not None:
            blocks.append(_risk_picture(facts.curve, facts.sizes))
    blocks += _diversity_blocks(facts.diversity)
    blocks += quiet_paragraphs(facts.absent.get("before", ""))
    return Section("before", "Before and after", tuple(blocks))


def _risk_sentences(before: RiskFacts | None, after: RiskFacts) -> Iterator[str]:
    """Yield the smallest class and the chances to be found, before if known, and after."""
    if before is not None:
        yield (
            f"The smallest class goes from {number(before.k)} to {number(after.k)}, the highest "
            f"chance to be found from {share_or_few(before.highest)} to "
            f"{share_or_few(after.highest)}, the average from "
            f"{share_or_few(before.average)} to {share_or_few(after.average)}."
        )
    else:
        yield (
            f"The smallest class has {number(after.k)}; the highest chance to be found is "
            f"{share_or_few(after.highest)}, the average {share_or_few(after.average)}."
        )
    yield "A class is all records that show the same in the columns that people are found by."


def _risk_table(before: RiskFacts | None, after: RiskFacts) -> Block:
    """Make a table of the risk of the release, beside that of the original if it is known."""
    tables = (after,) if before is None else (before, after)
    head = ("", "release") if before is None else ("", "original", "release")
    return figure_table(head, [(title, *map(figure, tables)) for title, figure in _RISK.items()])


_RISK: Mapping[str, Callable[[RiskFacts], str]] = {
    "records": lambda risk: number(risk.records),
    "classes": lambda risk: number(risk.classes),
    "smallest class (k)": lambda risk: number(risk.k),
    "average class": lambda risk: number(round(risk.average_class, 1)),
    "unique records": lambda risk: count_or_few(risk.unique),
    "highest chance to be found": lambda risk: share_or_few(risk.highest),
    "average chance to be found": lambda risk: share_or_few(risk.average),
    "records in classes of 4 or fewer": lambda risk: share_or_few(risk.above),
}


def _size_picture(sizes: SizeFacts) -> PictureBlock:
    """Draw records by the size of their class, with the smallest size that the policy allows."""
    picture = Bars(
        "Records by the size of their class",
        _size_sentence(sizes),
        sizes.labels,
        before_after_series(sizes.before, sizes.after),
        x="size of the class",
        y="share of the records",
        mark=sizes.mark if sizes.least > 1 else None,
        mark_name=f"k = {number(sizes.least)}" if sizes.least > 1 else "",
        mark_on="x",
    )
    return PictureBlock(picture, _bar_table(picture, "size of the class"))


def _size_sentence(sizes: SizeFacts) -> str:
    """Say what the bars of sizes show, and which smallest class the policy asks for."""
    said = "Share of the records in classes of so many."
    if sizes.least < 2:
        return f"{said} The policy sets no smallest class."
    limit = f"The policy asks for {number(sizes.least)} or more"
    return f"{said} {limit}: the release has nothing to the left of the line if it keeps it."


def _bar_table(picture: Bars, first: str) -> FigureTable:
    """The figures of bars as a table; `first` is the head of the labels."""
    head = (first, *(one.name for one in picture.series))
    rows = [
        (label, *(share_or_few(one.values[i]) for one in picture.series))
        for i, label in enumerate(picture.labels)
    ]
    return figure_table(head, rows)


def _risk_picture(curve: RiskCurve, sizes: SizeFacts) -> PictureBlock:
    """Draw the share of records above each risk as stairs, before and after."""
    lines = [("original", curve.before), ("release", curve.after)]
    series = tuple(
        CurveLine(name, ((0.0, 1.0), *points), step=True) for name, points in lines if points
    )
    limited = sizes.least > 1
    picture = Curve(
        "The risk of records",
        "Share of the records whose chance to be found is above so much. The chance is 1 in the "
        f"size of the class. Steps of {FEW} records are joined at the highest chance.",
        series,
        x="chance to be found",
        y="share of the records",
        mark=1 / sizes.least if limited else None,
        mark_name=f"1 in {number(sizes.least)}" if limited else "",
        mark_on="x",
    )
    rows = [
        (name, share_or_few(x), share_or_few(y)) for name, points in lines for x, y in points[:30]
    ]
    return PictureBlock(
        picture, figure_table(("table", "chance above", "share of the records"), rows)
    )


def _diversity_blocks(found: Sequence[DiversityFacts]) -> tuple[Block, ...]:
    """A table and pictures of what classes reach; nothing without sensitive columns."""
    if not found:
        return ()
    columns: Columns = {
        "column": "column",
        "measure": "measure",
        "asked": lambda one: "" if one.asked is None else number(one.asked),
        "weakest class before": lambda one: (
            "" if one.worst_before is None else number(one.worst_before)
        ),
        "weakest class after": lambda one: number(one.worst_after),
    }
    pictures = tuple(_diversity_picture(one) for one in found)
    said = paragraphs(
        "What a class tells about sensitive values: l is how many well-represented values it has "
        "at least, more is safer; t is how far its values are from those of the whole table, less "
        "is safer."
    )
    asked = [p for p, one in zip(pictures, found, strict=True) if one.asked is not None]
    rest = [p for p, one in zip(pictures, found, strict=True) if one.asked is None]
    shown: list[Block] = [*asked]
    if rest and not asked:
        shown = [*rest[:2]]
        rest = rest[2:]
    if rest:
        shown.append(Folded(f"{quantity(len(rest), 'more picture')} of classes", tuple(rest)))
    return (*said, FigureTable.of(found, columns), *shown)


def _diversity_picture(one: DiversityFacts) -> PictureBlock:
    """Draw records by the l or t that their class reaches, before and after."""
    asked = "" if one.asked is None else f" The policy asks for {number(one.asked)}."
    picture = Bars(
        f"{one.measure} of {one.column}",
        f"Share of the records by what their class reaches.{asked}",
        one.labels,
        before_after_series(one.before, one.after),
        x=one.measure,
        y="share of the records",
        mark=one.mark,
        mark_name="" if one.asked is None else f"asked: {number(one.asked)}",
        mark_on="x",
    )
    return PictureBlock(picture, _bar_table(picture, one.measure))


def attacks_section(facts: ReportFacts) -> Section:
    """Tell what attackers get right, with intervals."""
    found = facts.attacks
    if found is None or not found.attacks:
        why = facts.absent.get("attacks", "No attack was played.")
        return Section("attacks", "Attacks", quiet_paragraphs(why))
    shown = _attacks_to_draw(found.attacks)
    said = _broken_sentence(found)
    scenarios = dict.fromkeys(one.scenario for one in found.attacks)
    blocks: list[Block] = [
        *paragraphs(
            said,
            "Each attacker is played to the end against this release. The line shows the interval "
            "for more people like these; compare it with what a mere guess gets right.",
        ),
        _attack_picture(shown, len({name for one in found.attacks for name in one.knows})),
        *quiet_paragraphs(_undrawn_words(len(found.attacks) - len(shown))),
        Folded("Every attack in figures", (FigureTable.of(found.attacks, _ATTACK),)),
        Folded("What these attackers do", paragraphs(*scenarios)),
        *quiet_paragraphs(*found.notes),
    ]
    return Section("attacks", "Attacks", tuple(blocks))


def _broken_sentence(found: AttackFacts) -> str:
    """Say how many limits attacks break, and their goals, or that no attack breaks one."""
    if not found.broken:
        return "No attack breaks a limit."
    which = quantity(found.broken, "limit is", "limits are")
    goals = found.outcome.goals
    by = f" by {join_words(goals)}" if goals else ""
    return (
        f"{which} broken{by}: somebody is found, or their value learned, almost for sure. Run "
        "incrowd attack on the release to see how many, and what helps."
    )


def _attacks_to_draw(attacks: Sequence[AttackFact]) -> list[AttackFact]:
    """All attacks that break a limit, then those that gain most, up to `_MOST_ATTACKS` in all."""
    ranked = sorted(attacks, key=lambda one: (not one.breaks, -(one.gain or 0.0)))
    return ranked[: max(_MOST_ATTACKS, sum(one.breaks for one in attacks))]


def _undrawn_words(count: int) -> str:
    """Say how many attacks are not drawn; empty if all are."""
    if count <= 0:
        return ""
    many = quantity(count, "attack that breaks", "attacks that break")
    return f"{many} no limit and gain less are in the figures below only."


def _attack_picture(shown: Sequence[AttackFact], width: int) -> PictureBlock:
    """Draw how often each attacker is right; `width` counts the columns that any of them knows."""
    picture = EstimateBars(
        "How often attackers are right",
        "Share of the people, or rows, that an attacker is right about, with its 95 % interval; "
        "the mark is what a guess without the release gets right.",
        tuple(_goal_label(one, width) for one in shown),
        tuple(one.low for one in shown),
        tuple(one.success for one in shown),
        tuple(one.high if one.success is not None else None for one in shown),
        tuple(one.baseline for one in shown),
        x="share that is right",
        value_name="right, with 95 % interval",
        baseline_name="by guessing",
    )
    return PictureBlock(picture)


def _goal_label(one: AttackFact, width: int) -> str:
    """What an attacker is after, and the columns known if at most two, and fewer than `width` - 1.

    `width` counts the columns that any attacker knows.
    """
    what = f"{one.goal}{' (breaks a limit)' if one.breaks else ''}"
    many = len(one.knows)
    if many > 2 or many >= width - 1:
        return what
    return f"{what} by {join_words(one.knows)}"


def _success_words(attack: AttackFact) -> str:
    """How often an attack is right, in words; `at most` if only an upper bound is known."""
    if not attack.trials:
        return "nobody to ask"
    most = "at most " if attack.bound and attack.success else ""
    return f"{most}{share_or_few(attack.success, f'{FEW} people')}"


_ATTACK: Columns = {
    "attack": "goal",
    "knows": lambda attack: ", ".join(attack.knows),
    "right": _success_words,
    "95 % interval": lambda attack: (
        "" if attack.low is None else f"{share_or_few(attack.low)} to {share_or_few(attack.high)}"
    ),
    "a guess is right": lambda attack: share_or_few(attack.baseline),
    "gain": lambda attack: share_or_few(attack.gain, "") if attack.trials else "",
    "people": lambda attack: number(attack.trials),
    "breaks a limit": lambda attack: "yes" if attack.breaks else "",
}

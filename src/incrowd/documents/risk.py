"""The risk of a table as people read it: what it means, and what would lower it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from incrowd.documents.sampled import model_sentences, population_table, share_with_interval
from incrowd.documents.words import (
    BAD,
    GOOD,
    align_right,
    count_with_share,
    hint,
    line,
    list_columns,
    number,
    quantity,
    share,
    stack,
    table,
)
from incrowd.exposure.explained import findings as findings_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from incrowd.exposure.possible import Range
    from incrowd.exposure.risk import (
        Change,
        Explained,
        Finding,
        Individual,
        Journalist,
        Marketer,
        Reached,
        Risk,
    )
    from incrowd.exposure.special_uniques import SpecialUniques

_RARE = 20
_ESTIMATED = {"uniqueness": "uniqueness_interval", "individual": "individual_interval"}
"""Figures that are estimates, and the field of a change that holds their interval."""
_FOUND = {
    "above_threshold": (
        "{count} of {records} ({share}) can be found with a probability above {threshold} by "
        "somebody who knows that the person is in the table."
    ),
    "unique_share": (
        "{count} of {records} ({share}) belong to people who are unique: anyone who knows these "
        "columns about one of them, and that they are in the table, knows which record is theirs."
    ),
    "uniqueness": (
        "An estimated {share} of the records ({low} to {high}, 95 % interval) belong to people who "
        "are unique in the population: nobody else there has their values."
    ),
    "individual": (
        "Somebody who knows everybody in the population and picks one matching person for each "
        "record is right about an estimated {share} of the records ({low} to {high}, 95 % "
        "interval), {count} of {records}."
    ),
}


def risk_text(risk: Risk, quasi: Sequence[str], *, details: bool = False) -> RenderableType:
    """Say what somebody who knows the quasi-identifiers can find; all figures with `details`."""
    head = line(risk_headline(risk, quasi), BAD if risk.k < 2 and risk.records else GOOD)
    parts: list[RenderableType] = [head]
    if risk.records:
        parts.append(_exposure_table(risk))
    if details and risk.sensitive:
        parts.append(_sensitive_table(risk.sensitive))
    parts += [_readings_table(risk)] if details else []
    parts += _further_parts(risk, details=details)
    rest = "other readings of missing values, other attackers and all measures of l and t"
    return stack(*parts, *([] if details or not risk.records else [hint(rest)]))


def risk_headline(risk: Risk, quasi: Sequence[str]) -> str:
    """Say how many people are unique, or with how many others each shares the columns."""
    known, k = list_columns(quasi), f"k = {number(risk.k)}"
    if not risk.records:
        return "The table has no records: nobody can be found."
    if not risk.unique_records:
        others = quantity(risk.k - 1, "other person", "other people")
        return f"Nobody is unique ({k}): everybody shares {known} with at least {others}."
    one = risk.unique_records == 1
    if risk.records == risk.people:
        people = f"{quantity(risk.people, 'person', 'people')} {'is' if one else 'are'} unique"
    else:
        belong = "belongs to a person who is" if one else "belong to people who are"
        people = f"{quantity(risk.records, 'record')} {belong} unique"
    found = f"anyone who knows {known} finds {'this person' if one else 'them'}"
    return f"{number(risk.unique_records)} of {people} ({k}): {found}."


def _exposure_table(risk: Risk) -> Table:
    """Make a table of the figures to decide by: unique records, chances, classes, values."""
    made = table("", "")
    unique = count_with_share(risk.unique_records, risk.records, "records")
    made.add_row("unique", line(unique, BAD if risk.unique_records else GOOD))
    above = share(risk.prosecutor.above_threshold)
    made.add_row(f"found with a chance above {share(risk.threshold)}", f"{above} of the records")
    made.add_row("average chance to be found", share(risk.prosecutor.average))
    people = "" if risk.records == risk.people else f" of {number(risk.people)}"
    classes = f"{number(risk.classes)}, the smallest with {quantity(risk.k, 'person', 'people')}"
    made.add_row("classes", f"{classes}{people}")
    if risk.population is not None:
        made.add_row("people of the population in the lightest class", number(risk.population))
    for name, reached in risk.sensitive.items():
        made.add_row(line(f"values of {name} in the weakest class"), _distinct_words(reached))
    return made


def _distinct_words(reached: Reached) -> str:
    """The distinct and the frequency l that the weakest class reaches."""
    kinds = [kind for kind in ("distinct", "frequency") if kind in reached.l]
    return ", ".join(f"{kind} l = {number(reached.l[kind])}" for kind in kinds)


def _sensitive_table(sensitive: Mapping[str, Reached]) -> Table:
    """Make a table of every measure of l and t that the weakest class reaches."""
    made = table("sensitive column", "measure", "reached by the weakest class")
    for name, reached in sensitive.items():
        for kind, l in reached.l.items():
            made.add_row(line(name), f"{kind} l", number(l))
        for distance, t in reached.t.items():
            made.add_row(line(name), f"t ({distance} distance)", number(t))
    return made


def _readings_table(risk: Risk) -> Table:
    """Make a table of the classes under each reading of missing values."""
    made = table("missing values read as", "records", "classes", "k", "unique records")
    for reading, found in risk.missing.items():
        figures = (found.records, found.classes, found.k, found.unique_records)
        mark = " (asked)" if reading is risk.reading else ""
        made.add_row(reading.value + mark, *map(number, figures))
    return align_right(made, 1, 2, 3, 4)


def _further_parts(risk: Risk, *, details: bool) -> list[RenderableType]:
    """Show what else was counted: attackers, population, special uniques, columns, findings."""
    parts: list[RenderableType] = []
    if details and risk.journalist is not None and risk.marketer is not None:
        parts.append(_attackers_table(risk, risk.journalist, risk.marketer))
    if risk.uniqueness is not None:
        parts.append(population_table(risk.uniqueness, details=details))
    if risk.model is not None:
        parts.append(line(" ".join(model_sentences(risk, risk.model, details=details))))
    if risk.individual is not None and risk.individual.light:
        parts.append(line(_weights_note(risk.individual.light)))
    if risk.special_uniques is not None:
        parts += _special_tables(risk.special_uniques)
    if risk.explained is not None:
        parts += _column_tables(risk.explained)
    paragraphs = [finding["text"] for finding in finding_documents(risk)]
    return [*parts, line("\n\n".join(paragraphs))] if paragraphs else parts


def finding_documents(risk: Risk) -> Iterator[dict[str, Any]]:
    """Yield, as JSON has it, what each finding means and what lowers it."""
    for one in findings_of(risk):
        lower = [change for change in (one.coarsen, one.drop) if change is not None]
        yield {
            "figure": one.figure,
            "now": one.now,
            "interval": _interval_now(risk, one.figure),
            "text": f"{_finding_sentence(risk, one)} {_advice(one)}",
            "lower": [
                {
                    "column": change.column,
                    "change": change.change,
                    "to": getattr(change, one.figure),
                    "interval": _interval_of(change, one.figure),
                }
                for change in lower
            ],
        }
    if risk.special_uniques is not None and risk.special_uniques.records:
        yield _special_finding(risk.special_uniques)


def _interval_now(risk: Risk, figure: str) -> Range | None:
    """The interval of a figure of the table; None if it is no estimate."""
    if figure == "uniqueness" and risk.uniqueness is not None:
        return risk.uniqueness.interval
    if figure == "individual" and risk.individual is not None:
        return risk.individual.average_interval
    return None


def _interval_of(change: Change, figure: str) -> Range | None:
    """The interval of a figure after a change; None if it is no estimate."""
    found: Range | None = getattr(change, _ESTIMATED[figure]) if figure in _ESTIMATED else None
    return found


def _finding_sentence(risk: Risk, one: Finding) -> str:
    """Say what a figure means for the people of the table."""
    low, high = _interval_now(risk, one.figure) or (one.now, one.now)
    return _FOUND[one.figure].format(
        low=share(low),
        high=share(high),
        count=number(round(one.now * risk.records)),
        records=quantity(risk.records, "record"),
        share=share(one.now),
        threshold=share(risk.threshold),
    )


def _advice(one: Finding) -> str:
    """Say which column to coarsen and which to leave out to lower the figure most, if any does."""
    ways = []
    if one.coarsen is not None:
        values = quantity(one.coarsen.values, "value")
        to = _changed_figure(one.coarsen, one.figure)
        ways.append(f"showing {one.coarsen.column} one level coarser ({values} left), to {to}")
    if one.drop is not None:
        ways.append(f"leaving out {one.drop.column}, to {_changed_figure(one.drop, one.figure)}")
    what = "the estimate" if one.figure in _ESTIMATED else "it"
    if not ways:
        return f"Leaving out one column, or showing it one level coarser, does not lower {what}."
    return f"What lowers {what} most: {'; '.join(ways)}."


def _changed_figure(change: Change, figure: str) -> str:
    """The figure after a change, with its interval if it is an estimate."""
    return share_with_interval(getattr(change, figure), _interval_of(change, figure))


def _special_finding(special: SpecialUniques) -> dict[str, Any]:
    """What special uniques mean, and the column that lowers their number most, as JSON has it."""
    best = min(special.columns, key=lambda one: one.records_without)
    smallest = next(one for one in special.sizes if one.records)
    text = (
        f"{quantity(special.records, 'record')} can be told from all others by "
        f"{quantity(special.max_size, 'column')} or fewer, "
        f"{number(smallest.records)} of them by {number(smallest.size)}. Elliot and others found "
        "that people whom few columns tell apart are more likely to be unique in the population. "
        f"What lowers it most: leaving out {best.column}, to "
        f"{quantity(best.records_without, 'record')}."
    )
    lower = [{"column": best.column, "change": "drop", "to": best.records_without}]
    now = special.records
    return {"figure": "special_uniques", "now": now, "text": text, "lower": lower}


def _attackers_table(risk: Risk, journalist: Journalist, marketer: Marketer) -> Table:
    """Make a table of the risk by what an attacker knows: prosecutor, journalist, marketer."""
    made = table("attacker", "highest", "average", "above the threshold")
    sure = risk.prosecutor
    figures = (sure.max, sure.average, sure.above_threshold)
    made.add_row("knows that the person is in the table (prosecutor)", *map(share, figures))
    where = ", the table being the population" if journalist.source == "table" else ""
    made.add_row(f"does not know it (journalist){where}", *_three_figures(journalist))
    if risk.individual is not None:
        made.add_row("mean risk of each class", *_three_figures(risk.individual))
    average = share_with_interval(marketer.average, marketer.average_interval)
    made.add_row(f"links everybody (marketer){where}", "", average, "")
    return made


def _three_figures(found: Journalist | Individual) -> tuple[str, str, str]:
    """Highest and average risk, and the share above the threshold, with intervals."""
    return (
        share_with_interval(found.max, found.max_interval),
        share_with_interval(found.average, found.average_interval),
        share_with_interval(found.above_threshold, found.above_threshold_interval),
    )


def _weights_note(records: int) -> str:
    """Say that the weights of so many records are too small, and what was done."""
    return (
        f"The weights of {quantity(records, 'record')} stand for fewer people than the table "
        "holds; incrowd used 1 for each. Give weights that say how many people a record stands for."
    )


def _special_tables(found: SpecialUniques) -> list[RenderableType]:
    """Make tables of special uniques: their scores, their sizes, and each column."""
    of_sizes = (map(number, (one.size, one.sets, one.records)) for one in found.sizes)
    heads = ("columns of the set", "minimal sample uniques", "records, by their smallest")
    sizes = table(*heads, rows=of_sizes)
    columns = table("column", "in minimal sample uniques", "share of the scores", "without it")
    for column in found.columns:
        figures = (number(column.sets), share(column.share), number(column.records_without))
        columns.add_row(line(column.column), *figures)
    scores = table("special uniques", "")
    scores.add_row("records", number(found.records))
    scores.add_row("highest SUDA score", number(found.highest))
    scores.add_row("average SUDA score", number(found.average))
    if found.dis_highest is not None:
        scores.add_row("highest DIS-SUDA score", share(found.dis_highest))
        scores.add_row("share above the threshold", share(found.dis_above_threshold or 0.0))
    return [scores, sizes, columns]


def _column_tables(found: Explained) -> list[RenderableType]:
    """Make tables of what each column adds to the risk, and of the risk by columns known."""
    above, rare = "above the threshold", f"exposed by values of fewer than {_RARE} records"
    made = table("column", "values", f"{above} alone", "without it", "part of uniques", rare)
    for one in found.contributions:
        exposed = sum(band.exposed for band in one.bands if (band.at_most or _RARE) < _RARE)
        part = "" if one.unique is None else number(one.unique)
        figures = (share(one.alone), share(one.without), part, share(exposed))
        made.add_row(line(one.column), number(one.values), *figures)
    if not found.knowledge:
        return [made]
    known = table("columns known", "sets", "unique records, worst set", "mean", "worst set")
    for step in found.knowledge:
        shares = (share(step.unique_share), share(step.mean_unique_share))
        known.add_row(number(step.known), number(step.sets), *shares, line(" + ".join(step.worst)))
    return [made, known]

"""The risk of a table in more words: attackers, the population, single columns, and advice."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.documents.words import counted, number, printable
from incrowd.exposure.explained import findings

if TYPE_CHECKING:
    from incrowd.exposure.possible import Range
    from incrowd.exposure.risk import (
        Change,
        Explained,
        Finding,
        Individual,
        Journalist,
        Marketer,
        PopulationModel,
        Risk,
    )
    from incrowd.exposure.special_uniques import SpecialUniques
    from incrowd.exposure.uniqueness import Uniqueness

_RARE = 20
_COMPARED = {
    "pitman": "Pitman's or Ewens' formula",
    "zayatz": "Zayatz",
    "snb": "slide negative binomial",
}
_ESTIMATED = {"uniqueness": "uniqueness_interval", "individual": "individual_interval"}
"""Figures that are estimates, and the field of a change that holds their interval."""
_WIDE = 2.0
"""An upper end of more than so many times the estimate is said."""
_FOUND = {
    "above_threshold": (
        "{count} of {records} ({share}) can be found with a probability above {threshold} by "
        "somebody who knows that the person is in the table."
    ),
    "unique_share": (
        "{count} of {records} ({share}) belong to people who are alone with their values: whoever "
        "knows these columns about one of them, and that they are in the table, knows which record "
        "is theirs."
    ),
    "uniqueness": (
        "By estimate {share} of the records ({low} to {high} with 95 %) belong to people who are "
        "unique in the population: nobody else there has their values."
    ),
    "individual": (
        "Somebody who knows everybody in the population and takes one of those who match for the "
        "person behind each record is right about {share} of the records by estimate ({low} to "
        "{high} with 95 %), {count} of {records}."
    ),
}


def more(risk: "Risk") -> list[RenderableType]:
    """All that is known beyond the classes of the table, and what would lower the risk."""
    parts: list[RenderableType] = []
    if risk.journalist is not None and risk.marketer is not None:
        parts.append(_attackers(risk, risk.journalist, risk.marketer))
    if risk.model is not None and risk.journalist is not None and risk.marketer is not None:
        parts.append(_text(" ".join(_model(risk, risk.model))))
    if risk.uniqueness is not None:
        parts.append(_population(risk.uniqueness))
    if risk.individual is not None and risk.individual.light:
        parts.append(_text(_light(risk.individual.light)))
    if risk.special_uniques is not None:
        parts += _special(risk.special_uniques)
    if risk.explained is not None:
        parts += _columns(risk.explained)
    told = paragraphs(risk)
    return [*parts, _text("\n\n".join(told))] if told else parts


def document(risk: "Risk") -> dict[str, Any]:
    """`incrowd.risk/1`: the figures, and in `findings` what they mean."""
    return {**risk.as_dict(), "findings": list(_findings(risk))}


def paragraphs(risk: "Risk") -> list[str]:
    """One paragraph for each thing that is wrong: what it means, and what would lower it most."""
    return [finding["text"] for finding in _findings(risk)]


def _findings(risk: "Risk") -> Iterator[dict[str, Any]]:

    for one in findings(risk):
        lower = [change for change in (one.coarsen, one.drop) if change is not None]
        yield {
            "figure": one.figure,
            "now": one.now,
            "interval": _interval_now(risk, one.figure),
            "text": f"{_meaning(risk, one)} {_advice(one)}",
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


def _interval_now(risk: "Risk", figure: str) -> "Range | None":
    if figure == "uniqueness" and risk.uniqueness is not None:
        return risk.uniqueness.interval
    if figure == "individual" and risk.individual is not None:
        return risk.individual.average_interval
    return None


def _interval_of(change: "Change", figure: str) -> "Range | None":
    found: Range | None = getattr(change, _ESTIMATED[figure]) if figure in _ESTIMATED else None
    return found


def _meaning(risk: "Risk", one: "Finding") -> str:
    low, high = _interval_now(risk, one.figure) or (one.now, one.now)
    return _FOUND[one.figure].format(
        low=_rough(low),
        high=_rough(high),
        count=number(round(one.now * risk.records)),
        records=counted(risk.records, "record"),
        share=_rough(one.now) if one.figure in _ESTIMATED else _share(one.now),
        threshold=number(risk.threshold),
    )


def _advice(one: "Finding") -> str:
    """What lowers the figure most."""
    said = []
    if one.coarsen is not None:
        values = counted(one.coarsen.values, "value")
        to = _to(one.coarsen, one.figure)
        said.append(f"showing {one.coarsen.column} one level coarser ({values} left), to {to}")
    if one.drop is not None:
        said.append(f"leaving out {one.drop.column}, to {_to(one.drop, one.figure)}")
    what = "the estimate" if one.figure in _ESTIMATED else "it"
    if not said:
        return f"No single column that is left out or shown one level coarser lowers {what}."
    return f"What lowers {what} most: {'; '.join(said)}."


def _to(change: "Change", figure: str) -> str:
    return _with(getattr(change, figure), _interval_of(change, figure))


def _special_finding(special: "SpecialUniques") -> dict[str, Any]:
    best = min(special.columns, key=lambda one: one.records_without)
    smallest = next(one for one in special.sizes if one.records)
    text = (
        f"{counted(special.records, 'record')} can be told from all others by "
        f"{counted(special.max_size, 'column')} or fewer, "
        f"{number(smallest.records)} of them by {number(smallest.size)}. Elliot and others found "
        "people that few columns tell apart likelier to be unique in the population. What lowers "
        "it most: "
        f"leaving out {best.column}, to "
        f"{counted(best.records_without, 'record')}."
    )
    lower = [{"column": best.column, "change": "drop", "to": best.records_without}]
    now = special.records
    return {"figure": "special_uniques", "now": now, "text": text, "lower": lower}


def _attackers(risk: "Risk", journalist: "Journalist", marketer: "Marketer") -> Table:
    table = _table("attacker", "highest", "average", "above the threshold")
    sure = risk.prosecutor
    figures = (sure.max, sure.average, sure.above_threshold)
    table.add_row("knows that the person is in the table (prosecutor)", *map(_share, figures))
    where = ", the table being the population" if journalist.source == "table" else ""
    table.add_row(f"does not know it (journalist){where}", *_three(journalist))
    if risk.individual is not None:
        table.add_row("mean risk of each class", *_three(risk.individual))
    average = _with(marketer.average, marketer.average_interval)
    table.add_row(f"links everybody (marketer){where}", "", average, "")
    return table


def _three(found: "Journalist | Individual") -> tuple[str, str, str]:
    return (
        _with(found.max, found.max_interval),
        _with(found.average, found.average_interval),
        _with(found.above_threshold, found.above_threshold_interval),
    )


def _model(risk: "Risk", model: "PopulationModel") -> Iterator[str]:
    """Where the figures of the population come from, and how much they say."""
    people = number(round(model.population))
    if model.name == "counted":
        yield f"The table is the whole population of {people}: nothing is estimated."
        return
    told = ", by the sampling weights" if model.source == "weights" else ""
    yield (
        f"The table holds {_rough(model.fraction)} of a population of {people} people{told}. "
        "Figures of the population are estimates, in brackets the 95 % interval, by one model of "
        "how class sizes vary; they suppose that everybody of a class was as likely to be drawn."
    )
    if _is_wide(risk):
        yield (
            "An upper end is more than twice its estimate: so small a part of the population does "
            "not tell more closely. Plan with the upper ends."
        )
    yield from _at_most(risk)


def _is_wide(risk: "Risk") -> bool:
    found = []
    if risk.uniqueness is not None:
        found.append((risk.uniqueness.estimate, risk.uniqueness.interval))
    if risk.journalist is not None and risk.marketer is not None:
        named = risk.journalist
        found.append((risk.marketer.average, risk.marketer.average_interval))
        found.append((named.above_threshold, named.above_threshold_interval))
    return any(high > _WIDE * value for value, (_, high) in found)


def _at_most(risk: "Risk") -> Iterator[str]:
    """What holds for every population, whatever its class sizes."""
    above = None if risk.journalist is None else risk.journalist.above_threshold_possible
    average = None if risk.marketer is None else risk.marketer.average_possible
    if above is None or average is None:
        return
    unique = None if risk.uniqueness is None else risk.uniqueness.possible
    first = "" if unique is None else f"{_rough(unique[1])} of the records are unique in it, "
    yield (
        "Whatever the population, if the table is a random sample of it, with 95 % confidence: at "
        f"most {first}the marketer is right about {_rough(average[1])}, and {_rough(above[1])} are "
        "above the threshold."
    )


def _population(found: "Uniqueness") -> Table:
    table = _table("unique in the population", "estimate (95 % interval)")
    table.add_row("share of the records", _with(found.estimate, found.interval))
    table.add_row(f"people, of {number(found.population)}", _people(found))
    if found.correct_match is not None:
        match = _with(found.correct_match, found.correct_match_interval)
        table.add_row("a match of a unique record is right", match)
    if found.estimator != "counted":
        for name, title in _COMPARED.items():
            share = getattr(found, name)
            told = "no estimate" if share is None else _share(share)
            table.add_row(f"for comparison: {title}", told)
    return table


def _light(records: int) -> str:
    return (
        f"The weights of {counted(records, 'record')} stand for fewer people than the table shows; "
        "1 each was taken. Give weights that say how many people a record stands for."
    )


def _special(found: "SpecialUniques") -> list[RenderableType]:
    sizes = _table("columns of the set", "minimal sample uniques", "records, by their smallest")
    for size in found.sizes:
        sizes.add_row(number(size.size), number(size.sets), number(size.records))
    columns = _table("column", "in minimal sample uniques", "share of the scores", "without it")
    for column in found.columns:
        figures = (number(column.sets), _share(column.share), number(column.records_without))
        columns.add_row(_text(column.column), *figures)
    scores = _table("special uniques", "")
    scores.add_row("records", number(found.records))
    scores.add_row("highest SUDA score", number(found.highest))
    scores.add_row("average SUDA score", number(found.average))
    if found.dis_highest is not None:
        scores.add_row("highest DIS-SUDA score", _share(found.dis_highest))
        scores.add_row("share above the threshold", _share(found.dis_above_threshold or 0.0))
    return [scores, sizes, columns]


def _columns(found: "Explained") -> list[RenderableType]:
    above, rare = "above the threshold", f"exposed by values of fewer than {_RARE} records"
    table = _table("column", "values", f"{above} alone", "without it", "part of uniques", rare)
    for one in found.contributions:
        exposed = sum(band.exposed for band in one.bands if (band.at_most or _RARE) < _RARE)
        part = "" if one.unique is None else number(one.unique)
        figures = (_share(one.alone), _share(one.without), part, _share(exposed))
        table.add_row(_text(one.column), number(one.values), *figures)
    if not found.knowledge:
        return [table]
    known = _table("columns known", "sets", "unique records, worst set", "mean", "worst set")
    for step in found.knowledge:
        shares = (_share(step.unique_share), _share(step.mean_unique_share))
        known.add_row(number(step.known), number(step.sets), *shares, _text(" + ".join(step.worst)))
    return [table, known]


def _people(found: "Uniqueness") -> str:
    low, high = found.expected_interval
    if low == high:
        return number(round(found.expected))
    value, low, high = (float(f"{v:.3g}") for v in (found.expected, low, high))
    return f"{number(round(value))} ({number(round(low))} to {number(round(high))})"


def _with(value: float, interval: "Range | None") -> str:
    """A figure with its interval, unless that is one point."""
    if interval is None or interval[0] == interval[1]:
        return _share(value)
    return f"{_rough(value)} ({_rough(interval[0])} to {_rough(interval[1])})"


def _rough(value: float) -> str:
    """An estimated share to three significant places."""
    return _share(float(f"{value:.3g}") if value < 0.999 else value)


def _share(value: float) -> str:
    """A share for people: what is not quite all is not called all, nor what is not nothing."""
    if 0 < value < 0.0001:
        return "<0.0001"
    return ">0.9999" if 0.9999 < value < 1 else number(value)


def _text(text: str) -> Text:
    """Text that steers no terminal: column names may hold anything."""
    return Text(printable(text))


def _table(*heads: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in heads:
        table.add_column(head, header_style="bold", overflow="fold")
    return table

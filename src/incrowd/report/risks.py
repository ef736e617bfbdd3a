"""The risk of a table in more words: attackers, the population, single columns, and advice."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.report.words import counted, number, printable

if TYPE_CHECKING:
    from incrowd.risk.contributions import Explained
    from incrowd.risk.explained import Finding
    from incrowd.risk.individual import Individual
    from incrowd.risk.risk import Journalist, Marketer, Prosecutor, Risk
    from incrowd.risk.special_uniques import SpecialUniques
    from incrowd.risk.uniqueness import Uniqueness

_RARE = 20
_STAND_FOR = {
    "weights": "by the sampling weights",
    "population": "by the size of the population",
    "table": "the table being the population",
}
_ESTIMATORS = {
    "pitman": "Pitman's formula",
    "zayatz": "Zayatz' estimator",
    "snb": "the slide negative binomial",
    "counted": "counting",
}
_FOUND = {
    "above_threshold": (
        "{count} of {records} ({share}) can be found with a probability above {threshold} by "
        "somebody who knows that the person is in the table."
    ),
    "unique_share": (
        "{count} of {records} ({share}) belong to people who are alone with their values: whoever "
        "knows these columns about one of them knows which record is theirs."
    ),
    "uniqueness": (
        "By estimate a share of {share} of the records is unique in the population too: whoever "
        "finds a person with these values outside the table can be sure that it is the same one."
    ),
    "individual": (
        "Somebody who looks for the person behind every record in the population is expected to be "
        "right about {share} of them, {count} of {records}."
    ),
}


def more(risk: "Risk") -> list[RenderableType]:
    """All that is known beyond the classes of the table, and what would lower the risk."""
    parts: list[RenderableType] = []
    if risk.journalist is not None and risk.marketer is not None:
        parts.append(_attackers(risk, risk.journalist, risk.marketer))
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
    from incrowd.risk.explained import findings  # noqa: PLC0415  few ask for it

    for one in findings(risk):
        lower = [change for change in (one.coarsen, one.drop) if change is not None]
        yield {
            "figure": one.figure,
            "now": one.now,
            "text": f"{_meaning(risk, one)} {_advice(one)}",
            "lower": [
                {
                    "column": change.column,
                    "change": change.change,
                    "to": getattr(change, one.figure),
                }
                for change in lower
            ],
        }
    if risk.special_uniques is not None and risk.special_uniques.records:
        yield _special_finding(risk.special_uniques)


def _meaning(risk: "Risk", one: "Finding") -> str:
    return _FOUND[one.figure].format(
        count=number(round(one.now * risk.records)),
        records=counted(risk.records, "record"),
        share=_share(one.now),
        threshold=number(risk.threshold),
    )


def _advice(one: "Finding") -> str:
    """What lowers the figure most."""
    said = []
    if one.coarsen is not None:
        values = counted(one.coarsen.values, "value")
        to = _share(getattr(one.coarsen, one.figure))
        said.append(f"showing {one.coarsen.column} one level coarser ({values} left), to {to}")
    if one.drop is not None:
        said.append(f"leaving out {one.drop.column}, to {_share(getattr(one.drop, one.figure))}")
    if not said:
        return "No single column that is left out or shown one level coarser lowers it."
    return f"What lowers it most: {'; '.join(said)}."


def _special_finding(special: "SpecialUniques") -> dict[str, Any]:
    best = min(special.columns, key=lambda one: one.records_without)
    smallest = next(one for one in special.sizes if one.records)
    text = (
        f"{counted(special.records, 'record')} can be told from all others by "
        f"{counted(special.max_size, 'column')} or fewer, "
        f"{number(smallest.records)} of them by {number(smallest.size)}: such people are likelier "
        f"to be unique outside the table too. What lowers it most: leaving out {best.column}, to "
        f"{counted(best.records_without, 'record')}."
    )
    lower = [{"column": best.column, "change": "drop", "to": best.records_without}]
    now = special.records
    return {"figure": "special_uniques", "now": now, "text": text, "lower": lower}


def _attackers(risk: "Risk", journalist: "Journalist", marketer: "Marketer") -> Table:
    source = _STAND_FOR[journalist.source]
    table = _table("attacker", "highest", "average", "above the threshold")
    rows: dict[str, Prosecutor | Journalist | Individual] = {
        "knows that the person is in the table (prosecutor)": risk.prosecutor,
        f"does not know it (journalist), {source}": journalist,
    }
    if risk.individual is not None:
        rows["the same, given how the sample was drawn"] = risk.individual
    for name, found in rows.items():
        table.add_row(name, *map(_share, (found.max, found.average, found.above_threshold)))
    table.add_row(f"links everybody (marketer), {source}", "", _share(marketer.average), "")
    return table


def _population(found: "Uniqueness") -> Table:
    table = _table("unique in the population", "share")
    for name in ("pitman", "zayatz", "snb"):
        share = getattr(found, name)
        told = "no estimate" if share is None else _share(share)
        table.add_row(f"by {_ESTIMATORS[name]}", told)
    chosen = "no estimate" if found.estimate is None else _share(found.estimate)
    doubt = ", too high rather than too low" if _fell_back(found) else ""
    table.add_row(f"decision rule: by {_ESTIMATORS[found.estimator]}{doubt}", chosen)
    if found.expected is not None:
        table.add_row(f"people, of {number(found.population)}", number(round(found.expected)))
    if found.correct_match is not None:
        table.add_row("a match of a unique record is right", _share(found.correct_match))
    return table


def _fell_back(found: "Uniqueness") -> bool:
    """Whether a small sample had to do without Pitman's formula."""
    return found.estimator == "zayatz" and found.pitman is None and found.fraction <= 0.1


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

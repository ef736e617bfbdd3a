"""The risk in the population of a table as people read it, and the assumptions behind it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from incrowd.documents.words import number, share, share_rounded_up, table

if TYPE_CHECKING:
    from rich.table import Table

    from incrowd.exposure.possible import Range
    from incrowd.exposure.risk import PopulationModel, Risk
    from incrowd.exposure.uniqueness import Uniqueness

_COMPARED = {
    "pitman": "Pitman's or Ewens' formula",
    "zayatz": "Zayatz",
    "snb": "slide negative binomial",
}
_ASSUMED = {
    "random-sample": "everybody was equally likely to be drawn",
    "weights": "the weights are right, within a class everybody was equally likely to be drawn",
    "population": "the size of the population is right",
}
"""What the 95 % of the intervals depend on, by the names in `PopulationModel.assumes`."""
_SIZES = {
    "smooth-lower-ends": (
        "Upper ends hold whatever the class sizes of the population; lower ends, and the share "
        "above the threshold, only if these vary smoothly wherever those of the table do."
    ),
    "smooth-sizes": "They also suppose that class sizes of the population vary smoothly.",
}
_WIDE = 2.0
"""An upper end of more than this many times the estimate is pointed out."""


def model_sentences(risk: "Risk", model: "PopulationModel", *, details: bool) -> Iterator[str]:
    """Yield what the figures of the population are estimated from, and how sure they are."""
    people = number(round(model.population))
    if model.name == "counted":
        yield f"The table is the whole population of {people}: nothing is estimated."
        return
    weights = ", by the sampling weights" if model.source == "weights" else ""
    yield (
        f"The table holds {share(model.fraction)} of a population of {people} people{weights}: "
        "figures about the population are estimates, with a 95 % interval in brackets."
    )
    drawn = " and ".join(_ASSUMED[one] for one in model.assumes if one in _ASSUMED)
    yield f"The 95 % hold if {drawn}. {_SIZES[model.assumes[-1]]}"
    if risk.uniqueness is not None and risk.uniqueness.undecided:
        yield _ignorance_words(risk.uniqueness)
    elif _is_wide(risk):
        yield (
            "An upper end is more than twice its estimate: so small a part of the population says "
            "no more. Plan with the upper ends."
        )
    if details:
        yield from _bound_lines(risk)


def _ignorance_words(found: "Uniqueness") -> str:
    """Say between which shares of unique records the table cannot decide."""
    low, high = (share(end) for end in found.interval)
    return (
        f"The table cannot tell how many are unique in the population: populations with {low} and "
        f"with {high} of the records unique would both give such a table. Plan with the upper ends."
    )


def _is_wide(risk: "Risk") -> bool:
    """Whether the upper end of some interval is more than `_WIDE` times its estimate."""
    found = []
    if risk.uniqueness is not None:
        found.append((risk.uniqueness.estimate, risk.uniqueness.interval))
    if risk.journalist is not None and risk.marketer is not None:
        named = risk.journalist
        found.append((risk.marketer.average, risk.marketer.average_interval))
        found.append((named.above_threshold, named.above_threshold_interval))
    return any(high > _WIDE * value for value, (_, high) in found)


def _bound_lines(risk: "Risk") -> Iterator[str]:
    """Yield upper bounds (95 %) for populations of any class sizes; nothing if not counted."""
    above = None if risk.journalist is None else risk.journalist.above_threshold_possible
    average = None if risk.marketer is None else risk.marketer.average_possible
    if above is None or average is None:
        return
    unique = None if risk.uniqueness is None else risk.uniqueness.possible
    first = (
        "" if unique is None else f"{share_rounded_up(unique[1])} of the records are unique in it, "
    )
    yield (
        "Whatever the population, if the table is a random sample of it, with 95 % confidence: at "
        f"most {first}the marketer is right about {share_rounded_up(average[1])}, and "
        f"{share_rounded_up(above[1])} are above the threshold."
    )


def population_table(found: "Uniqueness", *, details: bool) -> "Table":
    """Make a table of who is unique in the population; `details` adds other estimators."""
    made = table("unique in the population", "estimate (95 % interval)")
    made.add_row("share of the records", share_with_interval(found.estimate, found.interval))
    made.add_row(f"people, of {number(found.population)}", _people_words(found))
    if found.correct_match is not None:
        match = share_with_interval(found.correct_match, found.correct_match_interval)
        made.add_row("a match of a unique record is right", match)
    if details and found.estimator != "counted":
        for name, title in _COMPARED.items():
            other = getattr(found, name)
            text = "no estimate" if other is None else share(other)
            made.add_row(f"for comparison: {title}", text)
    return made


def _people_words(found: "Uniqueness") -> str:
    """The people of the table expected to be unique in the population, with the interval."""
    low, high = found.expected_interval
    if low == high:
        return number(round(found.expected))
    value, low, high = (float(f"{v:.3g}") for v in (found.expected, low, high))
    return f"{number(round(value))} ({number(round(low))} to {number(round(high))})"


def share_with_interval(value: float, interval: "Range | None") -> str:
    """A share with its interval in brackets, unless there is none or it is one point."""
    if interval is None or interval[0] == interval[1]:
        return share(value)
    low, high = (share(end).removesuffix(" %") for end in interval)
    return f"{share(value)} ({low} to {high})"

"""Texts of leaves read as numbers or dates; plain ones all at once."""

import re

import numpy as np

from incrowd.arrays import Values
from incrowd.hierarchy.labels import number_text, parse_date, parse_number
from incrowd.table.column import Kind, as_float

_WHOLE = re.compile(r"(?:(?:0|-?[1-9][0-9]{0,17})\n)++")
"""Lines of whole numbers as labels write them, small enough for int64."""
_DAYS = re.compile(r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}\n)++")


def as_values(labels: list[str], kind: Kind, *, strict: bool) -> Values | None:
    """The labels as dates (`kind` DATE) or numbers; None if one is none, or there are no numbers.

    With `strict` a number must be written as a domain writes it: None if one is 0017.
    """
    if kind is Kind.DATE:
        return _parse_dates(labels)
    if _all_match(_WHOLE, labels):
        return np.array(list(map(int, labels)), dtype=np.int64)
    numbers = []
    for label in labels:
        number = parse_number(label)
        if number is None or (strict and number_text(number) != label):
            return None
        numbers.append(number)
    if all(isinstance(number, int) and abs(number) < 2**63 for number in numbers):
        return np.array(numbers, dtype=np.int64) if numbers else None
    return np.array([as_float(number) for number in numbers], dtype=np.float64)


def spell_numbers(leaves: list[str]) -> list[str]:
    """The leaves as labels write them: numbers in one spelling, all else as it is."""
    if _all_match(_WHOLE, leaves):
        return leaves
    pairs = zip(leaves, map(parse_number, leaves), strict=True)
    return [leaf if number is None else number_text(number) for leaf, number in pairs]


def _parse_dates(labels: list[str]) -> Values | None:
    """The labels as days, or as moments if one has a time of day; None if one is no date."""
    if _all_match(_DAYS, labels):
        try:
            return np.array(labels, dtype="datetime64[D]")
        except ValueError:
            return None
    found = list(map(parse_date, labels))
    if any(date is None for date in found):
        return None
    dates = np.array(found, dtype="datetime64[us]")
    days = dates.astype("datetime64[D]")
    return days if bool((dates == days).all()) else dates


def _all_match(lines: re.Pattern[str], labels: list[str]) -> bool:
    """Whether each label is one line of this pattern; false if there are no labels."""
    text = "\n".join([*labels, ""])
    return text.count("\n") == len(labels) and lines.fullmatch(text) is not None

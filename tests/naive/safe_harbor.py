"""Safe Harbor's rules once more and slowly: every number that a cell may stand for is listed."""

import csv
import re
from pathlib import Path

import incrowd.hierarchy

TABLE = Path(incrowd.hierarchy.__file__).parent / "zip3.csv"


def zip_shown(code, people=None):
    """What may be shown of a five-digit ZIP code."""
    with TABLE.open(encoding="utf-8", newline="") as source:
        counts = {row["prefix"]: int(row["people_2020"]) for row in csv.DictReader(source)}
    counts.update(people or {})
    living = sum(count for prefix, count in counts.items() if prefix == code[:3])
    return (code[:3] if living > 20_000 else "000") + "**"


def numbers(label, last=2200):
    """All whole numbers up to `last` that a label may stand for."""
    every = range(last + 1)
    if found := re.fullmatch(r"([\[(])(-inf|\d+), (inf|\d+)([\])])", label):
        left, low, high, right = found.groups()
        return {
            n
            for n in every
            if (low == "-inf" or n > int(low) or (left == "[" and n == int(low)))
            and (high == "inf" or n < int(high) or (right == "]" and n == int(high)))
        }
    if found := re.fullmatch(r"(\d+)-(\d+)", label):
        return {n for n in every if int(found[1]) <= n <= int(found[2])}
    if found := re.fullmatch(r"(\d+)\+", label):
        return {n for n in every if n >= int(found[1])}
    if found := re.fullmatch(r">(\d+)", label):
        return {n for n in every if n > int(found[1])}
    if found := re.fullmatch(r"<(\d+)", label):
        return {n for n in every if n < int(found[1])}
    return {int(label)}


def tells_old_age(label):
    """Ages over 89 are told, unless all of them or none are meant."""
    old = {age for age in numbers(label) if age > 89}
    return bool(old) and old != set(range(90, 2201))


def tells_old_birth(label, today):
    """The same for birth years."""
    old = {year for year in numbers(label) if today - year > 89}
    return bool(old) and old != set(range(today - 89))

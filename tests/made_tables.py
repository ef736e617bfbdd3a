"""Surveys, registers and business tables, drawn at random: what people draft policies for.

Each maker takes a generator of random numbers and gives one table. Sizes, shares and the columns
themselves vary with the draw; no table is a copy of a public one.
"""

from collections.abc import Callable

import numpy as np
import polars as pl

Draw = np.random.Generator
Maker = Callable[[Draw], pl.DataFrame]

_REGIONS = ("North", "East", "South", "West", "Centre", "Isles")


def household_survey(draw: Draw) -> pl.DataFrame:
    """People of households, with weights that follow from the size of the household."""
    sizes = draw.integers(1, 7, int(draw.integers(60, 300)))
    house = np.repeat(np.arange(len(sizes)), sizes)
    people, size = len(house), sizes[house]
    return pl.DataFrame(
        {
            "household_id": [f"H{number:05}" for number in house],
            "age": draw.integers(0, 95, people),
            "sex": draw.choice(["f", "m"], people),
            "region": draw.choice(_REGIONS, people),
            "marital_status": draw.choice(["single", "married", "widowed", "divorced"], people),
            "household_weight": 100 / size,
            "income": np.round(draw.lognormal(10, 0.6, people), -1),
            "health": draw.choice(["good", "fair", "poor"], people, p=[0.7, 0.2, 0.1]),
            "wave": np.full(people, 3),
        }
    )


def sampled_survey(draw: Draw) -> pl.DataFrame:
    """A stratified sample: weights are the inverse of the chance of being drawn."""
    people = int(draw.integers(150, 900))
    stratum = draw.integers(0, 12, people)
    chance = draw.uniform(0.01, 0.2, 12)
    return pl.DataFrame(
        {
            "stratum": stratum,
            "sampling_weight": np.round(1 / chance[stratum], 4),
            "interview_date": [f"2024-{m:02}-{d:02}" for m, d in _days(draw, people)],
            "interview_mode": draw.choice(["phone", "visit", "web"], people, p=[0.2, 0.5, 0.3]),
            "birth_year": draw.integers(1930, 2006, people),
            "gender": draw.choice(["female", "male", "other"], people, p=[0.5, 0.48, 0.02]),
            "education": draw.choice(["none", "school", "trade", "university"], people),
            "satisfaction": draw.integers(1, 11, people),
            "voted": draw.choice(["yes", "no"], people, p=[0.97, 0.03]),
        }
    )


def _days(draw: Draw, people: int) -> zip:
    return zip(draw.integers(1, 13, people), draw.integers(1, 29, people), strict=True)


def register(draw: Draw) -> pl.DataFrame:
    """A register: IDs, dates, postal codes, and what follows from them."""
    people = int(draw.integers(120, 800))
    born = draw.integers(1935, 2015, people)
    place = draw.integers(0, 40, people)
    return pl.DataFrame(
        {
            "person_id": np.arange(people) + 10_000,
            "first_name": draw.choice(["Anna", "Ben", "Carla", "David", "Eva", "Finn"], people),
            "birth_date": [
                f"{year}-{month:02}-{day:02}"
                for year, (month, day) in zip(born, _days(draw, people), strict=True)
            ],
            "age": 2025 - born,
            "zip": [f"{number + 10_000:05}" for number in place * 7],
            "city": [f"Town {number // 4}" for number in place],
            "county": [f"County {number // 10}" for number in place],
            "nationality": draw.choice(["AT", "DE", "IT", "TR"], people, p=[0.9, 0.05, 0.04, 0.01]),
            "diagnosis": draw.choice(
                ["E11", "I10", "J45", "F32"], people, p=[0.4, 0.4, 0.15, 0.05]
            ),
            "remarks": [None] * people,
            "country": ["Austria"] * people,
        }
    )


def business(draw: Draw) -> pl.DataFrame:
    """Firms with exact sums that add up, a skewed industry and flags that hardly vary."""
    firms = int(draw.integers(100, 700))
    wages = np.round(draw.lognormal(11, 1, firms), 2)
    material = np.round(draw.lognormal(11.5, 1.2, firms), 2)
    return pl.DataFrame(
        {
            "tax_number": [f"{number:09}" for number in draw.permutation(10**6)[:firms]],
            "industry": draw.choice(list("ABCDEFGH"), firms, p=[0.6, *[0.4 / 7] * 7]),
            "employees": np.ceil(draw.lognormal(2, 1.2, firms)).astype(int),
            "legal_form": draw.choice(["Ltd", "Inc", "partnership"], firms),
            "wages": wages,
            "material": material,
            "turnover": np.round((wages + material) * draw.uniform(1.05, 1.2, firms), 2),
            "costs": wages + material,
            "founded": draw.integers(1950, 2024, firms),
            "exporter": draw.choice(["no", "yes"], firms, p=[0.98, 0.02]),
            "currency": ["EUR"] * firms,
        }
    )


def health_panel(draw: Draw) -> pl.DataFrame:
    """Visits of patients: several records a person, measures that follow from each other."""
    visits = draw.integers(1, 5, int(draw.integers(60, 250)))
    who = np.repeat(np.arange(len(visits)), visits)
    height = draw.normal(170, 10, len(visits)).round()[who]
    kilos = (draw.normal(75, 14, len(who))).round(1)
    return pl.DataFrame(
        {
            "patient_id": [f"P{number:06}" for number in who],
            "sex": draw.choice(["F", "M"], len(visits))[who],
            "age": draw.integers(18, 95, len(visits))[who],
            "height": height,
            "weight": kilos,
            "bmi": (kilos / (height / 100) ** 2).round(1),
            "smoker": draw.choice(["never", "former", "current"], len(visits))[who],
            "hiv": draw.choice(["negative", "positive"], len(visits), p=[0.99, 0.01])[who],
            "visit_cost": draw.gamma(2, 300, len(who)).round(2),
            "survey_weight": draw.uniform(0.5, 9, len(visits)).round(3)[who],
        }
    )


def wide(draw: Draw) -> pl.DataFrame:
    """Many answers on a scale, few people."""
    people = int(draw.integers(80, 200))
    items = {f"q{number}": draw.integers(1, 6, people) for number in range(1, 26)}
    return pl.DataFrame(
        {"respondent": np.arange(people), "age": draw.integers(18, 80, people)} | items
    ).with_columns(weight=pl.Series(draw.uniform(0.2, 4, people)))


def tiny(draw: Draw) -> pl.DataFrame:
    """A table of a handful of people."""
    people = int(draw.integers(2, 30))
    return pl.DataFrame(
        {
            "name": [f"Name {number}" for number in range(people)],
            "age": draw.integers(20, 70, people),
            "department": draw.choice(["sales", "staff"], people),
            "salary": draw.integers(20, 90, people) * 1000,
            "year": np.full(people, 2024),
        }
    )


def codes(draw: Draw) -> pl.DataFrame:
    """Coded answers with marks of missing values, a near key and columns of nearly one value."""
    people = int(draw.integers(100, 600))
    return pl.DataFrame(
        {
            "serial": draw.permutation(people * 3)[:people],
            "sex": draw.choice([1, 2, 9], people, p=[0.49, 0.49, 0.02]),
            "agegroup": draw.choice([*range(1, 9), 99], people),
            "occupation": draw.integers(100, 180, people),
            "income_band": draw.choice([1, 2, 3, 4, -8], people, p=[0.3, 0.3, 0.2, 0.1, 0.1]),
            "disability": draw.choice([0, 1], people, p=[0.995, 0.005]),
            "panel": np.repeat(1, people),
            "empty": [""] * people,
            "design_weight": draw.choice([0.5, 1.0, 1.5, 2.0], people),
        }
    )


MAKERS: dict[str, Maker] = {
    maker.__name__: maker
    for maker in (
        household_survey,
        sampled_survey,
        register,
        business,
        health_panel,
        wide,
        tiny,
        codes,
    )
}
"""Every maker, by name."""

"""The worked examples of Lodha and Thomas, Section 2 and Figure 3."""

import csv
import math

import polars as pl
import pytest

import incrowd
from incrowd.identify.distinct_values import (
    CountSource,
    assess,
    by_domains,
    distinct_value_test,
    unique_share,
)
from incrowd.identify.measures import ratios
from quasi_tables import ABSENT, ADULT, FIGURE_3, adult

USA = 3 * 10**8
WORLD = 6 * 10**9
DOMAINS = {
    "age": 60,
    "workclass": 8,
    "education": 15,
    "marital-status": 7,
    "occupation": 14,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "hours-per-week": 20,
    "native-country": 40,
}
PRINTED = {
    1: (6.1e-5, 60, 7.4e-8, 5e6),
    2: (0.03, 1200, 1.48e-6, 2.5e5),
    3: (0.002, 600, 7.4e-7, 5e5),
    4: (0.16, 1e5, 1.2e-4, 3e3),
    5: (0.095, 2.7e5, 3.3e-4, 1.1e3),
    6: (0.23, 6.7e5, 8.3e-4, 450),
    7: (0.043, 6.7e4, 8.3e-5, 4.5e3),
    8: (0.235, 4e6, 4.9e-3, 75),
    9: (0.16, 2.8e5, 3.4e-4, 1e3),
    10: (0.40, 8e5, 9.9e-4, 380),
    11: (0.32, 5.4e6, 6.7e-3, 55),
    12: (0.76, 33e9, 0.99, 1),
}
"""F1, D, F2 and k-Anon as Figure 3 prints them."""
_ALL = tuple(DOMAINS)
SETS = {
    1: ("age",),
    2: ("age", "hours-per-week"),
    3: ("age", "race", "sex"),
    4: ("age", "workclass", "education", "occupation"),
    5: ("age", "workclass", "occupation", "native-country"),
    6: ("age", "occupation", "hours-per-week", "native-country"),
    7: ("workclass", "education", "occupation", "native-country"),
    8: ("age", "workclass", "education", "occupation", "native-country"),
    9: ("age", "workclass", "marital-status", "occupation", "relationship"),
    10: ("age", "workclass", "occupation", "relationship", "hours-per-week"),
    11: ("age", "workclass", "occupation", "hours-per-week", "native-country"),
    12: _ALL,
}
"""The columns of each row, as the printed numbers of unique records tell them."""


def test_example_2():
    assert by_domains([2, 2 * 10**4, 10**5]) == 4 * 10**9
    assert by_domains([200, 2 * 10**4, 100]) == 4 * 10**8


def test_example_3():
    found = distinct_value_test(4 * 10**9, USA, alpha=0.87)

    assert found.share == pytest.approx(math.exp(-0.075))
    assert found.share == pytest.approx(0.93, abs=0.005)
    assert found.verdict == "possibly an 0.87-quasi-identifier"


def test_example_4():
    found = distinct_value_test(4 * 10**8, WORLD, alpha=0.05)

    assert found.share == pytest.approx(0.025, abs=0.0005)
    assert found.verdict == "almost certainly not an 0.05-quasi-identifier"


@pytest.mark.skipif(not ADULT.exists() or not FIGURE_3.exists(), reason=ABSENT)
def test_figure_3():
    with FIGURE_3.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    for row in rows:
        names = row["columns"].split("|")
        columns = adult().places(names)
        singletons, distinct = int(row["singletons"]), int(row["distinct"])
        found = ratios(adult(), columns)
        test = assess(adult(), columns, USA, alpha=0.2, domains=DOMAINS)

        assert test.source is CountSource.DECLARED
        assert test.possible == (row["row"] == "12")
        assert (found.unique, found.classes) == (singletons, distinct)
        assert test.distinct == int(row["domain_product"])
        printed = PRINTED[int(row["row"])]
        figures = (found.unique_ratio, test.distinct, test.share, test.crowd)
        for figure, given in zip(figures, printed, strict=True):
            assert figure == pytest.approx(given, rel=0.08)


@pytest.mark.skipif(not ADULT.exists() or not FIGURE_3.exists(), reason=ABSENT)
def test_figure_3_in_one_call():
    """All twelve rows with their table, whose column of ages holds 73 of the 60 declared."""
    with FIGURE_3.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    frame = pl.DataFrame(dict(zip(adult().names, adult().codes, strict=True)))
    found = incrowd.judge_sets(
        list(SETS.values()), frame, population=USA, alpha=0.2, domains=DOMAINS
    )

    assert [one.columns for one in found.possible] == [_ALL]
    assert found.records == 32_561
    for line, one in zip(rows, found.sets, strict=True):
        assert set(one.columns) == set(line["columns"].split("|"))
        assert (one.ratios.unique, one.ratios.classes) == (
            int(line["singletons"]),
            int(line["distinct"]),
        )
        assert one.test.distinct == int(line["domain_product"])
        alone = PRINTED[int(line["row"])][0]
        assert one.ratios.unique_ratio == pytest.approx(alone, rel=0.08)
    assert any("age has 73 different values, more than the 60 declared" in n for n in found.notes)


def test_figure_3_without_a_table():
    """D, F2 and k-Anon follow from the declared sizes alone."""
    found = incrowd.judge_sets(list(SETS.values()), population=USA, alpha=0.2, domains=DOMAINS)

    assert (found.population, found.alpha, found.records) == (USA, 0.2, None)
    assert [one.columns for one in found.possible] == [_ALL]
    for one, (_, values, alone, crowd) in zip(found.sets, PRINTED.values(), strict=True):
        assert one.ratios is None
        assert one.test.source is CountSource.DECLARED
        assert one.test.distinct == pytest.approx(values, rel=0.08)
        assert one.test.share == pytest.approx(alone, rel=0.08)
        assert one.test.crowd == pytest.approx(crowd, rel=0.08)


def test_figure_3_takes_the_curve_of_figure_1():
    for _, domains, share, crowd in PRINTED.values():
        found = distinct_value_test(domains, USA)

        assert found.share == pytest.approx(share, rel=0.05)
        assert found.crowd == pytest.approx(crowd, rel=0.08)


def test_only_the_last_row_may_be_a_fifth_quasi_identifier():
    # Section 5.1: "only row 12 qualifies as a possible 0.2-quasi-identifier".
    possible = [row for row, (_, d, _, _) in PRINTED.items() if unique_share(d, USA) >= 0.2]

    assert possible == [12]
    assert distinct_value_test(PRINTED[12][1], USA, 0.2).possible

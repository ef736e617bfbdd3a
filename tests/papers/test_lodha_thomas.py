"""The worked examples of Lodha and Thomas, Section 2 and Figure 3."""

import csv
import math

import polars as pl
import pytest

import incrowd
from figure_3 import DOMAINS, PRINTED, SETS
from incrowd.identify.distinct_values import (
    CountSource,
    PopulationTest,
    distinct_value_test,
    unique_share,
    values_by_domains,
)
from incrowd.identify.measures import ratios
from quasi_tables import ABSENT, ADULT, FIGURE_3, adult

USA = 3 * 10**8
WORLD = 6 * 10**9


def test_example_2():
    assert values_by_domains([2, 2 * 10**4, 10**5]) == 4 * 10**9
    assert values_by_domains([200, 2 * 10**4, 100]) == 4 * 10**8


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
        test = PopulationTest(USA, 0.2, None, DOMAINS).test(adult(), columns)

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

    assert [one.columns for one in found.possible] == [tuple(DOMAINS)]
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
    assert [one.columns for one in found.possible] == [tuple(DOMAINS)]
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

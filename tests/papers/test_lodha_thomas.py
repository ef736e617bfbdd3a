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
@pytest.mark.parametrize("row", [1, 2, 3, 4, 8, 11])
def test_figure_3_is_what_discover_prints(row):
    with FIGURE_3.open(encoding="utf-8") as file:
        line = next(one for one in csv.DictReader(file) if one["row"] == str(row))
    names = line["columns"].split("|")
    rows = adult().select(names)
    frame = pl.DataFrame(dict(zip(names, rows.codes, strict=True)))
    found = incrowd.discover(
        frame,
        measure="unique",
        ratio=int(line["singletons"]) / 32_561,
        population=USA,
        alpha=0.2,
        domains={name: DOMAINS[name] for name in names},
    )
    place = [set(one.columns) for one in found.sets].index(set(names))
    test, (share, values, alone, crowd) = found.tests[place], PRINTED[row]

    assert found.sets[place].unique == pytest.approx(share, rel=0.08)
    assert test.distinct == int(line["domain_product"]) == pytest.approx(values, rel=0.08)
    assert (test.share, test.crowd) == (
        pytest.approx(alone, rel=0.08),
        pytest.approx(crowd, rel=0.08),
    )
    assert test.verdict == "almost certainly not an 0.2-quasi-identifier"
    assert any("age has 73 different values, more than the 60 declared" in n for n in found.notes)


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

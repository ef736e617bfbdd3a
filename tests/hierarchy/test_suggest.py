import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from incrowd.hierarchy import AnyHierarchy, Prefix, Suggested, suggest
from incrowd.hierarchy.hierarchy import texts
from incrowd.table.column import Domain, Kind


def numbers(values):
    return Domain(Kind.NUMBER, np.unique(np.array(values)))


def words(values):
    return Domain(Kind.TEXT, texts(sorted(values)))


DAYS = Domain(Kind.DATE, np.arange("1960-01-01", "1961-01-01", dtype="datetime64[D]"))
PLACES = ["CA", "MA", "AL", "DE", "GA", "IL", "IN"]


@pytest.mark.parametrize(
    ("domain", "column", "name"),
    [
        (numbers(range(17, 91)), "age", "intervals"),
        (numbers([0.5, 0.7, 1.5, 2.25]), "rate", "intervals"),
        (numbers([1, 2, 3]), "grade", "flat"),
        (numbers([7]), "x", "flat"),
        (numbers(range(10_001, 10_050)), "zip", "prefix"),
        (DAYS, "birth", "dates"),
        (words(f"{i:05d}" for i in range(2000, 2050)), "x", "prefix"),
        (words([f"E1{i}.{j}" for i in range(9) for j in range(9)]), "x", "codes"),
        (words(["Kenya", "France", "Peru", "Japan"]), "x", "regions"),
        (words(PLACES), "country", "regions"),
        (words(PLACES), "state", "codes"),
        (words(["red", "green", "blue"]), "colour", "flat"),
        (words([f"word {'x' * i}" for i in range(40)]), "note", "flat"),
        (words([f"A{i}-{i % 7}" for i in range(40)]), "code", "prefix"),
        (words([]), "empty", "flat"),
        (words([f"{i},5" for i in range(40)]), "height", "flat"),
        (words([f"12/{i:02d}/1970" for i in range(1, 30)]), "dob", "flat"),
    ],
)
def test_what_is_suggested(domain, column, name):
    found = suggest(domain, column)
    assert found.spec.name == name
    assert found.reason
    assert "\n" not in found.reason
    hierarchy = Suggested().build(domain, column)
    assert len(hierarchy.leaves) == len(domain)


def test_whole_numbers_get_intervals_that_merge_something():
    assert suggest(numbers(range(1, 10)), "code").spec.width == 2


def test_skewed_numbers_get_quantiles():
    values = [*range(1000), 10**7]
    assert suggest(numbers(values), "gain").spec.quantiles == 16


def test_old_diagnoses_are_split_at_their_dot():
    spec = suggest(words([f"25{i}.{i}" for i in range(9)]), "x").spec
    assert spec == Prefix(separator=".")


def test_builders_are_told_apart_by_name():
    adapter = TypeAdapter(AnyHierarchy)
    assert adapter.validate_python({"name": "prefix"}) == Prefix()
    cuts = adapter.validate_python({"name": "intervals", "cuts": [[1, 2.5], [1]]})
    assert cuts.cuts == ((1, 2.5), (1,))
    with pytest.raises(ValidationError):
        adapter.validate_python({"name": "perfix"})


@pytest.mark.thorough
def test_a_million_texts():
    domain = words(f"{i:07d}" for i in range(10**6))
    assert Suggested().build(domain, "x").levels == 8


def test_numbers_behind_one_letter_are_no_list_of_diagnoses():
    sites = words([f"S{number:02}" for number in range(1, 25)])
    assert suggest(sites, "site").spec.name == "prefix"
    assert suggest(words(["E11", "I10", "I21", "J45", "S72"]), "site").spec.name == "codes"
    assert suggest(words([f"S{n}.0" for n in range(60, 70)]), "site").spec.name == "codes"

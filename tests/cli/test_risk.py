"""`incrowd risk` for samples, special uniques and explanations."""

import pytest

from patients import MARK, patients

FLAGS = ("-q", "age,zip,sex")
ALL = ("--population", "4000", "--special-uniques", "--explain")


def rare(n=40):
    """Patients of whom the first two are alone with their age."""
    ages = ["70", "71", *(str(20 + i % 5) for i in range(n - 2))]
    return patients(n, age=ages)


@pytest.mark.slow
def test_everything_in_one_document(incrowd, table):
    said = incrowd("risk", table(rare()), *FLAGS, *ALL, "--json")
    assert said.code == 0, said.err
    found = said.document
    assert found["schema"] == "incrowd.risk/1"
    assert found["journalist"]["source"] == "population"
    assert found["model"]["name"] == "poisson-mixture"
    assert found["uniqueness"]["population"] == 4000
    assert found["uniqueness"]["estimate"] <= found["marketer"]["average"]
    for part, figure in (
        ("journalist", "max"),
        ("journalist", "average"),
        ("journalist", "above_threshold"),
        ("marketer", "average"),
        ("individual", "max"),
        ("individual", "average"),
        ("individual", "expected"),
        ("uniqueness", "expected"),
        ("uniqueness", "correct_match"),
    ):
        low, high = found[part][f"{figure}_interval"]
        assert low <= found[part][figure] <= high, (part, figure)
    special = found["special_uniques"]
    assert (special["max_size"], special["sizes"][0]["records"]) == (3, 2)
    assert len(found["explained"]["contributions"]) == 3
    assert len(found["explained"]["knowledge"]) == 3
    finding = found["findings"][0]
    assert finding["figure"] == "above_threshold"
    assert finding["now"] == found["prosecutor"]["above_threshold"]
    assert finding["lower"]


def test_what_is_not_asked_for_is_null(incrowd, table):
    found = incrowd("risk", table(), *FLAGS, "--json").document
    for name in ("uniqueness", "individual", "special_uniques", "explained"):
        assert found[name] is None
    assert found["findings"] == []
    assert found["journalist"]["source"] == "table"


def test_a_fraction_is_a_population(incrowd, table):
    one = incrowd("risk", table(rare()), *FLAGS, "--population", "400", "--json").document
    other = incrowd("risk", "patients.csv", *FLAGS, "--fraction", "0.1", "--json").document
    assert one == other


def test_weights_are_the_population(incrowd, table):
    text = patients(weight=["10"] * 40)
    found = incrowd("risk", table(text), *FLAGS, "--weight", "weight", "--json").document
    assert found["journalist"]["source"] == "weights"
    assert found["individual"]["light"] == 0


def test_light_weights_are_said(incrowd, table):
    said = incrowd("risk", table(patients(weight=["0.5"] * 40)), *FLAGS, "--weight", "weight")
    assert "stand for fewer people" in said.out


@pytest.mark.slow
def test_people_are_told_in_words(incrowd, table):
    said = incrowd("risk", table(rare()), *FLAGS, *ALL, "--details")
    out = " ".join(said.out.split())
    assert "prosecutor" in out
    assert "journalist" in out
    assert "marketer" in out
    assert "Pitman" in out
    assert "What lowers it most" in out
    assert "minimal sample uniques" in out
    assert MARK not in said.out + said.err


@pytest.mark.slow
def test_a_wide_interval_is_said(incrowd, table):
    few = incrowd("risk", table(rare()), *FLAGS, "--population", "3e8").out
    assert "upper ends" in " ".join(few.split())
    everybody = incrowd("risk", "patients.csv", *FLAGS, "--population", "40").out
    assert "upper ends" not in everybody
    assert "nothing is estimated" in " ".join(everybody.split())


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--population", "10"), "but the table already has"),
        (("--population", "0"), "whole number of people"),
        (("--population", "usb"), "no population of that name"),
        (("--unit", "nope"), "it has 'age', "),
        (("--list-records", "-"), "needs a file"),
        (("--fraction", "0"), "above 0"),
        (("--fraction", "2"), "at most 1"),
        (("--population", "100", "--fraction", "0.5"), "both"),
        (("--special-uniques", "--max-size", "0"), "at least 1"),
        (("--threshold", "2"), "from 0 to 1"),
    ],
)
def test_wrong_requests_are_refused(refused, table, flags, says):
    said = refused(2, "risk", table(), *FLAGS, *flags)
    assert says in said.err


def test_missing_weights_are_refused(refused, table):
    weights = ["", *["2"] * 39]
    said = refused(3, "risk", table(patients(weight=weights)), *FLAGS, "--weight", "weight")
    assert "1 value that is missing" in said.err


def test_records_are_listed_by_number_alone_with_a_warning(incrowd, table, here):
    flags = ("--threshold", "0.6", "--list-records", "exposed.txt")
    said = incrowd("risk", table(rare()), *FLAGS, *flags, "--quiet")
    assert said.code == 0
    assert "WARNING" in said.err
    listed = (here / "exposed.txt").read_text().split()
    found = incrowd("risk", "patients.csv", *FLAGS, "--threshold", "0.6", "--json")
    assert "WARNING" not in found.err
    assert len(listed) == round(found.document["prosecutor"]["above_threshold"] * 40)
    assert listed[:2] == ["1", "2"]


@pytest.mark.slow
@pytest.mark.parametrize("people", ["340_000_000", "3.4e8", "usa"])
def test_a_population_is_a_number_or_a_name(incrowd, table, people):
    found = incrowd("risk", table(), *FLAGS, "--population", people, "--json").document
    assert found["uniqueness"]["population"] == 340_000_000


def test_a_list_does_not_overwrite_the_table(refused, table, here):
    name = table()
    before = (here / name).read_bytes()
    said = refused(2, "risk", name, *FLAGS, "--list-records", f"./{name}")
    assert "overwrite the table" in said.err
    assert (here / name).read_bytes() == before


def test_a_list_that_cannot_be_written_is_refused(refused, table):
    said = refused(3, "risk", table(), *FLAGS, "--list-records", "nowhere/exposed.txt")
    assert "cannot be written" in said.err


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_no_cell_is_told(incrowd, table, here, flags):
    towns = [f"{MARK}{i % 7}" for i in range(40)]
    listing = ("--list-records", "exposed.txt")
    text = patients(town=towns)
    said = incrowd("risk", table(text), "-q", "age,town,diagnosis", *ALL, *listing, *flags)
    assert said.code == 0, said.err
    assert MARK not in said.out + said.err
    assert all(line.isdigit() for line in (here / "exposed.txt").read_text().splitlines())

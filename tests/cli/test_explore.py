"""`incrowd anonymize --explore`: what a lattice search looked at, written beside the release."""

import importlib.util
import json
import sys

import pytest

from patients import QUICK, patients

KINDS = ("csv", "json", "svg", "png", "html")
LATTICE = ("--method", "lattice")


@pytest.fixture
def table(here):
    (here / "patients.csv").write_text(patients())
    return "patients.csv"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_written_as_its_name_says(incrowd, table, here, kind):
    if kind in {"svg", "png", "html"}:
        pytest.importorskip("altair")
    said = incrowd("anonymize", table, *QUICK, *LATTICE, "--explore", f"seen.{kind}", "--json")
    assert said.code == 0, said.err
    assert said.document["explored"] == f"seen.{kind}"
    content = (here / f"seen.{kind}").read_bytes()
    begins = {"csv": b"age,", "json": b"{", "svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE"}
    assert content.startswith(begins[kind])
    if kind == "json":
        assert json.loads(content)["schema"]


@pytest.mark.parametrize("method", ["mondrian", "datafly"])
def test_a_search_without_a_lattice_says_so(incrowd, table, here, method):
    said = incrowd("anonymize", table, *QUICK, "--method", method, "--explore", "seen.csv")
    assert said.code == 0, said.err
    assert "has no lattice" in said.err
    assert not (here / "seen.csv").exists()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("release.csv", 2),
        ("./release.csv", 2),
        ("release.csv.certificate.json", 2),
        ("patients.csv", 2),
        ("seen.txt", 2),
        ("seen", 2),
        ("nowhere/seen.csv", 3),
    ],
)
def test_a_place_where_it_cannot_be_is_refused_before_the_release(refused, table, name, code):
    refused(code, "anonymize", table, *QUICK, *LATTICE, "--explore", name)


def test_the_certificate_keeps_its_own_place(refused, table):
    flags = ("--certificate", "paper.json", "--explore", "paper.json")
    refused(2, "anonymize", table, *QUICK, *LATTICE, *flags)


@pytest.mark.parametrize("library", ["altair", "vl_convert"])
def test_pictures_that_cannot_be_drawn_are_refused_before_the_release(
    refused, table, monkeypatch, library
):
    monkeypatch.setitem(sys.modules, library, None)
    said = refused(3, "anonymize", table, *QUICK, *LATTICE, "--explore", "seen.svg")
    assert "incrowd[charts]" in said.err


@pytest.mark.slow
def test_minimal_generalizations_are_marked(incrowd, table, here):
    """Sweeney Definition 4; a search by loss does not know all of them."""
    marked = {}
    for method in ("mingen", "exhaustive", "lattice"):
        flags = ("--method", method, "--explore", "seen.json", "--json")
        assert incrowd("anonymize", table, *QUICK, *flags).code == 0
        nodes = json.loads((here / "seen.json").read_text())["explored"]
        levels = [tuple(list(node.values())[:3]) for node in nodes]
        marked[method] = {
            one for one, node in zip(levels, nodes, strict=True) if node.get("minimal")
        }
    assert marked["mingen"] == marked["exhaustive"] != set()
    assert marked["lattice"] == set()
    if importlib.util.find_spec("altair"):
        incrowd("anonymize", table, *QUICK, "--method", "mingen", "--explore", "seen.svg")
        assert "minimal generalizations" in (here / "seen.svg").read_text()

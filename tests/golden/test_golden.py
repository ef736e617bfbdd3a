"""Releases, certificates, documents and exit codes are what they were: see `golden.write`."""

import json
from difflib import unified_diff
from math import isclose

import pytest

from golden import tables
from golden.cases import CASES
from golden.outcome import PROSE, first_steps, outcome
from golden.write import GOLDEN

pytestmark = pytest.mark.slow
"""Every command is run, some with a search of seconds."""

KNOWN = json.loads(GOLDEN.read_text())


SHOWN = {
    "frontier": "frontier-policy: privacy l; docs/guide/most-privacy.md: a curve by options",
    "frontier-k": "docs/guide/choosing-k.md and most-privacy.md: privacy k",
    "quick-maximize": "policy-search-accuracy-ac-l, quick-maximize-k: the same search",
    "world-method": "world-quick: auto takes the same search",
    "world-k-map-delta": "world-k-map and world-delta: each model",
    "world-rows": "docs/models/delta-presence.md: a world without IDs",
    "method-accuracy-k": "method-accuracy-kl: more models by the same scans",
    "method-accuracy-gaps": "method-crowd-gaps: one of the scans",
    "policy-missing-own-value": "policy-missing-lattice-own-value, policy-plain-gaps",
    "policy-missing-suppress": "policy-missing-lattice-suppress",
    "format-csv-tsv": "format-tsv-tsv",
    "format-parquet-csv": "format-parquet-parquet",
    "format-csv-parquet": "format-parquet-parquet",
    **{
        f"method-{alike}-{table}": f"method-{search}-{table}: people and gaps are counted alike"
        for search, others in {
            "lattice": ("exhaustive", "mingen", "datafly", "mu-argus"),
            "diversify": ("hilbert", "idistance"),
            "mondrian": ("tree", "top-down"),
            "crowd": ("auto",),
        }.items()
        for alike in others
        for table in ("unit", "gaps")
    },
}
"""The cases that only `make thorough` runs, and the case or page that shows the same."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden") / "inputs"
    tables.make(folder)
    with first_steps(folder.parent / "kept"):
        yield folder


def _parameters():
    for case in CASES:
        marks = [pytest.mark.thorough] if case.name in SHOWN else []
        yield pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize("case", list(_parameters()))
def test_a_command_does_what_it_did(case, inputs):
    found = json.loads(json.dumps(outcome(case, inputs.parent / case.name, inputs)))
    known = _spoken(KNOWN[case.name])
    assert _agree(found, known), "\n" + _difference(known, found)


def test_every_golden_outcome_has_its_case():
    assert list(KNOWN) == [case.name for case in CASES]


def test_what_is_thorough_is_a_case_and_shown_by_one_that_is_not():
    names = {case.name for case in CASES}
    assert SHOWN.keys() <= names
    for words in SHOWN.values():
        shows = names & set(words.replace(":", " ").replace(",", " ").split())
        assert shows or "docs/" in words
        assert not shows & SHOWN.keys()


def _spoken(value):
    """With a remedy wherever there is a place for one: former versions left some empty."""
    if isinstance(value, dict):
        return {key: PROSE if key == "remedy" else _spoken(one) for key, one in value.items()}
    return [_spoken(one) for one in value] if isinstance(value, list) else value


def _agree(found, known):
    """Whether two outcomes are the same; processors differ in the last digits of logarithms."""
    if isinstance(found, dict) and isinstance(known, dict):
        return found.keys() == known.keys() and all(_agree(found[key], known[key]) for key in known)
    if isinstance(found, list) and isinstance(known, list):
        return len(found) == len(known) and all(map(_agree, found, known))
    if isinstance(found, float) and isinstance(known, float):
        return isclose(found, known, rel_tol=1e-8, abs_tol=0)
    return type(found) is type(known) and found == known


def test_what_agrees():
    known = {"a": [1.23456789, None, "x"], "b": 2}
    assert _agree({"a": [1.23456788, None, "x"], "b": 2}, known)
    for other in (1.234567, 1, "1.23456789", None):
        assert not _agree({"a": [other, None, "x"], "b": 2}, known)
    assert not _agree({"a": [1.23456789, None]}, known)
    assert not _agree({"a": [1.23456789, None, "x"], "b": 2.0}, known)


def _difference(before, after):
    """The lines that differ, with the keys that lead to them."""
    texts = [_lines(before), _lines(after)]
    return "\n".join(unified_diff(*texts, "golden", "now", lineterm="", n=0))


def _lines(value, path=""):
    if isinstance(value, dict) and value:
        return [line for key, one in value.items() for line in _lines(one, f"{path}.{key}")]
    if isinstance(value, list) and value:
        return [line for i, one in enumerate(value) for line in _lines(one, f"{path}[{i}]")]
    return [f"{path.removeprefix('.')} = {json.dumps(value, ensure_ascii=False)}"]

"""Every result shows itself in a notebook; the notebook of the documentation runs."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import incrowd
from browser import DESKTOP, PHONE, chromium, looked_at
from incrowd.datasets import hospital
from incrowd.documents import shown
from incrowd.documents.json import (
    check_document,
    dumps,
    frontier_document,
    groups_document,
    judged_document,
    plan_document,
    release_document,
    risk_document,
)
from incrowd.documents.verdict import BROKEN, KEPT, NOT_PASSED
from incrowd.exposure import Risk
from incrowd.showing import Shown

assert chromium  # a fixture, found by its name

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebooks" / "first-release.md"
QUASI = ["birth_date", "sex", "zip"]


@pytest.fixture(scope="module")
def results():
    """One result of every kind."""
    frame = hospital(120, seed=3)
    policy = incrowd.quick(frame.columns, quasi=QUASI, sensitive=["diagnosis"], k=3, l=1.5)
    release = incrowd.anonymize(frame, policy, seed=1)
    found = (
        release,
        incrowd.risk(frame, quasi=QUASI),
        incrowd.check(release.frame, policy, release.certificate),
        incrowd.attack(release.frame, original=frame, policy=policy, seed=1),
        incrowd.compare(frame, release.frame, policy=policy, models=False),
        incrowd.frontier(frame, policy, bounds=(0.3, 1.0)),
        incrowd.discover(frame, QUASI, ratio=0.5),
        incrowd.groups(frame, 3, QUASI),
        incrowd.judge_sets(QUASI, frame, population=1e6),
        incrowd.mask(frame.select(QUASI), ratio=0.5),
        incrowd.plan(frame, QUASI, population=1e6, k=5, beta=0.1),
        incrowd.quantiles(frame, columns=["cost", "stay"], k=10),
        incrowd.safe_harbor(frame),
        incrowd.draft(frame),
    )
    return {type(result).__name__: result for result in found}


KINDS = sorted(shown.VIEWS)


@pytest.mark.slow
def test_there_is_a_result_of_every_kind_and_each_is_offered(results):
    assert set(results) == set(KINDS)
    assert {kind.__name__ for kind in Shown.__subclasses__()} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_a_sentence_a_picture_and_a_table(results, kind):
    result = results[kind]
    text = result._repr_html_()
    assert text == result._repr_html_()
    assert len(text) < 60_000
    assert text.count("<svg") == 1
    assert "<table>" in text
    assert "<script" not in text
    assert re.search(r'<div class="ic-text ic-(good|bad|plain)-text"><p dir="auto">\S', text)


@pytest.mark.parametrize("kind", KINDS)
def test_a_plot_is_a_picture_that_can_be_saved(results, kind, tmp_path):
    plot = results[kind].plot()
    root = ET.fromstring(plot._repr_svg_())
    assert root.tag.endswith("svg")
    assert "no figures to show" not in plot._repr_svg_()
    plot.save(tmp_path / "figure.svg")
    plot.save(tmp_path / "figure.html")
    assert (tmp_path / "figure.svg").read_text("utf-8") == plot._repr_svg_()
    assert "Content-Security-Policy" in (tmp_path / "figure.html").read_text("utf-8")


def test_a_plot_is_saved_as_a_bitmap_and_refused_as_anything_else(results, tmp_path, monkeypatch):
    plot = results["Risk"].plot()
    pytest.importorskip("vl_convert")
    plot.save(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(incrowd.InputError, match=r"\.svg, \.html or \.png"):
        plot.save(tmp_path / "figure.pdf")
    monkeypatch.setattr(shown, "find_spec", lambda _: None)
    with pytest.raises(incrowd.InputError, match="not installed"):
        plot.save(tmp_path / "other.png")


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_is_a_json_document_and_a_frame(results, kind):
    result = results[kind]
    document = result.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert re.fullmatch(r"incrowd\.[a-z-]+/\d", document["schema"])
    frame = result.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.height > 0
    assert not [name for name in frame.columns if " " in name]


DOCUMENTS = {
    "Check": check_document,
    "Frontier": frontier_document,
    "Groups": groups_document,
    "JudgedSets": judged_document,
    "Plan": plan_document,
    "Release": lambda release: release_document(release, {}),
    "Risk": risk_document,
    "Attacked": lambda found: found.as_dict(),
    "Checklist": lambda found: found.as_dict(),
}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_the_document_is_the_one_of_the_command(results, kind):
    assert results[kind].to_dict() == json.loads(dumps(DOCUMENTS[kind](results[kind])))


def test_bars_of_class_sizes_count_everybody(results):
    risk = results["Risk"]
    bands = dict(risk.people_by_class_size)
    assert sum(bands.values()) == risk.people
    assert bands["1"] == risk.unique_records
    few = sum(size * classes for size, classes in risk.sizes if 5 <= size <= 9)
    assert bands[next(label for label in bands if label.startswith("5"))] == few
    (series,) = risk.plot().picture.series
    assert series.values == tuple(bands.values())


def test_a_released_class_is_as_large_as_promised(results):
    bands = dict(results["Release"].risk.people_by_class_size)
    assert bands["1"] == 0


def test_a_check_that_fails_says_whether_a_model_is_to_blame(results):
    check = results["Check"]
    unmet = tuple(replace(model, ok=False) for model in check.models)
    assert KEPT in check._repr_html_()
    assert NOT_PASSED in replace(check, ok=False)._repr_html_()
    assert BROKEN in replace(check, ok=False, models=unmet)._repr_html_()


def test_a_table_without_records_is_shown(results):
    assert isinstance(results["Risk"], Risk)
    empty = replace(results["Risk"], records=0, people=0, k=0, sizes=(), unique_records=0)
    assert "no records" in empty._repr_html_()


def test_long_lists_are_cut_in_a_notebook_and_whole_in_a_frame():
    frame = pl.DataFrame({f"c{n}": [(row >> n) & 1 for row in range(256)] for n in range(8)})
    found = incrowd.discover(frame, ratio=0.2)
    assert len(found.sets) == 28  # six of eight bits
    assert found.to_frame().height == len(found.sets)
    assert f"{len(found.sets) - 20:,} more rows are in to_frame()" in found._repr_html_()


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_browser_shows_all_of_them(chromium, results, tmp_path, size):
    path = tmp_path / "notebook.html"
    cells = "".join(f"<div>{result._repr_html_()}</div>" for result in results.values())
    path.write_text(f'<!DOCTYPE html><meta charset="utf-8"><body>{cells}</body>', "utf-8")
    with looked_at(chromium, path, size=size, scheme="dark") as look:
        assert look.errors == look.requests == []
        assert look.overflow == 0
        assert look.page.locator("svg").count() == len(results)


@pytest.mark.slow
def test_the_notebook_of_the_documentation_runs(tmp_path):
    pytest.importorskip("ipykernel")
    client = pytest.importorskip("nbclient")
    read = pytest.importorskip("myst_nb.core.read")
    notebook = read.read_myst_markdown_notebook(NOTEBOOK.read_text("utf-8"))
    executed = client.NotebookClient(
        notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown_cells = [
        output["data"]["text/html"]
        for cell in executed.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "text/html" in output.get("data", {})
    ]
    assert sum("<svg" in text for text in shown_cells) >= 6
    assert (tmp_path / "classes.svg").exists()
    texts = json.dumps([cell.get("outputs", []) for cell in executed.cells])
    people = hospital(1000, seed=1)
    for column in ("name", "ssn", "patient_id"):
        assert not [value for value in people[column].drop_nulls().to_list() if value in texts]


def test_notes_are_shown_as_they_are(results):
    """A note may begin with the name of a column or of a measure: `k`, not `K`."""
    release = results["Release"]
    told = [note for note in release.notes if note[0].islower()]
    assert told
    shown_text = release._repr_html_().replace("&#39;", "'")
    assert all(note in shown_text for note in told)

"""Pictures of what a search looked at."""

import itertools
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import incrowd.documents.charts as charts  # noqa: PLR0402  the module itself, to patch it
from incrowd.errors import InputError
from incrowd.search.lattice.frontier import Explored, NodeState

pytest.importorskip("altair", reason="the extra charts is not installed")


def explored(heights=(4, 3, 2), columns=("age", "zip.code", "k")):
    levels = np.array(list(itertools.product(*map(range, heights))), dtype=np.int32)
    steps = levels.sum(axis=1)
    state = np.where(steps < 2, NodeState.FAILING, NodeState.RELEASABLE).astype(np.int32)
    state[-1] = NodeState.COSTLY
    loss = np.where(state == NodeState.RELEASABLE, steps / 10, np.nan)
    suppressed = np.where(state == NodeState.COSTLY, -1, 7)
    best = int(np.nanargmin(loss))
    return Explored(columns, levels, steps + 1, suppressed, loss, state, best, 99)


def points(chart):
    whole = chart.to_dict()
    return whole["layer"][-1].get("data", whole.get("data"))["values"]


def test_every_node_stands_once_in_the_line_of_its_steps():
    seen = explored()
    drawn = points(charts.lattice_chart(seen, "gcp"))
    assert [point["y"] for point in drawn] == seen.levels.sum(axis=1).tolist()
    assert len({(point["x"], point["y"]) for point in drawn}) == len(seen)
    assert [point["optimum"] for point in drawn].index(True) == seen.best
    assert sum(point["optimum"] for point in drawn) == 1
    assert drawn[0]["loss"] is None
    assert drawn[-1]["suppressed"] is None


def test_lines_join_neighbours_only():
    seen = explored()
    lines = charts.lattice_chart(seen, "gcp").to_dict()["layer"][0]["data"]["values"]
    neighbours = sum(
        1
        for one, other in itertools.combinations(seen.levels.tolist(), 2)
        if sum(abs(a - b) for a, b in zip(one, other, strict=True)) == 1
    )
    assert len(lines) == neighbours
    assert all(line["y2"] - line["y"] == 1 for line in lines)


def test_a_large_lattice_shows_the_least_losses_and_the_optimum(monkeypatch):
    monkeypatch.setattr(charts, "_MOST_NODES", 5)
    seen = explored()
    chart = charts.lattice_chart(seen, "gcp")
    drawn = points(chart)
    assert len(drawn) == 5
    assert any(point["optimum"] for point in drawn)
    assert "5 of them drawn" in chart.to_dict()["title"]


@pytest.mark.parametrize(("left_out", "says"), [(0, "24 of 99"), (70, "94 of 99")])
def test_the_title_counts_nodes_that_are_not_on_record(left_out, says):
    seen = replace(explored(), left_out=left_out)
    title = charts.lattice_chart(seen, "gcp").to_dict()["title"]
    assert f"{says} nodes counted" in title
    assert ("24 of them drawn" in title) == bool(left_out)


@pytest.mark.slow
def test_a_lattice_of_one_node_can_be_drawn():
    nothing = np.zeros(1, dtype=np.int64)
    alone = Explored(
        ("a",),
        np.zeros((1, 1), dtype=np.int32),
        nothing + 9,
        nothing,
        np.array([0.5]),
        nothing,
        0,
        1,
    )
    chart = charts.lattice_chart(alone, "gcp")
    assert charts.render_chart(chart, "svg").startswith(b"<svg")


@pytest.mark.slow
def test_pictures_are_what_they_say_and_call_nobody():
    chart = charts.lattice_chart(explored(), "gcp")
    ET.fromstring(charts.render_chart(chart, "svg"))
    assert charts.render_chart(chart, "png").startswith(b"\x89PNG")
    page = charts.render_chart(chart, "html").decode()
    assert "<html" in page
    assert 'src="http' not in page


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(InputError, match=r"incrowd\[charts\]"):
        charts.lattice_chart(explored(), "gcp")

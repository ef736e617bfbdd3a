"""Trees made by hand: every change is a tree again, counts stay, small values stay unspoken."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import PolicyError
from incrowd.hierarchy import Tree
from incrowd.hierarchy.hierarchy import texts
from incrowd.policy.policy import Policy
from incrowd.table.column import Domain, Kind
from incrowd.web import edits, jobs, trees
from incrowd.web.jobs import TableFile
from incrowd.web.pages.tree_editor import grid_sentences
from incrowd.web.pages.tree_grid import rows_of
from incrowd.web.session import PageSession
from incrowd.web.trees import TreeRows
from incrowd.web.work import columns, offers
from incrowd.web.work import trees as work
from incrowd.web.work.state import WorkerState

MARK = "Zq7marker"
POLICY = """
version = 1
# why

[[models]]
name = "k-anonymity"
k = 5

[columns]
city = { role = "quasi", hierarchy = "flat" } # by hand
age = { role = "quasi" }
code = { role = "quasi" }
"""
VALUES = ("a", "b", "c", "d", "e", "f")
NAMES = ("north", "south", "other", "a", "x", " y ")


def tell(*_):
    """Nobody listens."""


def step(grid, draw):
    """One change as somebody could make it; what is refused changes nothing."""
    level = draw(st.integers(0, grid.top))
    labels = grid.labels(level)
    kind = draw(st.sampled_from(["put", "put", "rename", "add", "take", "reset"]))
    name = draw(st.sampled_from(NAMES))
    chosen = draw(st.sets(st.sampled_from(labels), min_size=1, max_size=3))
    try:
        match kind:
            case "put":
                return trees.put_under(grid, level, chosen, name)
            case "rename":
                return trees.rename(grid, level, min(chosen), name)
            case "add" if grid.top < 5:
                return trees.with_level(grid, level)
            case "take":
                return trees.without_level(grid, level)
            case _:
                return trees.without_groups(grid)
    except PolicyError:
        return grid


@st.composite
def grids(draw):
    grid = TreeRows(tuple((value, "*") for value in VALUES))
    for _ in range(draw(st.integers(0, 8))):
        grid = step(grid, draw)
    return grid


@settings(max_examples=150)
@given(grids(), st.data())
def test_every_change_is_a_tree_in_which_every_value_has_a_path(grid, data):
    changed = step(grid, data.draw)
    assert [row[0] for row in changed.rows] == list(VALUES)
    assert {len(row) for row in changed.rows} == {changed.top + 1}
    assert {row[-1] for row in changed.rows} == {"*"}
    text = edits.with_tree(POLICY, "city", changed)
    tree = Policy.loads(text).columns["city"].hierarchy
    assert tree == Tree(changed.rows, other=changed.other)
    built = tree.build(Domain(Kind.TEXT, texts([*VALUES, "few", "rare"])), "city")
    records = Counter({value: 10 * n for n, value in enumerate(VALUES, start=1)})
    for level in range(changed.top + 1):  # the same records, however they are grouped
        held = Counter()
        for row in changed.rows:
            held[row[level]] += records[row[0]]
        assert held.total() == records.total()
        assert set(held) <= set(built.labels[level].tolist())


@settings(max_examples=80)
@given(grids(), st.data())
def test_what_is_put_under_a_label_is_there_and_nothing_else_moved(grid, data):
    level = data.draw(st.integers(0, grid.top - 1))
    labels = [label for label in grid.labels(level) if level == 0 or label != grid.other]
    held = {row[level] for row in grid.rows}
    labels = [label for label in labels if label in held]
    if not labels:
        return
    chosen = data.draw(st.sets(st.sampled_from(labels), min_size=1))
    others = [row for row in grid.rows if row[level] not in chosen]
    if any(label in chosen for row in others for label in row[level + 1 :]):
        with pytest.raises(PolicyError, match="stand for two labels"):
            trees.put_under(grid, level, chosen, "a place of its own")
        return
    new = trees.put_under(grid, level, chosen, "a place of its own")
    same = trees.with_level(grid, level) if level + 1 == grid.top else grid
    for before, after in zip(same.rows, new.rows, strict=True):
        if before[level] in chosen:
            assert after[: level + 2] == (*before[: level + 1], "a place of its own")
        else:
            assert after == before


@given(grids(), st.data())
def test_changes_can_be_taken_back(grid, data):
    level = data.draw(st.integers(0, grid.top - 1))
    if level or grid.other not in VALUES:
        there = trees.with_level(grid, level)
        assert trees.without_level(there, level + 1) == grid
    session = PageSession()
    session.change(POLICY)
    text = edits.with_tree(POLICY, "city", grid)
    session.change(text)
    assert session.undo() == POLICY
    assert session.redo() == text
    assert "# why" in text
    assert "# by hand" in text


def test_labels_move_with_all_below_them():
    grid = TreeRows((("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")))
    up = trees.put_under(grid, 1, ["x"], "all x")
    assert up.rows == (
        ("a", "x", "all x", "*"),
        ("b", "x", "all x", "*"),
        ("c", "y", "y", "*"),
    )
    both = trees.put_under(up, 1, ["y"], "all x")
    assert [row[2] for row in both.rows] == ["all x"] * 3
    away = trees.put_under(both, 0, ["a"], "y")
    assert away.rows[0] == ("a", "y", "all x", "*")


def test_names_that_cannot_be_are_refused():
    grid = TreeRows((("a", "x", "*"), ("b", "y", "*")))
    for wrong in ("", "  ", "*", " * "):
        with pytest.raises(PolicyError):
            trees.put_under(grid, 0, ["a"], wrong)
        with pytest.raises(PolicyError):
            trees.rename(grid, 1, "x", wrong)
    for level, old in ((0, "a"), (2, "*"), (1, "z")):
        with pytest.raises(PolicyError, match="one label"):
            trees.rename(grid, level, old, "new")
    for chosen in ([], ["z"]):
        with pytest.raises(PolicyError, match="nothing is chosen"):
            trees.put_under(grid, 0, chosen, "x")
    with pytest.raises(PolicyError, match="nothing is chosen"):
        trees.put_under(grid, 1, ["other"], "x")


def test_the_label_of_what_has_no_row_can_be_renamed():
    grid = trees.put_under(
        TreeRows((("a", "x", "u", "*"), ("b", "y", "u", "*"))), 0, ["a"], "other"
    )
    assert grid.rows[0] == ("a", "other", "other", "*")
    new = trees.rename(grid, 1, "other", "elsewhere")
    assert (new.other, new.rows[0]) == ("elsewhere", ("a", "elsewhere", "elsewhere", "*"))


def test_no_value_is_in_the_words_of_a_grid():
    assert MARK not in repr(TreeRows(((MARK, "*"),)))


# The worker


@pytest.fixture
def table(tmp_path):
    """12 cities of 5 records and more, one of 3, and 300 codes of 6 records each."""
    cities = [f"City {c}" for n, c in enumerate("ABCDEFGHIJKL") for _ in range(100 + n)]
    cities += [MARK] * 3
    frame = pl.DataFrame({"city": cities}).with_row_index("n")
    frame = frame.with_columns(age=pl.col("n") % 70 + 18, code=pl.format("k{}", pl.col("n") % 220))
    frame.select("city", "age", "code").write_csv(tmp_path / "t.csv")
    return TableFile(str(tmp_path / "t.csv"), folder=str(tmp_path))


def shown(table, text, column="city"):
    return work.list_tree_rows(WorkerState(), jobs.ShowTree(table, text, column), tell)


def test_a_value_of_few_records_is_counted_and_never_spelled_out(table):
    found = shown(table, POLICY)
    assert found.few == 1
    assert len(found.values) == 12
    # the smallest other count is withheld, too: the one of the marker would follow from the sum
    assert [one.label for one in found.values if one.records is None] == ["City A"]
    assert MARK not in str((found.rows, found.values, found.nodes, grid_sentences(found)))
    grid = trees.put_under(TreeRows(found.rows, found.other), 0, ["City A", "City B"], "north")
    text = edits.with_tree(POLICY, "city", grid)
    assert MARK not in text
    again = shown(table, text)
    assert again.by_hand
    assert again.nodes[1]["north"] == 201
    assert (again.few, again.placed, again.other) == (1, 0, "other")
    assert MARK not in str((again.rows, again.values, again.nodes))


def test_counts_follow_each_change(table):
    found = shown(table, POLICY)
    grid, levels = TreeRows(found.rows, found.other), []
    for name in ("north", "south"):
        chosen = [f"City {c}" for c in ("AB" if name == "north" else "CDE")]
        grid = trees.put_under(grid, 0, chosen, name)
        text = edits.with_tree(POLICY, "city", grid)
        job = jobs.ShowHierarchy(table, text, "city")
        levels.append(
            [one.nodes for one in columns.describe_hierarchy(WorkerState(), job, tell).levels]
        )
    assert levels == [[13, 12, 1], [13, 10, 1]]  # "other" holds the value of few records


def test_a_value_that_the_users_own_policy_names_keeps_its_place(table):
    rows = [["City A", "north", "*"], [MARK, "north", "*"]]
    own = {"hierarchy": {"name": "tree", "rows": rows, "other": "rest"}}
    text = edits.with_column(POLICY, "city", own)
    found = shown(table, text)
    assert (found.few, found.placed, found.other) == (1, 1, "rest")
    assert (MARK, "north", "*") in found.rows
    assert MARK not in [one.label for one in found.values]
    assert MARK not in str(rows_of(found))
    assert ("City B", "rest", "*") in found.rows
    moved = trees.rename(TreeRows(found.rows, found.other), 1, "north", "far north")
    assert (MARK, "far north", "*") in moved.rows


def test_a_tree_that_lacks_values_can_be_mended(table):
    own = {"hierarchy": {"name": "tree", "rows": [["City A", "north", "*"]]}}
    found = shown(table, edits.with_column(POLICY, "city", own))
    assert len(found.rows) == 12
    assert ("City B", "other", "*") in found.rows


def test_many_values_are_shown_by_frequency_and_said_to_be(table, monkeypatch):
    found = shown(table, POLICY, "code")
    assert (len(found.values), found.more, found.rest) == (200, 20, 0)
    assert any("200 most frequent values; 20 more keep" in words for words in grid_sentences(found))
    monkeypatch.setattr(work, "LISTED", 210)
    fewer = shown(table, POLICY, "code")
    assert (len(fewer.rows), fewer.more, fewer.rest) == (210, 10, 10)
    assert any("10 more values have no row" in words for words in grid_sentences(fewer))


def test_numbers_can_be_grouped_by_hand(table):
    found = shown(table, POLICY, "age")
    assert not found.by_hand
    grid = trees.without_groups(TreeRows(found.rows, found.other))
    grid = trees.put_under(grid, 0, ["18", "87"], "youngest and oldest")
    again = shown(table, edits.with_tree(POLICY, "age", grid), "age")
    ages = pl.read_csv(table.source)["age"]
    both = ages.is_in([18, 87]).sum()
    assert again.nodes[1]["youngest and oldest"] == both


def test_cells_of_one_label_stand_side_by_side(table):
    found = shown(table, POLICY)
    grid = TreeRows(found.rows, found.other)
    for name, cities in {"north": "ADG", "south": "BEL"}.items():
        grid = trees.put_under(grid, 0, [f"City {c}" for c in cities], name)
    grid = trees.put_under(grid, 1, ["north", "south"], "all")
    lines = rows_of(shown(table, edits.with_tree(POLICY, "city", grid)))
    cells = [cell for line in lines for cell in line]
    assert len(lines) == 12
    for level in (1, 2):
        of_level = [cell for cell in cells if cell.level == level]
        assert sum(cell.rows for cell in of_level) == 12
        assert len({cell.label for cell in of_level}) == len(of_level)
    assert {(cell.label, cell.rows) for cell in cells} >= {("north", 3), ("south", 3), ("all", 6)}


def test_offers_begin_with_the_policys_own_and_say_what_they_leave(table):
    for column in ("city", "age", "code"):
        found = offers.offer_hierarchies(
            WorkerState(), jobs.OfferHierarchies(table, POLICY, column), tell
        )
        assert 2 <= len(found) <= 4
        assert found[0].spec == edits.hierarchy_of(POLICY, column)
        assert len({one.nodes for one in found}) == len(found)
        assert MARK not in str(found)
        for one in found:
            text = edits.with_column(POLICY, column, {"hierarchy": dict(one.spec)})
            job = jobs.ShowHierarchy(table, text, column)
            levels = columns.describe_hierarchy(WorkerState(), job, tell).levels
            assert tuple(level.nodes for level in levels) == one.nodes

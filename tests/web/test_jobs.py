"""What the worker answers: figures as counted by hand, nothing about few people, no cells."""

import csv
import io
from collections import Counter
from dataclasses import asdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from incrowd.errors import IncrowdError, InputError, LimitError, PolicyError
from incrowd.policy import codec
from incrowd.policy.draft import to_toml
from incrowd.policy.policy import Policy
from incrowd.search import Mondrian
from incrowd.verbs.draft import draft as drafted
from incrowd.web import facts, jobs
from incrowd.web.jobs import TableFile
from incrowd.web.work import columns, releases, tables, what_if
from incrowd.web.work.state import WorkerState, counting_key
from page_levels import at_levels

MARK = "Zq7marker"
TOML = """
version = 1
suppression = {suppression}
search = "{search}"

[[models]]
name = "k-anonymity"
k = {k}

[columns]
age = {{ role = "quasi", hierarchy = {{ name = "intervals", widths = [10, 30] }} }}
sex = {{ role = "quasi" }}
zip = {{ role = "quasi", hierarchy = {{ name = "prefix", steps = [4, 3] }} }}
illness = {{ role = "sensitive" }}
"""


def tell(what, share, value=None):
    assert isinstance(what, str)
    assert 0 <= share <= 1
    assert value is None or value.name


def people(n, seed=1):
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 80, n),
            "sex": draw.choice(["F", "M"], n),
            "zip": draw.choice(["02138", "02139", "02141", "02142", "10001"], n),
            "illness": draw.choice([f"{MARK}a", f"{MARK}b", f"{MARK}c"], n),
        }
    )


@pytest.fixture
def table(tmp_path):
    people(600).write_csv(tmp_path / "people.csv")
    return TableFile(str(tmp_path / "people.csv"), folder=str(tmp_path))


def policy(k=5, suppression=0.05, search="auto"):
    return TOML.format(k=k, suppression=suppression, search=search)


def by_hand(frame, k, levels):
    """Classes of a full-domain generalization, with plain dictionaries."""
    width = {0: 1, 1: 10, 2: 30}
    shown = []
    for age, sex, code, _ in frame.iter_rows():
        a = "*" if levels["age"] > 2 else age // width[levels["age"]]
        s = sex if levels["sex"] == 0 else "*"
        shown.append((a, s, code[: (5, 4, 3, 0)[levels["zip"]]]))
    sizes = Counter(shown)
    kept = [size for size in sizes.values() if size >= k]
    return {
        "classes": len(kept),
        "k": min(kept, default=0),
        "left_out": len(shown) - sum(kept),
        "average": len(kept) / max(sum(kept), 1),
    }


@settings(max_examples=16)
@given(
    k=st.integers(2, 12),
    age=st.integers(0, 3),
    places=st.tuples(st.integers(0, 1), st.integers(0, 3)),
    n=st.integers(80, 200),
)
def test_levels_by_hand_have_the_figures_of_the_definition(tmp_path_factory, k, age, places, n):
    frame = people(n, seed=n)
    path = tmp_path_factory.mktemp("hand") / "people.csv"
    frame.write_csv(path)
    levels = {"age": age, "sex": places[0], "zip": places[1]}
    found = at_levels(TableFile(str(path)), policy(k, 0.0), levels)
    assert not found.quick
    wanted = by_hand(frame, k, levels)
    assert (found.after.classes, found.after.k) == (wanted["classes"], wanted["k"])
    assert found.after.average == pytest.approx(wanted["average"])
    left_out = wanted["left_out"]
    assert found.suppressed == (None if 0 < left_out < 5 else left_out)
    assert found.allowed == (left_out == 0)
    before = Counter(frame.select("age", "sex", "zip").iter_rows())
    assert (found.before.classes, found.before.k) == (len(before), min(before.values()))
    uniques = sum(size == 1 for size in before.values())
    assert found.before.uniques == (None if 0 < uniques < 5 else uniques)


def test_levels_by_hand_lose_what_the_release_loses(table):
    levels = {"age": 2, "sex": 0, "zip": 2}
    text = codec.edit(
        policy(search="lattice"),
        {("columns", name, key): h for name, h in levels.items() for key in ("lowest", "highest")},
    )
    found = at_levels(table, text, levels)
    release = incrowd.anonymize(table.source, Policy.loads(text))
    assert release.levels == levels
    assert (found.after.k, found.after.classes) == (release.k, release.classes)
    assert found.loss == pytest.approx(release.loss["gcp"])
    assert np.mean(list(found.by_column.values())) == pytest.approx(found.loss)


@pytest.mark.parametrize("search", ["auto", "crowd", "mondrian"])
def test_a_quick_answer_keeps_the_models_and_a_search_loses_no_more(table, search):
    state = WorkerState()
    text = policy(7, search=search)
    quick = what_if.answer_quickly(state, jobs.AskWhatIf(table, text), tell)
    full = what_if.search_policy(state, jobs.SearchPolicy(table, text), tell)
    assert quick.quick
    assert not full.quick
    assert quick.after.k >= 7
    assert quick.allowed
    assert full.loss <= quick.loss + 1e-12
    release = incrowd.anonymize(table.source, Policy.loads(text))
    assert full.loss == pytest.approx(release.loss["gcp"])
    assert full.after.k == release.k


def test_a_proved_optimum_is_no_quick_answer(table):
    found = what_if.answer_quickly(
        WorkerState(), jobs.AskWhatIf(table, policy(search="lattice")), tell
    )
    release = incrowd.anonymize(table.source, Policy.loads(policy(search="lattice")))
    assert not found.quick
    assert found.loss == pytest.approx(release.loss["gcp"])


def test_what_cannot_be_is_told_by_the_library(table):
    with pytest.raises(IncrowdError) as error:
        what_if.answer_quickly(WorkerState(), jobs.AskWhatIf(table, policy(k=601)), tell)
    assert error.value.exit_code == 4


def test_rows_are_counted_once_for_policies_that_count_alike(table):
    state = WorkerState()
    first = state.load_question(table, Policy.loads(policy(5))).counted
    assert state.load_question(table, Policy.loads(policy(9, 0.2, "mondrian"))).counted is first
    wider = codec.edit(policy(5), {("columns", "age", "widest"): 40, "loss": "granularity"})
    assert state.load_question(table, Policy.loads(wider)).counted is first
    other = Policy.loads(codec.edit(policy(5), {("columns", "sex", "role"): "keep"}))
    assert state.load_question(table, other).counted is not first
    assert counting_key(other) != counting_key(Policy.loads(policy(5)))


def test_kept_counts_give_what_counting_anew_gives(table):
    kept = WorkerState()
    for k in (3, 5, 8):
        job = jobs.AskWhatIf(table, policy(k))
        again, anew = (what_if.answer_quickly(state, job, tell) for state in (kept, WorkerState()))
        assert {**asdict(again), "seconds": 0} == {**asdict(anew), "seconds": 0}


def test_a_file_that_changed_is_read_again(table):
    state = WorkerState()
    assert tables.open_table(state, jobs.OpenTable(table), tell).records == 600
    people(90).write_csv(table.source)
    assert tables.open_table(state, jobs.OpenTable(table), tell).records == 90


def test_a_look_withholds_small_counts(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b,c\n" + "".join(f"{i % 3},{i if i > 3 else ''},x\n" for i in range(40)))
    found = tables.open_table(WorkerState(), jobs.OpenTable(TableFile(str(path))), tell)
    assert [(c.name, c.missing) for c in found.columns] == [("a", 0), ("b", None), ("c", 0)]
    assert [c.distinct for c in found.columns] == [3, 36, 1]


def test_no_cell_is_in_what_is_looked_at(table):
    state = WorkerState()
    said = [
        tables.open_table(state, jobs.OpenTable(table), tell),
        tables.find_sets(state, jobs.FindSets(table), tell),
        tables.check_policy(state, jobs.CheckPolicy(table, policy()), tell),
        tables.draft_policy(state, jobs.DraftPolicy(table), tell),
        what_if.answer_quickly(state, jobs.AskWhatIf(table, policy()), tell),
        tables.show_rows(state, jobs.ShowRows(table), tell),
        state.load_question(table, Policy.loads(policy())).counted,
    ]
    assert MARK not in repr(said)


def test_cells_are_shown_as_they_are(table):
    found = tables.show_rows(WorkerState(), jobs.ShowRows(table), tell)
    assert found.columns == ("age", "sex", "zip", "illness")
    rows = people(600).head(tables.ROWS).with_columns(pl.col("age").cast(pl.String)).rows()
    assert list(found.rows) == rows


def test_a_draft_is_that_of_the_command(table):
    found = tables.draft_policy(WorkerState(), jobs.DraftPolicy(table), tell)
    assert found.policy == to_toml(drafted(table.source))
    assert set(found.reasons) == {"age", "sex", "zip", "illness"}


def test_a_preset_changes_the_policy(table):
    found = tables.apply_preset(
        WorkerState(), jobs.ApplyPreset(table, policy(), "public-file"), tell
    )
    assert Policy.loads(found).models[0].k > 5


def test_a_policy_for_another_table_is_refused(table):
    lacking = policy().replace("illness", "other")
    with pytest.raises(PolicyError, match="no column 'other'"):
        tables.check_policy(WorkerState(), jobs.CheckPolicy(table, lacking), tell)


def test_histograms_count_and_hide_what_few_hold(tmp_path):
    cells = ["a"] * 9 + ["b"] * 7 + ["c"] * 3
    rows = "".join(f"{i % 7},F,02138,{cell}\n" for i, cell in enumerate(cells))
    (tmp_path / "t.csv").write_text("age,sex,zip,illness\n" + rows)
    job = jobs.ShowHistogram(TableFile(str(tmp_path / "t.csv")), policy(), "illness")
    found = columns.count_histogram(WorkerState(), job, tell)
    # c alone would follow from the sum, so the next smallest is left out, too
    assert [(one.label, one.records) for one in found.bins] == [("a", 9)]
    assert found.other == 10


def test_a_histogram_shows_as_many_values_as_it_may_and_what_is_missing(tmp_path):
    cells = [f"illness {i:02}" for i in range(columns.BINS)] + [""]
    rows = "".join(f"{i % 7},F,02138,{cell}\n" for i in range(6) for cell in cells)
    (tmp_path / "t.csv").write_text("age,sex,zip,illness\n" + rows)
    job = jobs.ShowHistogram(TableFile(str(tmp_path / "t.csv")), policy(), "illness")
    found = columns.count_histogram(WorkerState(), job, tell)
    assert {one.label for one in found.bins} == {"missing", *cells[:-1]}
    assert found.other == 0


def test_bars_of_numbers_know_where_they_begin(table):
    found = columns.count_histogram(WorkerState(), jobs.ShowHistogram(table, policy(), "age"), tell)
    assert found.level == 1
    assert [one.low for one in found.bins] == [10, 20, 30, 40, 50, 60, 70][-len(found.bins) :]
    ages = Counter(age // 10 * 10 for age in people(600)["age"])
    assert [one.records for one in found.bins] == [ages[one.low] for one in found.bins]


def test_values_of_identifiers_are_not_shown(table):
    text = codec.edit(policy(), {("columns", "illness", "role"): "identifier"})
    for job, work in (
        (jobs.ShowHistogram(table, text, "illness"), columns.count_histogram),
        (jobs.ShowHierarchy(table, text, "illness"), columns.describe_hierarchy),
    ):
        with pytest.raises(PolicyError, match="says who a person is"):
            work(WorkerState(), job, tell)


def test_a_hierarchy_shows_its_levels(table):
    found = columns.describe_hierarchy(
        WorkerState(), jobs.ShowHierarchy(table, policy(), "age"), tell
    )
    frame = people(600)["age"]
    nodes = [len({age // width for age in frame}) for width in (1, 10, 30)]
    assert [one.nodes for one in found.levels] == [*nodes, 1]
    assert (found.lowest, found.highest) == (0, 3)
    assert found.levels[3].smallest == 600
    shown = [one.records for level in found.levels for one in level.labels]
    assert min(shown) >= 5


def test_an_exported_hierarchy_can_be_read_again(table, tmp_path):
    text = columns.export_hierarchy(
        WorkerState(), jobs.ExportHierarchy(table, policy(), "zip"), tell
    )
    rows = list(csv.reader(io.StringIO(text), delimiter=";"))
    assert {row[0] for row in rows} == set(people(600)["zip"])
    assert {row[-1] for row in rows} == {"*"}
    (tmp_path / "zip.csv").write_text(text)
    file = {"name": "file", "path": "zip.csv"}
    filed = codec.edit(policy(), {("columns", "zip", "hierarchy"): file})
    levels = {"age": 1, "sex": 0, "zip": 2}
    ours, theirs = (at_levels(table, one, levels) for one in (policy(), filed))
    assert ours.after == theirs.after


@pytest.mark.slow
def test_a_release_is_made_checked_attacked_compared_and_reported_on(table, tmp_path):
    state, target = WorkerState(), str(tmp_path / "release.csv")
    job = jobs.MakeRelease(
        table=table,
        policy=policy(search="mondrian"),
        target=target,
        seed=3,
        report=str(tmp_path / "report.html"),
    )
    made = releases.make_release(state, job, tell)
    assert all(one.ok for one in made.verdicts)
    assert (tmp_path / "report.html").exists()
    check = jobs.CheckRelease(release=target, certificate=made.certificate)
    checked = releases.check_release(state, check, tell)
    assert checked.ok
    assert checked.digest == made.sha256
    tampered = (tmp_path / "release.csv").read_text().splitlines()[:-9]
    (tmp_path / "release.csv").write_text("\n".join(tampered) + "\n")
    assert not releases.check_release(state, check, tell).ok
    attacked = releases.attack_release(
        state, jobs.AttackRelease(release=target, table=table, policy=policy()), tell
    )
    compared = releases.compare_releases(
        state, jobs.CompareReleases(table=table, policy=policy(), releases=(target,)), tell
    )
    for one in (attacked, compared):
        assert one.html
        assert MARK not in one.html


def test_a_missing_file_is_an_error_of_the_library(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        tables.open_table(WorkerState(), jobs.OpenTable(TableFile(str(tmp_path / "no.csv"))), tell)


def test_points_of_a_policy_without_k_get_one(table):
    text = policy().replace(
        'name = "k-anonymity"\nk = 5', 'name = "l-diversity"\ncolumn = "illness"\nl = 2'
    )
    job = jobs.Explore(table, text, searches=("mondrian",), ks=(4,), suppressions=(0.0,))
    (point,) = what_if.explore(WorkerState(), job, tell)
    assert [one.name for one in Policy.loads(point.policy).models] == ["k-anonymity", "l-diversity"]
    assert point.answer.after.k >= 4
    assert point.name == "mondrian, k = 4, at most 0 % left out"


def test_a_point_that_cannot_be_says_why(table):
    job = jobs.Explore(table, policy(), searches=("mondrian",), ks=(601,), suppressions=(0.0,))
    (point,) = what_if.explore(WorkerState(), job, tell)
    assert point.answer is None
    assert point.why


def test_a_table_too_large_for_a_quick_answer_is_said_to_be_so(table, monkeypatch):
    def late(*_):
        raise LimitError("the time limit ended before the search began")

    monkeypatch.setattr(Mondrian, "run", late)
    found = what_if.answer_quickly(WorkerState(), jobs.AskWhatIf(table, policy()), tell)
    assert isinstance(found, facts.Unanswered)
    assert found.why == "the table is too large for a quick answer"
    assert found.before.k >= 1

"""Release, original and policy show the certificate's losses again, to the last digit."""

import json
import math
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import incrowd
from evidence import keyed
from incrowd import Column, KAnonymity, LDiversity, Policy
from incrowd.cli.main import perform
from incrowd.errors import IncrowdError, PolicyError
from incrowd.hierarchy.labels import node_reach
from incrowd.release.certificate import Certificate
from incrowd.table.column import Domain, Kind
from incrowd.verify import covering
from incrowd.verify.losses import ends_of_label

SEARCHES = [
    incrowd.Auto(),
    incrowd.Crowd(),
    incrowd.search.Cuts(),
    incrowd.Lattice(),
    incrowd.LatticeLocal(),
    incrowd.Mondrian(),
    incrowd.search.MuArgus(),
    incrowd.search.TopDown(),
]
CELLS = {
    "a": st.none() | st.integers(0, 40),
    "b": st.none() | st.sampled_from(["x", "y", "z", "w"]),
    "c": st.none() | st.dates(date(1989, 12, 1), date(1992, 3, 1)),
    "d": st.none() | st.sampled_from([0.0, 1.5, 20.25, 3.125]),
    "s": st.none() | st.sampled_from(["p", "q", "r"]),
}
SCHEMA = {"a": pl.Int64, "b": pl.String, "c": pl.Date, "d": pl.Float64, "s": pl.String}
WEIGHTS = {"a": 1.0, "b": 2.0, "c": 0.5, "d": 3.0}
LOSSES = {"gcp", "granularity", "discernibility", "average_class", "il1", "ilinf"}


@pytest.mark.slow
@settings(max_examples=25, deadline=None, phases=(Phase.reuse, Phase.generate))
@given(
    st.lists(st.fixed_dictionaries(CELLS), min_size=2, max_size=16),
    st.sampled_from(["own-value", "matches-anything", "suppress"]),
    st.sampled_from(SEARCHES),
    st.tuples(st.sampled_from(["spans", "sets"]), st.sampled_from(["aligned", "exact"])),
    st.sampled_from([(KAnonymity(2),), (KAnonymity(2), LDiversity("s", 1.5))]),
)
def test_every_loss_that_labels_tell_is_recounted(cells, missing, search, shown, models):
    frame = pl.DataFrame(cells, schema=SCHEMA)
    policy = Policy(
        columns={name: Column(role="quasi", weight=w) for name, w in WEIGHTS.items()}
        | {"s": Column(role="sensitive")},
        models=models,
        search=search,
        missing=missing,
        show=shown[0],
        ends=shown[1],
        suppression=0.5,
    )
    try:
        release = incrowd.anonymize(frame, policy, seed=0)
    except IncrowdError:
        return
    found = incrowd.check(release.frame, policy, release.certificate, original=frame)
    assert found.ok, found.notes
    assert set(found.losses) >= LOSSES
    assert "records_in" in found.recounted
    for name, (said, counted) in found.losses.items():
        assert math.isclose(release.loss[name], counted, rel_tol=1e-12, abs_tol=1e-12)
        assert said == release.certificate.loss[name]


def test_a_sensitive_column_without_a_model_does_not_speak_against_an_honest_certificate():
    frame = pl.DataFrame({"age": range(20, 40), "ill": list("abcde") * 4, "stay": [1, 2, 3, 4] * 5})
    columns = {"age": Column(role="quasi")} | dict.fromkeys(
        ("ill", "stay"), Column(role="sensitive")
    )
    policy = Policy(columns=columns, models=(KAnonymity(4), LDiversity("ill", 2)))
    release = incrowd.anonymize(frame, policy, seed=0)
    found = incrowd.check(release.frame, policy, release.certificate, original=frame)
    assert found.ok, found.notes


POLICY = """version = 1
suppression = 0.1
max_alone = 1
[[models]]
name = "k-anonymity"
k = 4
[[models]]
name = "t-closeness"
column = "ill"
t = 0.9
[columns.age]
role = "quasi"
[columns.town]
role = "quasi"
hierarchy = "prefix"
[columns.ill]
role = "sensitive"
[columns.kept]
role = "keep"
"""
N = 80
TABLE = pl.DataFrame(
    {
        "age": [20 + i * i % 61 for i in range(N)],
        "town": [f"{1000 + 37 * i % 400}" for i in range(N)],
        "ill": ["abcd"[i * i % 7 % 4] for i in range(N)],
        "kept": [i % 5 for i in range(N)],
    }
)
RELEASE, PAPER = "release.csv", "release.csv.certificate.json"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE.write_csv("table.csv")
    Path("policy.toml").write_text(POLICY)
    assert perform(["anonymize", "table.csv", "-p", "policy.toml", "-o", RELEASE, "--quiet"]) == 0


def check(capsys, *more):
    capsys.readouterr()
    code = perform(["check", RELEASE, "-p", "policy.toml", "--certificate", PAPER, "--json", *more])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("folder")
def test_the_command_recounts_losses(capsys):
    code, found = check(capsys, "--original", "table.csv")
    assert code == 0
    said = json.loads(Path(PAPER).read_text())["loss"]
    for name in LOSSES | {"precision"}:
        assert found["losses"][name]["certificate"] == said[name]
        assert found["losses"][name]["recounted"] == pytest.approx(said[name], rel=1e-12)
    assert {"records_in", "loss.gcp", "suppressed.records", "spread"} <= set(found["recounted"])
    assert "loss.entropy" in found["claimed"]
    perform(
        ["check", RELEASE, "-p", "policy.toml", "--certificate", PAPER, "--original", "table.csv"]
    )
    assert "recounted" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["gcp", "granularity", "precision", "il1", "ilinf"])
def test_a_loss_that_was_made_smaller_is_found_out(capsys, name):
    document = json.loads(Path(PAPER).read_text())
    document["loss"][name] *= 1 - 1e-9
    Path(PAPER).write_text(json.dumps(document))
    assert check(capsys)[0] == 0
    code, found = check(capsys, "--original", "table.csv")
    assert code == 1
    assert any(f"loss.{name}" in note for note in found["notes"])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "change",
    [
        {"records_in": N + 8, "suppressed": {"records": 8, "share": 8 / (N + 8), "for_missing": 0}},
        {"kinds": {"ill": "date"}},
    ],
)
def test_what_the_original_contradicts_is_found_out(capsys, change):
    document = json.loads(Path(PAPER).read_text())
    assert not document["suppressed"]["records"]
    document |= change
    Path(PAPER).write_text(json.dumps(document))
    assert check(capsys, "--original", "table.csv")[0] == 1


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_another_original_is_found_out(capsys):
    other = TABLE.with_columns(pl.Series("kept", [(i + 1) % 6 for i in range(N)]))
    other.write_csv("other.csv")
    code, found = check(capsys, "--original", "other.csv")
    assert code == 1
    assert any("no remaining record of the original has" in note for note in found["notes"])
    TABLE.with_columns(pl.col("age") + 300).write_csv("other.csv")
    assert check(capsys, "--original", "other.csv")[0] == 1
    moved = TABLE.with_columns(pl.col("age").reverse())
    moved.write_csv("other.csv")
    assert check(capsys, "--original", "other.csv")[0] == 1


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_losses_need_hierarchies_that_the_certificate_tells_or_the_policy():
    assert "gcp" in incrowd.check(RELEASE, None, PAPER, original="table.csv").losses
    assert perform(["check", RELEASE, "--certificate", PAPER, "--original", "table.csv"]) == 0
    towns = incrowd.Tree(tuple((town, "*") for town in sorted(set(TABLE["town"].to_list()))))
    policy = Policy.loads(POLICY)
    columns = {**policy.columns, "town": Column(role="quasi", hierarchy=towns)}
    incrowd.anonymize("table.csv", policy.model_copy(update={"columns": columns}), "tree.csv")
    with pytest.raises(PolicyError, match="only names"):
        incrowd.check("tree.csv", None, "tree.csv.certificate.json", original="table.csv")
    quick = ["-q", "age,town", "-k", "4", "--original", "table.csv"]
    assert perform(["check", RELEASE, *quick]) == 2


def test_representatives_tell_no_spans():
    policy = Policy.loads(POLICY.replace("version = 1", 'version = 1\nshow = "representatives"'))
    policy = policy.model_copy(update={"search": incrowd.Mondrian()})
    release = incrowd.anonymize(TABLE, policy)
    found = incrowd.check(release.frame, policy, release.certificate, original=TABLE)
    assert found.ok, found.notes
    assert set(found.losses) == {"discernibility", "average_class"}


def test_classification_is_recounted():
    policy = Policy.loads(POLICY).model_copy(update={"loss": incrowd.Classification("ill")})
    release = incrowd.anonymize(TABLE, policy)
    found = incrowd.check(release.frame, policy, release.certificate, original=TABLE)
    assert found.ok, found.notes
    said, counted = found.losses["classification"]
    assert counted == pytest.approx(said, rel=1e-12)
    document = json.loads(release.certificate.to_json())
    document["loss"]["classification"] += 0.01
    forged = Certificate.from_json(json.dumps(document))
    assert not incrowd.check(release.frame, policy, forged, original=TABLE).ok


NUMBERS = st.integers(-9, 30) | st.sampled_from([0.5, 7.25, -3.75])


@st.composite
def labels(draw):
    low, high = sorted([draw(NUMBERS), draw(NUMBERS)])
    kind = draw(st.sampled_from(["exact", "open", "half", "closed", "above"]))
    texts = {
        "exact": f"{low}",
        "open": f"({low}, {high})",
        "half": f"[{low}, {high})",
        "closed": f"[{low}, {high}]",
        "above": f"≥ {low}",
    }
    inside = {
        "exact": lambda v: v == low,
        "open": lambda v: low < v < high,
        "half": lambda v: low <= v < high,
        "closed": lambda v: low <= v <= high,
        "above": lambda v: v >= low,
    }
    return texts[kind], inside[kind], kind


@given(labels())
def test_a_label_of_whole_numbers_reaches_from_its_first_to_its_last(made):
    text, inside, kind = made
    leaves = Domain(Kind.NUMBER, np.arange(-20, 40))
    values = [value for value in range(-20, 400) if inside(value)]
    found = ends_of_label(leaves, text)
    if values:
        assert found == (values[0], math.inf if kind == "above" else values[-1])
    elif found is not None:
        assert found[0] > found[1]


@pytest.mark.parametrize(
    ("label", "first", "last"),
    [
        ("1965-03-04", "1965-03-04", "1965-03-04"),
        ("1965-02", "1965-02-01", "1965-02-28"),
        ("1965-Q2", "1965-04-01", "1965-06-30"),
        ("1965", "1965-01-01", "1965-12-31"),
        ("[1965, 1970)", "1965-01-01", "1969-12-31"),
        ("[1965-02, 1965-04]", "1965-02-01", "1965-04-30"),
        ("[1965-02-03, 1966)", "1965-02-03", "1965-12-31"),
    ],
)
def test_a_label_of_dates_reaches_from_its_first_to_its_last_day(label, first, last):
    leaves = Domain(Kind.DATE, np.array(["1960-01-01", "1990-01-01"], dtype="datetime64[D]"))
    ends = tuple(float(np.datetime64(day, "us").astype(np.int64)) for day in (first, last))
    assert ends_of_label(leaves, label) == ends
    assert node_reach(label, leaves) == ends


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6)), min_size=1, max_size=8),
)
def test_rows_that_cover_nothing_are_counted(before, after):
    names = ["1", "2", "3", "4", "[1, 2]", "*"]
    hierarchy = incrowd.Intervals(widths=(2.0,), origin=1.0).build(
        Domain(Kind.NUMBER, np.arange(1, 5)), "a"
    )
    stands = {0: {0}, 6: {0, 1, 2, 3, 4}, 5: {1, 2}} | {i: {i} for i in range(1, 5)}
    side = covering.ColumnPair(
        np.array([label for _, label in after]),
        np.array([code for _, code in before], dtype=np.int32),
        hierarchy.decode_all([*names, None]),
    )
    keys = keyed(key for key, _ in before), keyed(key for key, _ in after)
    bare = sum(
        not any(key == k and code in stands[label] for k, code in before) for key, label in after
    )
    assert covering.count_uncovered(*keys, [side]) == bare
    held = [key for key, _ in before]
    more = sum(max(0, sum(key == k for key, _ in after) - held.count(k)) for k in range(3))
    assert covering.count_surplus_records(*keys) == more

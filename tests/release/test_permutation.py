"""Exact quasi-identifiers, sensitive values that change places inside their class."""

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from evidence import made
from incrowd.errors import NotMetError, PolicyError
from incrowd.loss import Queries
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.policy.policy import Column, Policy
from incrowd.release.certificate import Certificate
from incrowd.search import Anatomy, Lattice, Mondrian


def table(rows=240, seed=3):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "row": np.arange(rows),
            "age": rng.integers(18, 90, rows),
            "town": rng.choice(["A", "B", "C", None], rows),
            "ill": rng.choice(["flu", "cold", "gout", "none", None], rows),
            "cost": rng.integers(0, 9, rows) / 2,
        }
    )


def policy(**more):
    columns = {
        "row": Column(role="quasi"),
        "age": Column(role="quasi"),
        "town": Column(role="quasi"),
        "ill": Column(role="sensitive"),
        "cost": Column(role="sensitive"),
    }
    given = {"columns": columns, "models": (LDiversity("ill", 3),), "search": Mondrian()}
    return Policy(**{**given, "show": "permutation", **more})


SEARCHES = [Mondrian(), Mondrian(relaxed=True), Lattice(), Anatomy()]


@pytest.mark.parametrize("search", SEARCHES, ids=repr)
def test_classes_hold_what_they_held_and_satisfy_the_models(search):
    frame = table()
    models = (LDiversity("ill", 3), TCloseness("cost", 0.6))
    release = incrowd.anonymize(frame, policy(search=search, models=models, class_column="class"))
    rows = release.frame
    assert rows.columns == [*frame.columns, "class"]
    quasi = ["row", "age", "town"]
    assert rows.sort("row").select(quasi).equals(frame.select(quasi))
    before = {row: rest for row, *rest in frame.select("row", "ill", "cost").iter_rows()}
    held, shown = defaultdict(Counter), defaultdict(Counter)
    for number, row, ill, cost in rows.select("class", "row", "ill", "cost").iter_rows():
        held[number][tuple(before[row])] += 1
        shown[number][ill, cost] += 1
    assert held == shown
    assert sorted(shown) == list(range(1, release.classes + 1))
    for found in shown.values():
        illnesses = Counter()
        for (ill, _), count in found.items():
            illnesses[ill] += count
        assert max(illnesses.values()) * 3 <= sum(illnesses.values())
    assert release.k == 1
    assert release.certificate.loss["gcp"] == 0
    assert release.risk.sensitive == {}


def test_values_really_change_places():
    frame = table()
    rows = incrowd.anonymize(frame, policy()).frame.sort("row")
    moved = (rows["ill"].fill_null("?") != frame["ill"].fill_null("?")).sum()
    assert moved > len(frame) / 3
    assert (
        rows["ill"]
        .fill_null("?")
        .value_counts()
        .sort("ill")
        .equals(frame["ill"].fill_null("?").value_counts().sort("ill"))
    )


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "polars"])
def test_every_kind_of_frame(kind):
    pytest.importorskip(kind)
    frame = table().drop("town")
    given_frame = {
        "pandas": frame.to_pandas,
        "pyarrow": frame.to_arrow,
        "polars": lambda: frame,
    }[kind]()
    columns = {n: c for n, c in policy().columns.items() if n != "town"}
    asked = Policy(
        columns=columns,
        models=(LDiversity("ill", 2),),
        search=Anatomy(),
        show="permutation",
        class_column="class",
    )
    release = incrowd.anonymize(given_frame, asked)
    assert type(release.frame) is type(given_frame)
    assert incrowd.check(release.frame, asked, release.certificate).ok


def test_a_file_is_written_verified_and_checked(tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    table().write_csv(source)
    asked = policy(search=Anatomy(), class_column="class")
    incrowd.anonymize(source, asked, target)
    paper = tmp_path / "out.csv.certificate.json"
    found = incrowd.check(target, None, paper)
    assert found.ok
    assert found.models[0].reached >= 3
    assert any("cannot show that sensitive values" in note for note in found.notes)
    certificate = Certificate.from_json(paper.read_text())
    assert certificate.seed.search is None
    assert any("No k-anonymity is claimed" in line for line in certificate.assumptions)
    changed = pl.read_csv(target, infer_schema=False)
    changed.with_columns(changed["ill"].reverse()).write_csv(target)
    assert not incrowd.check(target, None, paper).ok


def test_without_the_class_column_the_certificate_attests():
    asked = policy()
    release = incrowd.anonymize(table(), asked)
    found = incrowd.check(release.frame, asked, release.certificate)
    assert found.ok
    assert any("come from the certificate" in note for note in found.notes)
    alone = incrowd.check(release.frame, asked)
    assert not alone.ok
    assert any("does not show its classes" in note for note in alone.notes)
    spans = policy(show="spans")
    assert not incrowd.check(release.frame, spans, release.certificate).ok


def test_a_class_column_that_fails_the_models_is_found_from_the_release_alone():
    asked = policy(class_column="class")
    release = incrowd.anonymize(table(), asked)
    assert incrowd.check(release.frame, asked).ok
    rows = release.frame.with_columns(pl.int_range(pl.len()).alias("class"))
    assert not incrowd.check(rows, asked).ok


@pytest.fixture(scope="module")
def release():
    return made(table(), policy(class_column="class"), seed=1)


def swapped(rows, name, one, other):
    cells = rows[name].to_list()
    cells[one], cells[other] = cells[other], cells[one]
    return rows.with_columns(pl.Series(name, cells, dtype=rows[name].dtype))


def test_what_was_staged_and_written_is_proved(release):
    assert all(verdict.ok for verdict in release.proof().verdicts)


def test_values_that_left_their_class_are_refused(release):
    rows = release.rows
    classes = rows["class"].to_list()
    other = next(
        i for i, c in enumerate(classes) if c != classes[0] and rows["ill"][i] != rows["ill"][0]
    )
    with pytest.raises(NotMetError, match="does not show the sensitive values"):
        release.showing(swapped(rows, "ill", 0, other)).proof()


def test_sensitive_columns_that_were_torn_apart_are_refused(release):
    rows = release.rows
    classes, ill, cost = (rows[name].to_list() for name in ("class", "ill", "cost"))
    mate = next(
        i
        for i in range(1, len(rows))
        if classes[i] == classes[0] and ill[i] != ill[0] and cost[i] != cost[0]
    )
    with pytest.raises(NotMetError, match="does not show the sensitive values"):
        release.showing(swapped(rows, "ill", 0, mate)).proof()


def test_values_may_change_places_inside_their_class(release):
    rows = release.rows
    classes = rows["class"].to_list()
    mate = next(i for i in range(1, len(rows)) if classes[i] == classes[0])
    rows = swapped(swapped(rows, "ill", 0, mate), "cost", 0, mate)
    assert all(verdict.ok for verdict in release.showing(rows).proof().verdicts)
    with pytest.raises(NotMetError, match="2 rows of the written release differ"):
        release.written_as(rows).proof()


def test_changed_quasi_identifiers_are_refused(release):
    rows = release.rows.with_columns(pl.col("age") + 1)
    with pytest.raises(NotMetError, match="keeps the column 'age'"):
        release.showing(rows).proof()
    with pytest.raises(NotMetError, match="240 rows of the written release differ"):
        release.written_as(rows).proof()


def test_a_wrong_class_column_is_refused(release):
    rows = release.rows
    for wrong in (pl.lit(1, dtype=pl.Int64), pl.int_range(pl.len()), pl.lit(None, dtype=pl.Int64)):
        with pytest.raises(NotMetError, match="does not number the classes"):
            release.showing(rows.with_columns(wrong.alias("class"))).proof()


def test_classes_that_fail_a_model_are_refused(release):
    verdicts = release.asking(models=(LDiversity("ill", 5),)).proof().verdicts
    assert not verdicts[0].ok


@pytest.mark.slow
@settings(max_examples=5, deadline=None)
@given(st.integers(0, 100))
def test_a_seed_gives_one_release(seed):
    asked = policy(search=Anatomy(), class_column="class")
    one, two = (incrowd.anonymize(table(), asked, seed=seed) for _ in range(2))
    assert one.frame.equals(two.frame)
    assert any("you gave a seed" in note for note in one.notes)


def test_without_a_seed_classes_are_drawn_anew():
    asked = policy(search=Anatomy(), class_column="class")
    one, two = (incrowd.anonymize(table(), asked).frame.sort("row") for _ in range(2))
    pairs = one["class"].to_numpy(), two["class"].to_numpy()
    assert len(set(zip(*pairs, strict=True))) > one["class"].n_unique()


def test_the_loss_that_was_asked_for_is_reported():
    asked = policy(search=Anatomy(), loss=Queries("ill", level=1))
    assert 0 < incrowd.anonymize(table(), asked).loss["queries"] < 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"models": (KAnonymity(5),)}, "k-anonymity needs equal quasi-identifiers"),
        ({"class_column": "ill"}, "the table has a column 'ill' already"),
        ({"missing": "matches-anything"}, "a missing value cannot match"),
        ({"show": "spans", "class_column": "class"}, 'only show = "permutation" adds a column'),
        ({"show": "spans", "search": Anatomy()}, "is for exact quasi-identifiers"),
        ({"loss": Queries("age")}, "which is quasi-identifying"),
        ({"loss": Queries("nothing")}, "names a column that the policy does not have"),
    ],
)
def test_what_does_not_fit_is_refused(more, said):
    with pytest.raises(PolicyError, match=said):
        policy(**more)


@pytest.mark.parametrize(
    ("name", "column", "said"),
    [
        ("more", Column(role="keep"), "next to the exact quasi-identifiers"),
        ("more", Column(role="unit"), "classes of all records of one person"),
        ("age", Column(role="quasi", lowest=1), "limits what a cell may show"),
        ("age", Column(role="quasi", widest=3), "limits what a cell may show"),
        ("age", Column(role="quasi", highest=0), "limits what a cell may show"),
    ],
)
def test_columns_that_do_not_fit_are_refused(name, column, said):
    with pytest.raises(PolicyError, match=said):
        policy(columns={**policy().columns, name: column})


def test_alpha_k_is_judged_by_class():
    release = incrowd.anonymize(table(), policy(models=(AlphaK("ill", 0.5, 4),), class_column="c"))
    assert release.frame["c"].value_counts()["count"].min() >= 4


def test_a_policy_file_says_it(tmp_path):
    asked = policy(class_column="class", consistent=True)
    assert Policy.loads(asked.dumps()) == asked
    path = tmp_path / "policy.toml"
    path.write_text(asked.dumps())
    assert incrowd.read_policy(path).show == "permutation"


def test_closeness_is_checked_by_class_against_the_table_as_it_was_read():
    models = (TCloseness("cost", 0.5, "ordered"), LDiversity("ill", 2))
    asked = policy(models=models, class_column="class", suppression=0.1)
    release = incrowd.anonymize(table(), asked, seed=2)
    found = incrowd.check(release.frame, asked, release.certificate)
    assert found.ok
    assert found.models[0].reached == pytest.approx(release.models[0].reached)


def test_records_without_a_value_may_be_left_out():
    frame = table()
    release = incrowd.anonymize(frame, policy(missing="suppress", class_column="class"))
    assert release.frame["town"].null_count() == 0
    assert release.suppressed == frame["town"].null_count()

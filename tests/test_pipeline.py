"""The whole way: a table in, a verified release out, and nothing where it must not leave."""

import hashlib
import json
import random
from dataclasses import fields
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from incrowd import (
    Column,
    Crowd,
    File,
    InfeasibleError,
    InputError,
    KAnonymity,
    Lattice,
    LDiversity,
    LimitError,
    Mondrian,
    NotMetError,
    Policy,
    PolicyError,
    Release,
    TCloseness,
    Tree,
)
from incrowd.datasets import hospital, visits
from incrowd.io import files
from incrowd.recoding import Levels, Pieces
from incrowd.recoding.column_cells import ByClass
from incrowd.recoding.show.labels import ShowSpans
from incrowd.release.certificate import Certificate
from incrowd.release.facts import ProvedFacts
from incrowd.search import Datafly, Found

SEARCHES = [Lattice(), Datafly(), Mondrian(), Mondrian(relaxed=True)]
KEY = b"0123456789abcdef0123456789abcdef"


def policy_of(search=None, **changes):
    roles = {
        "patient_id": Column(role="drop"),
        "name": Column(role="identifier"),
        "ssn": Column(role="drop"),
        "birth_date": Column(role="quasi"),
        "sex": Column(role="quasi"),
        "zip": Column(role="quasi", hierarchy="prefix"),
        "country": Column(role="drop"),
        "occupation": Column(role="drop"),
        "admission": Column(role="drop"),
        "ward": Column(role="keep"),
        "diagnosis": Column(role="sensitive"),
        "stay": Column(role="keep"),
        "cost": Column(role="keep"),
        "smoker": Column(role="keep"),
    }
    known = {
        "columns": roles | changes.pop("columns", {}),
        "models": (KAnonymity(4), LDiversity("diagnosis", 2)),
        "search": search or Mondrian(),
        "suppression": 0.1,
        "max_alone": 1.0,
    }
    return Policy(**(known | changes))


@pytest.fixture(scope="module")
def table():
    return hospital(400, seed=7)


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_every_kind_of_frame_comes_back_as_it_was(table, search, kind):
    convert = {"polars": lambda f: f, "pandas": pl.DataFrame.to_pandas}
    frame = convert.get(kind, pl.DataFrame.to_arrow)(table)
    release = incrowd.anonymize(frame, policy_of(search), seed=1)
    assert type(release.frame) is type(frame)
    assert release.k >= 4
    assert release.records + release.suppressed == 400
    names = getattr(release.frame, "column_names", None) or list(release.frame.columns)
    kept = ["birth_date", "sex", "zip", "ward", "diagnosis", "stay", "cost", "smoker"]
    assert names == kept
    result = incrowd.check(release.frame, policy_of(search), release.certificate)
    assert result.ok
    assert result.digest_ok


def test_the_input_is_unchanged(table):
    before = table.clone()
    pandas = table.to_pandas()
    copy = pandas.copy()
    incrowd.anonymize(table, policy_of(), seed=1)
    incrowd.anonymize(pandas, policy_of(), seed=1)
    assert table.equals(before)
    assert pandas.equals(copy)


def test_one_seed_gives_one_release_on_every_engine(table):
    first = incrowd.anonymize(table, policy_of(), seed=5)
    again = incrowd.anonymize(table, policy_of(), seed=5)
    other = incrowd.anonymize(table, policy_of(), seed=6)
    arrow = incrowd.anonymize(table.to_arrow(), policy_of(), seed=5)
    assert first.frame.equals(again.frame)
    assert not first.frame.equals(other.frame)
    assert first.certificate.digest == again.certificate.digest == arrow.certificate.digest


@pytest.mark.slow
def test_order_is_fresh_without_a_seed_and_kept_on_request(table):
    one, two = (incrowd.anonymize(table, policy_of()) for _ in range(2))
    assert not one.frame["cost"].equals(two.frame["cost"])
    assert one.certificate.seed.order == "system"
    kept = incrowd.anonymize(table, policy_of(order="keep", suppression=0.0))
    assert kept.frame["cost"].equals(table["cost"])
    assert kept.certificate.seed.order == "kept"
    assert any("order" in note for note in kept.notes)


def test_the_seed_of_the_shuffle_is_written_nowhere(table):
    release = incrowd.anonymize(table, policy_of(), seed=987654321)
    assert "987654321" not in release.certificate.to_json()
    assert "987654321" not in repr(release) + release._repr_html_() + str(release.notes)


def test_kept_columns_stay_with_their_records(table):
    marked = table.with_columns(stay=pl.int_range(len(table), dtype=pl.Int64))
    release = incrowd.anonymize(marked, policy_of(), seed=3).frame
    back = marked[release["stay"].to_list()]
    for name in ("ward", "diagnosis", "cost", "smoker"):
        assert release[name].equals(back[name].alias(name), null_equal=True)
        assert release[name].dtype == table[name].dtype


def test_nothing_shows_a_value(table):
    canary = table.with_columns(
        pl.col(pl.String).exclude("sex", "zip", "diagnosis").fill_null("") + "CANARY"
    )
    release = incrowd.anonymize(canary, policy_of(), seed=3)
    said = repr(release) + release._repr_html_() + release.certificate.to_json()
    assert "CANARY" not in said + str(release.notes) + repr(release.risk)


def test_a_release_is_made_by_verification_only():
    known = dict.fromkeys(field.name for field in fields(ProvedFacts)) | {"models": ()}
    with pytest.raises(NotMetError):
        Release(frame=None, certificate=None, seconds={}, **known)
    with pytest.raises(NotMetError):
        Release.of_verified(ProvedFacts(**known))


def rows_as_they_are(problem, _watch):
    """A faulty search: it shows every row as it is."""
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    quasi, class_of = np.unique(problem.tally.quasi, axis=1, return_inverse=True)
    pieces = Pieces(rows, problem.tally.counts, class_of.astype(np.int32))
    return Found(Levels((0,) * len(quasi), pieces), "faulty", optimal=True)


def test_a_faulty_search_is_caught_and_nothing_is_written(table, tmp_path, monkeypatch):
    monkeypatch.setattr(Mondrian, "run", lambda _, problem, watch: rows_as_they_are(problem, watch))
    with pytest.raises(NotMetError, match="k-anonymity achieves 1, the policy asks for 4"):
        incrowd.anonymize(table, policy_of())
    source = tmp_path / "in.csv"
    table.write_csv(source)
    with pytest.raises(NotMetError):
        incrowd.anonymize(source, policy_of(), tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_labels_that_do_not_cover_are_caught(table, monkeypatch):
    real = ShowSpans.cells

    def swapped(self, *given):
        found = real(self, *given)
        wrong = np.array(["99999"] * len(found["zip"].labels), dtype=object)
        return found | {"zip": ByClass(wrong)}

    monkeypatch.setattr(ShowSpans, "cells", swapped)
    with pytest.raises(NotMetError, match="'zip'"):
        incrowd.anonymize(table, policy_of())


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet", "arrow"])
def test_files_are_written_verified_and_checked(table, tmp_path, ending):
    source, target = tmp_path / "in.csv", tmp_path / f"out.{ending}"
    table.write_csv(source)
    release = incrowd.anonymize(source, policy_of(), target, seed=1)
    paper = tmp_path / f"out.{ending}.certificate.json"
    assert {path.name for path in tmp_path.iterdir()} == {"in.csv", target.name, paper.name}
    assert Certificate.from_json(paper.read_text()) == release.certificate
    assert release.certificate.digest.of == "file"
    assert incrowd.check(target, policy_of(), paper).ok
    assert incrowd.check(target, policy_of()).ok
    assert set(release.seconds) == {"read", "search", "release", "verify", "write"}
    assert all(seconds >= 0 for seconds in release.seconds.values())
    assert release.seconds["write"] > 0


def test_typed_files_keep_their_types(table, tmp_path):
    source = tmp_path / "in.parquet"
    table.write_parquet(source)
    incrowd.anonymize(source, policy_of(), tmp_path / "out.parquet", seed=1)
    released = pl.read_parquet(tmp_path / "out.parquet")
    assert released["cost"].dtype == pl.Float64
    incrowd.anonymize(source, policy_of(), tmp_path / "out.csv", seed=1)
    paper = tmp_path / "out.csv.certificate.json"
    assert incrowd.check(tmp_path / "out.csv", policy_of(), paper).ok


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_blank_cells_of_a_text_file_are_missing_in_every_format(tmp_path, ending):
    rows = {"a": ["x", " ", "x", "", "y", "y"], "s": ["p", " ", "q", "", "p", "q"]}
    pl.DataFrame(rows).write_csv(tmp_path / "in.csv")
    policy = Policy(
        columns={"a": Column(role="quasi"), "s": Column(role="sensitive")},
        models=(KAnonymity(2), TCloseness("s", 0.9)),
        search=Lattice(),
        missing="matches-anything",
    )
    target = tmp_path / f"out.{ending}"
    release = incrowd.anonymize(tmp_path / "in.csv", policy, target)
    assert release.certificate.blank
    found = incrowd.check(target, policy, f"{target}.certificate.json")
    assert found.ok
    assert not any("itself" in note for note in found.notes)


def test_a_dry_run_writes_nothing(table, tmp_path):
    source = tmp_path / "in.csv"
    table.write_csv(source)
    release = incrowd.anonymize(source, policy_of(), tmp_path / "out.csv", dry_run=True)
    assert release.k >= 4
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_standard_output_gets_the_verified_bytes(table, tmp_path, capfdbinary):
    source = tmp_path / "in.csv"
    table.write_csv(source)
    release = incrowd.anonymize(source, policy_of(), "-", seed=1)
    out = capfdbinary.readouterr().out
    assert hashlib.sha256(out).hexdigest() == release.certificate.digest.sha256
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_table_is_never_overwritten(table, tmp_path):
    source = tmp_path / "in.csv"
    table.write_csv(source)
    link = tmp_path / "link.csv"
    link.symlink_to(source)
    before = source.read_bytes()
    for target in (source, link, tmp_path / ".." / tmp_path.name / "in.csv"):
        with pytest.raises(PolicyError, match="overwrite"):
            incrowd.anonymize(source, policy_of(), target)
    with pytest.raises(PolicyError, match="overwrite"):
        incrowd.anonymize(source, policy_of(), tmp_path / "out.csv", certificate=source)
    assert source.read_bytes() == before


def test_an_interruption_leaves_nothing_half_written(table, tmp_path, monkeypatch):
    import incrowd.pipeline

    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    table.write_csv(source)
    target.write_text("old")

    def interrupted(*_):
        raise KeyboardInterrupt

    steps = ("load", "search", "plan_rows", "prove", "demand_models_met", "certify", "notes_of")
    for module, name in [*((incrowd.pipeline, step) for step in steps), (files, "write_text")]:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                incrowd.anonymize(source, policy_of(), target)
        assert {path.name for path in tmp_path.iterdir()} == {"in.csv", "out.csv"}
        assert target.read_text() == "old"


def test_running_out_of_memory_is_said(table, monkeypatch):
    import incrowd.pipeline

    def full(*_, **__):
        raise MemoryError

    for place in ("open_table", "load", "search", "plan_rows", "prove"):
        with monkeypatch.context() as patch:
            patch.setattr(incrowd.pipeline, place, full)
            with pytest.raises(LimitError, match="memory"):
                incrowd.anonymize(table, policy_of())


@pytest.fixture(scope="module")
def released(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    table.write_csv(folder / "in.csv")
    incrowd.anonymize(folder / "in.csv", policy_of(), folder / "out.csv", seed=1)
    return folder / "out.csv", folder / "out.csv.certificate.json"


def test_one_changed_cell_fails_the_check(released, tmp_path):
    target, paper = released
    rows = pl.read_csv(target, infer_schema=False)
    changed = tmp_path / "changed.csv"
    for column, value in (("zip", "00000"), ("ward", "other")):
        cells = [value, *rows[column].to_list()[1:]]
        rows.with_columns(pl.Series(column, cells)).write_csv(changed)
        result = incrowd.check(changed, policy_of(), paper)
        assert not result.ok
        assert result.digest_ok is False
    rows.with_columns(zip=pl.Series(["00000", *rows["zip"].to_list()[1:]])).write_csv(changed)
    alone = incrowd.check(changed, policy_of())
    assert not alone.ok
    assert alone.models[0].reached == 1


def test_a_column_too_many_or_too_few_fails_the_check(released, tmp_path):
    target, _ = released
    rows = pl.read_csv(target, infer_schema=False)
    changed = tmp_path / "changed.csv"
    for frame, word in (
        (rows.with_columns(name=pl.lit("x")), "that the policy drops: name"),
        (rows.with_columns(new=pl.lit("x")), "does not name: new"),
        (rows.drop("ward"), "lacks columns of the policy: ward"),
        (rows.drop("zip"), "lacks columns of the policy: zip"),
    ):
        frame.write_csv(changed)
        result = incrowd.check(changed, policy_of())
        assert not result.ok
        assert any(word in note for note in result.notes)


def test_another_policy_fails_the_check(released):
    target, paper = released
    for other in (policy_of(missing="suppress"), policy_of(models=(KAnonymity(3),))):
        result = incrowd.check(target, other, paper)
        assert not result.ok
        assert "The certificate was made for another policy." in result.notes
    stricter = incrowd.check(target, policy_of(models=(KAnonymity(400),)))
    assert not stricter.ok


def test_another_way_to_find_the_release_is_remarked(released):
    target, paper = released
    other = policy_of(search=Lattice(), suppression=0.2, columns={"zip": Column(role="quasi")})
    result = incrowd.check(target, other, paper)
    assert result.ok
    assert any("how the release is found" in note for note in result.notes)
    leaving = {name: column for name, column in policy_of().columns.items() if name != "ssn"}
    fewer = Policy(columns=leaving, models=policy_of().models, max_alone=1.0)
    assert incrowd.check(target, fewer, paper).ok


def test_the_policy_of_the_certificate_will_do(released, tmp_path):
    target, paper = released
    assert incrowd.check(target, certificate=paper).ok
    changed = tmp_path / "changed.csv"
    pl.read_csv(target, infer_schema=False).reverse().write_csv(changed)
    assert not incrowd.check(changed, certificate=paper).ok
    with pytest.raises(PolicyError, match="give a policy"):
        incrowd.check(target)


def test_a_release_is_checked_without_the_files_of_hierarchies(released):
    target, paper = released
    policy = policy_of(columns={"zip": Column(role="quasi", hierarchy=File("nowhere.csv"))})
    assert incrowd.check(target, policy, paper).ok
    with pytest.raises(InputError, match=r"nowhere\.csv"):
        incrowd.anonymize(target, policy, target.with_name("other.csv"))


def test_a_lazy_frame_is_computed_once(table):
    calls = []

    def counted(frame):
        calls.append(len(frame))
        return frame

    lazy = table.lazy().map_batches(counted)
    release = incrowd.anonymize(lazy, policy_of(), seed=1)
    assert isinstance(release.frame, pl.LazyFrame)
    assert release.frame.collect().height == release.records
    assert len(calls) == 1


@pytest.mark.parametrize("thing", [None, 3, "table.csv", {"a": [1]}])
def test_what_is_no_frame_is_refused(thing):
    with pytest.raises(InputError):
        incrowd.anonymize(thing, policy_of())
    with pytest.raises(InputError):
        incrowd.check(thing, policy_of())
    with pytest.raises(InputError):
        incrowd.risk(thing, quasi=["a"])


def test_classes_that_fail_with_those_whom_their_gaps_match_are_not_proposed():
    """Each class of local recoding is diverse, but not with those that a gap makes it match."""
    rng = random.Random(37)
    gaps = (
        [rng.choice([None, 1, 2, 3]) for _ in range(40)],
        [rng.choice([None, "x", "y"]) for _ in range(40)],
    )
    who, ill = [rng.randrange(20) for _ in range(40)], [rng.choice("pqr") for _ in range(40)]
    frame = pl.DataFrame({"a": gaps[0], "b": gaps[1], "who": who, "ill": ill})
    roles = {"a": "quasi", "b": "quasi", "who": "unit", "ill": "sensitive"}
    columns = {name: Column(role=role) for name, role in roles.items()}
    models = (KAnonymity(2), LDiversity("ill", 1.8))
    asked = Policy(columns=columns, models=models, missing="matches-anything")
    release = incrowd.anonymize(frame, asked.model_copy(update={"search": Crowd()}))
    assert all(model.ok for model in release.models)
    assert incrowd.anonymize(frame, asked).loss["gcp"] <= release.loss["gcp"]


def test_a_frame_with_a_name_twice_says_so():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1, 2]] * 9, columns=["age", "age"])
    policy = incrowd.quick(["age"], quasi=["age"], k=2)
    with pytest.raises(InputError, match="occurs more than once: 'age'"):
        incrowd.anonymize(frame, policy)
    with pytest.raises(InputError, match="occurs more than once: 'age'"):
        incrowd.check(frame, policy)


def test_names_that_are_no_text_are_told_as_what_they_are():
    with pytest.raises(incrowd.PolicyError, match="column names must be text"):
        incrowd.quick([0, 1], quasi=["age"], k=2)
    with pytest.raises(incrowd.PolicyError, match="column names must be text"):
        incrowd.quick([0, 1], quasi=[0], k=2)


def test_a_seed_below_nothing_is_refused(table):
    with pytest.raises(PolicyError, match="seed"):
        incrowd.anonymize(table, policy_of(), seed=-1)


def test_a_changed_certificate_is_refused(released, tmp_path):
    target, paper = released
    document = json.loads(paper.read_text())
    document["policy"]["suppression"] = 0.5
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(document))
    with pytest.raises(InputError, match="certificate"):
        incrowd.check(target, policy_of(), changed)


def people_policy(**changes):
    return policy_of(
        columns={"patient_id": Column(role="unit")},
        models=(KAnonymity(4),),
        **changes,
    )


@pytest.mark.parametrize("search", [Lattice(), Mondrian()], ids=lambda search: search.name)
def test_classes_count_people(search):
    table = visits(150, seed=2)
    release = incrowd.anonymize(table, people_policy(search=search, order="keep"), seed=1)
    assert "patient_id" not in release.frame.columns
    joined = release.frame.select("birth_date", "sex", "zip").with_columns(
        who=pl.Series(table["patient_id"].to_list()[: release.records])
    )
    if not release.suppressed:
        people = joined.group_by("birth_date", "sex", "zip").agg(pl.col("who").n_unique())
        assert people["who"].min() == release.k >= 4
    assert release.certificate.people <= 150
    assert release.risk.people == release.certificate.people


def test_people_are_attested_not_recounted():
    table = visits(150, seed=2)
    release = incrowd.anonymize(table, people_policy(), seed=1)
    alone = incrowd.check(release.frame, people_policy())
    assert not alone.ok
    assert any("does not show who its records belong to" in note for note in alone.notes)
    attested = incrowd.check(release.frame, people_policy(), release.certificate)
    assert attested.ok
    assert attested.models[0].reached == release.k
    other = release.frame.reverse()
    assert not incrowd.check(other, people_policy(), release.certificate).ok


def test_weights_leave_and_weigh():
    table = hospital(200, seed=3).with_columns(stay=pl.Series(np.arange(1, 201)))
    policy = policy_of(columns={"stay": Column(role="weight")})
    release = incrowd.anonymize(table, policy, seed=1)
    assert "stay" in release.frame.columns
    assert release.risk.population is not None


@pytest.mark.parametrize("missing", ["own-value", "matches-anything", "suppress"])
@pytest.mark.parametrize("search", [Lattice(), Mondrian()], ids=lambda search: search.name)
def test_every_reading_of_missing_values(missing, search):
    table = hospital(300, seed=11)
    assert table["zip"].null_count() + table["birth_date"].null_count() > 0
    policy = policy_of(search=search, missing=missing, suppression=0.3)
    release = incrowd.anonymize(table, policy, seed=1)
    assert incrowd.check(release.frame, policy, release.certificate).ok
    lacking = table.filter(pl.any_horizontal(pl.col("birth_date", "sex", "zip").is_null())).height
    if missing == "suppress":
        assert release.certificate.suppressed.for_missing == lacking
        assert (
            release.frame.select("birth_date", "sex", "zip").null_count().sum_horizontal()[0] == 0
        )


def test_pseudonyms_need_a_key_and_hide_it(table):
    policy = policy_of(columns={"name": Column(role="identifier", action="pseudonym")})
    with pytest.raises(PolicyError, match="INCROWD_KEY"):
        incrowd.anonymize(table, policy)
    with pytest.raises(PolicyError, match="16"):
        incrowd.anonymize(table, policy, key=b"short")
    marked = table.with_columns(stay=pl.int_range(len(table), dtype=pl.Int64))
    release = incrowd.anonymize(marked, policy, key=KEY, seed=1)
    from incrowd.release.rows import make_pseudonyms

    names = table["name"].gather(release.frame["stay"].to_list()).to_list()
    assert release.frame["name"].to_list() == make_pseudonyms("name", names, KEY)
    said = release.certificate.to_json() + repr(release) + release._repr_html_()
    assert KEY.decode() not in said
    assert any("same key" in line for line in release.certificate.assumptions)


def test_t_closeness_is_checked_against_the_release(table):
    models = (KAnonymity(3), TCloseness("ward", 0.5))
    policy = policy_of(columns={"ward": Column(role="sensitive")}, models=models)
    release = incrowd.anonymize(table, policy, seed=1)
    spread = release.certificate.spread["ward"]
    assert sum(spread.people) == len(release.frame)
    with_paper = incrowd.check(release.frame, policy, release.certificate)
    assert with_paper.ok
    assert with_paper.models[1].reached == pytest.approx(release.models[1].reached)
    alone = incrowd.check(release.frame, policy)
    assert alone.models[1].reached == with_paper.models[1].reached


def test_every_distance_is_checked_again(table):
    wards = [(ward, "a" if ward < "n" else "b", "*") for ward in table["ward"].unique().sort()]
    models = (
        KAnonymity(3),
        TCloseness("stay", 0.4, "ordered"),
        TCloseness("ward", 0.6, "hierarchical"),
    )
    columns = {
        "ward": Column(role="sensitive", hierarchy=Tree(tuple(wards))),
        "stay": Column(role="sensitive"),
    }
    policy = policy_of(columns=columns, models=models)
    release = incrowd.anonymize(table, policy, seed=1)
    found = incrowd.check(release.frame, policy, release.certificate)
    assert found.ok
    for again, before in zip(found.models, release.models, strict=True):
        assert again.reached == pytest.approx(before.reached)
    ordered = policy_of(columns=columns, models=models[:2], suppression=0.0)
    release = incrowd.anonymize(table, ordered, seed=1)
    text = release.frame.with_columns(pl.col("stay").cast(pl.String))
    for frame in (release.frame, text):
        alone = incrowd.check(frame, ordered)
        assert alone.models[1].reached == pytest.approx(release.models[1].reached)


def test_what_cannot_be_is_refused_before_the_search(table, monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr(Mondrian, "run", never)
    with pytest.raises(InfeasibleError, match="k-anonymity"):
        incrowd.anonymize(table, policy_of(models=(KAnonymity(401),), suppression=0.0))


def test_undeclared_columns_are_refused(table):
    with pytest.raises(PolicyError, match="extra"):
        incrowd.anonymize(table.with_columns(extra=pl.lit(1)), policy_of())


def test_an_empty_table_is_refused(table):
    with pytest.raises(InputError):
        incrowd.anonymize(table.clear(), policy_of())


def test_a_policy_with_listed_values_keeps_them_out_of_the_certificate():
    frame = pl.DataFrame({"a": ["CANARY1", "CANARY2", "CANARY1", "CANARY2"], "b": [1, 2, 3, 4]})
    tree = Tree((("CANARY1", "*"), ("CANARY2", "*")))
    policy = Policy(
        columns={
            "a": Column(role="quasi", hierarchy=tree),
            "b": Column(role="keep", alone="accept"),
        },
        models=(KAnonymity(2),),
        search=Lattice(),
    )
    release = incrowd.anonymize(frame, policy)
    assert "CANARY" not in release.certificate.to_json()
    assert incrowd.check(release.frame, policy, release.certificate).ok


CELLS = {
    "a": st.none() | st.integers(0, 6),
    "b": st.none() | st.sampled_from(["x", "y", "NA", "", " "]),
    "c": st.none() | st.dates(date(1990, 1, 1), date(1990, 3, 1)),
    "d": st.none() | st.sampled_from([0.0, -0.0, 1.5, float("nan")]),
    "s": st.none() | st.sampled_from(["p", "q", "r", "NA"]),
}
SCHEMA = {"a": pl.Int64, "b": pl.String, "c": pl.Date, "d": pl.Float64, "s": pl.String}


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.fixed_dictionaries(CELLS), min_size=2, max_size=14),
    st.sampled_from(["own-value", "matches-anything", "suppress"]),
    st.sampled_from([*SEARCHES]),
    st.sampled_from([(KAnonymity(2),), (KAnonymity(2), LDiversity("s", 1.5))]),
)
def test_whatever_leaves_is_verified(cells, missing, search, models):
    frame = pl.DataFrame(cells, schema=SCHEMA)
    roles = {name: Column(role="quasi") for name in "abcd"} | {"s": Column(role="sensitive")}
    policy = Policy(
        columns=roles,
        models=models,
        search=search,
        missing=missing,
        missing_values=("", "NA"),
        suppression=0.5,
    )
    try:
        release = incrowd.anonymize(frame, policy, seed=0)
    except InfeasibleError:
        return
    assert incrowd.check(release.frame, policy, release.certificate).ok


def test_risk_is_a_function_and_a_package(table):
    import incrowd.exposure
    from incrowd.exposure import measure

    found = incrowd.risk(table, quasi=["sex", "zip"], sensitive=["diagnosis"])
    assert incrowd.exposure.measure is measure
    groups = table.group_by("sex", "zip").len()
    assert (found.records, found.classes, found.k) == (400, len(groups), groups["len"].min())
    assert set(found.sensitive) == {"diagnosis"}
    with pytest.raises(PolicyError):
        incrowd.risk(table, quasi=[])
    with pytest.raises(PolicyError, match="did you mean 'sex'"):
        incrowd.risk(table, quasi=["sxe"])


def test_the_risk_of_a_file_is_that_of_its_table(table, tmp_path):
    table.write_csv(tmp_path / "in.csv")
    asked = {"quasi": ["sex", "zip"], "sensitive": ["diagnosis"]}
    found = incrowd.risk(tmp_path / "in.csv", **asked)
    assert found.as_dict() == incrowd.risk(table, **asked).as_dict()


def test_a_draft_can_be_used(table):
    drafted = incrowd.draft(table)
    assert drafted.policy.quasi
    assert Policy.draft(table) == drafted.policy

"""Columns of lists, structures and bytes, into which no program can see: the rest is served."""

import polars as pl
import pytest

import incrowd as library
from incrowd import api
from incrowd.policy.policy import Policy
from incrowd.table.column import Role

N = 60
USAGE, INPUT = 2, 3
CELLS = {
    "list": [[f"secret{i}"] for i in range(N)],
    "struct": [{"a": f"secret{i}"} for i in range(N)],
    "bytes": [f"secret{i % 7}".encode() for i in range(N)],
}
NESTED = ("list", "struct")


def frame(cells, name="notes"):
    plain = {"age": [20 + i % 30 for i in range(N)], "sex": ["mf"[i % 2] for i in range(N)]}
    return pl.DataFrame(plain | {name: cells})


@pytest.fixture(params=CELLS)
def kind(request):
    return request.param


@pytest.fixture
def file(here, kind):
    frame(CELLS[kind]).write_parquet(here / "t.parquet")
    return "t.parquet"


def test_init_drops_it_and_says_why(incrowd, file):
    said = incrowd("init", file)
    assert said.code == 0, said.err
    assert "secret" not in said.out
    policy = Policy.loads(said.out)
    assert policy.columns["notes"].role is Role.DROP
    assert policy.columns["age"].role is Role.QUASI
    assert "which incrowd cannot look into\nrole = " in said.out.split("[columns.notes]")[1]


def test_safe_harbor_lists_it_to_be_looked_at(incrowd, file):
    said = incrowd("safe-harbor", file, "--json")
    assert said.code == 0, said.err
    for check in said.document["checks"]:
        why = {one["name"]: one["why"] for one in check["columns"]}
        assert "which incrowd cannot look into" in why["notes"]
        assert check["status"] == "unseen"


def test_safe_harbor_reads_the_name_of_such_a_column(kind):
    found = api.safe_harbor(frame(CELLS[kind], "patient_email"), today=2026)
    assert "F" in found.failing["patient_email"]


def test_safe_harbor_does_not_look_at_what_a_policy_drops(kind):
    table = frame(CELLS[kind])
    found = api.safe_harbor(table, policy=Policy.draft(table), today=2026)
    assert not any(one.column == "notes" for check in found.checks for one in check.columns)


@pytest.mark.parametrize("kind", NESTED, indirect=True)
@pytest.mark.parametrize("how", [(), ("-k", "2"), ("--sampled",)])
def test_discover_leaves_it_out_with_a_note(incrowd, file, how):
    said = incrowd("discover", file, *how)
    assert said.code == 0, said.err
    assert "note: columns of lists or structures are left out: notes" in said.err


@pytest.mark.parametrize("kind", NESTED, indirect=True)
@pytest.mark.parametrize("how", [("--columns", "age,notes"), ("--explain", "notes")])
def test_discover_refuses_it_where_it_is_named(refused, file, how):
    said = refused(INPUT, "discover", file, *how)
    assert "'notes' holds lists or structures" in said.err


@pytest.mark.parametrize("kind", NESTED)
def test_a_table_that_goes_by_is_looked_at_without_it(kind):
    found = api.discover(iter([frame(CELLS[kind]), frame(CELLS[kind])]), sample=200)
    assert found.best.columns == ("age", "sex")
    assert any("left out" in note for note in found.notes)


@pytest.mark.parametrize("kind", NESTED, indirect=True)
@pytest.mark.parametrize("method", ["greedy", "exact"])
def test_mask_withholds_it_with_a_note(incrowd, here, file, method):
    said = incrowd("mask", file, "--ratio", "1", "--method", method, "-o", "out.csv")
    assert said.code == 0, said.err
    assert "columns of lists or structures are withheld: notes" in said.err
    assert pl.read_csv(here / "out.csv").columns == ["age", "sex"]


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("asked", [{}, {"drop": ["notes"]}, {"weights": {"notes": 2.0}}])
def test_mask_withholds_it_whatever_else_is_said_of_it(kind, asked):
    found = api.mask(frame(CELLS[kind]), ratio=1.0, **asked)
    assert found.withheld == ("notes",)


@pytest.mark.parametrize("kind", NESTED, indirect=True)
def test_mask_of_a_table_that_goes_by_withholds_it(incrowd, here, file, monkeypatch):
    monkeypatch.setattr("incrowd.verbs.tables.LARGE", 0)
    how = ("--ratio", "1", "--method", "sampled", "-o", "out.csv")
    said = incrowd("mask", file, *how)
    assert said.code == 0, said.err
    assert "lists or structures are withheld" in said.err
    assert pl.read_csv(here / "out.csv").columns == ["age", "sex"]


@pytest.mark.parametrize("kind", NESTED, indirect=True)
def test_mask_refuses_to_publish_it(refused, file):
    said = refused(INPUT, "mask", file, "--ratio", "1", "--keep", "notes", "-o", "out.parquet")
    assert "'notes' holds lists or structures" in said.err


def test_bytes_do_not_go_into_a_text(refused, here):
    frame([bytes([i % 2]) for i in range(N)]).write_parquet(here / "t.parquet")
    said = refused(INPUT, "mask", "t.parquet", "--ratio", "1", "-o", "out.csv")
    assert "bytes of 'notes'" in said.err


@pytest.mark.parametrize("kind", NESTED, indirect=True)
def test_plan_looks_for_columns_without_it(incrowd, file):
    said = incrowd("plan", file, "-k", "2", "--population", "1000")
    assert said.code == 0, said.err


@pytest.mark.parametrize("kind", NESTED, indirect=True)
def test_a_release_refuses_it_only_where_it_must_be_read(incrowd, refused, file):
    refused(INPUT, "anonymize", file, "--quasi", "age,notes", "-k", "2", "-o", "out.parquet")
    refused(INPUT, "risk", file, "--quasi", "age,notes")
    assert incrowd("risk", file, "--quasi", "age,sex").code == 0
    how = ("--quasi", "age,sex", "-k", "2", "--keep", "notes", "-o", "out.parquet")
    assert incrowd("anonymize", file, *how, "--accept-alone", "notes").code == 0


@pytest.mark.parametrize("kind", NESTED)
def test_a_table_of_nothing_else_is_refused(kind):
    table = frame(CELLS[kind]).select("notes")
    with pytest.raises(library.InputError, match="every column holds lists"):
        api.discover(table)
    with pytest.raises(library.InputError, match="every column holds lists"):
        api.mask(table, ratio=1.0)


@pytest.mark.parametrize("library_name", ["pandas", "pyarrow"])
@pytest.mark.parametrize("kind", NESTED)
def test_frames_of_other_libraries(kind, library_name):
    pytest.importorskip(library_name)
    table = frame(CELLS[kind])
    other = table.to_pandas() if library_name == "pandas" else table.to_arrow()
    assert Policy.draft(other).columns["notes"].role is Role.DROP
    assert api.mask(other, ratio=1.0).withheld == ("notes",)

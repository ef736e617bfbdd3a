"""Files that are larger than memory are worked on with DuckDB, with the answers of memory."""

import os
import shutil

import polars as pl
import pytest
from typer.testing import CliRunner

import incrowd
from incrowd.datasets import hospital
from incrowd.engines.duckdb import DuckDB
from incrowd.engines.fetch import fetch_into_memory
from incrowd.errors import InputError, LimitError, PolicyError
from incrowd.io import large
from incrowd.io.reading import Reading, open_table
from incrowd.policy.policy import Column, Policy
from incrowd.search import Crowd

duckdb = pytest.importorskip("duckdb")

QUASI = ("birth_date", "zip", "sex")


@pytest.fixture(scope="module")
def people():
    rows = pl.int_range(pl.len())
    return hospital(700, seed=4).with_columns(
        pl.when(rows % 41 != 0).then(pl.col("sex")).alias("sex"),
        pl.when(rows % 3 == 0).then(pl.lit("")).otherwise(pl.lit('a, "b"')).alias("said"),
    )


@pytest.fixture
def tight(monkeypatch):
    """Everything takes more memory than there is."""
    monkeypatch.setattr(large, "CELL", 10**12)


def policy_of(people, **more):
    roles = dict.fromkeys(people.columns, Column(role="drop"))
    roles |= {name: Column(role="quasi") for name in QUASI}
    roles |= {"diagnosis": Column(role="sensitive"), "said": Column(role="keep", alone="accept")}
    return Policy(columns=roles, models=(incrowd.KAnonymity(4),), **more)


WRITERS = {
    "table.csv": lambda frame, path: frame.write_csv(path),
    "table.tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "table.csv.gz": lambda frame, path: frame.write_csv(path, compression="gzip"),
    "table.parquet": lambda frame, path: frame.write_parquet(path),
    "table.arrow": lambda frame, path: frame.write_ipc(path),
}
LOCALLY = {"table.csv", "table.parquet"}
"""Files whose local recoding `make test` tries: how rows are written does not depend on it."""
LOCAL = Crowd(effort=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "search"),
    [
        *((name, "lattice") for name in WRITERS),
        *(
            pytest.param(name, "crowd", marks=() if name in LOCALLY else pytest.mark.thorough)
            for name in WRITERS
        ),
    ],
)
def test_a_large_file_is_released_as_in_memory(people, tmp_path, monkeypatch, name, search):
    path, out, other = tmp_path / name, tmp_path / f"out-{name}", tmp_path / f"other-{name}"
    WRITERS[name](people, path)
    policy = policy_of(people, search=LOCAL if search == "crowd" else search)
    theirs = incrowd.anonymize(path, policy, other, seed=1)
    monkeypatch.setattr(large, "CELL", 10**9)
    mine = incrowd.anonymize(path, policy, out, seed=1)
    assert mine.certificate.engine == "duckdb"
    assert theirs.certificate.engine is None
    assert mine.loss == pytest.approx(theirs.loss)
    assert mine.models == theirs.models
    for found in (
        incrowd.check(out, policy, f"{out}.certificate.json", original=path),
        incrowd.check(other, policy, f"{other}.certificate.json"),
    ):
        assert found.ok, found.notes
    monkeypatch.setattr(large, "CELL", 0)
    assert incrowd.check(out, policy, f"{out}.certificate.json", original=path).ok
    assert incrowd.risk(out, quasi=QUASI).k == mine.k


@pytest.mark.usefixtures("tight")
def test_folders_and_patterns_of_parquet_files_are_one_table(people, tmp_path):
    for i, part in enumerate(people.iter_slices(300)):
        folder = tmp_path / "all" / f"day={i}"
        folder.mkdir(parents=True)
        part.write_parquet(folder / "part.parquet")
    for source in (tmp_path / "all", f"{tmp_path}/all/*/*.parquet"):
        assert open_table(source).engine.name == "duckdb"
        assert incrowd.risk(source, quasi=QUASI).k == incrowd.risk(people, quasi=QUASI).k


PART = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})


def make_files(folder, *names, **unlike):
    """Write `PART` to files of a folder, by their endings; those of `unlike` hold other frames."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        frame = unlike.get(path.stem, PART)
        frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)


def seen(source):
    """The rows of a table that is opened, or what is said against it."""
    try:
        with open_table(source) as table:
            engine = table.engine if table.in_memory else fetch_into_memory(table.engine)
            return table.names, sorted(engine.rows.cast(pl.String).rows(), key=str)
    except InputError as error:
        return str(error)


SEVERAL = {
    "texts by a pattern": (["1.csv", "2.csv"], "*.csv"),
    "one text by a pattern": (["1.csv"], "*.csv"),
    "texts in a folder": (["1.csv", "2.csv"], ""),
    "a text beside a table": (["1.parquet", "2.csv"], ""),
    "a text before a table": (["1.csv", "2.parquet"], "*"),
    "other endings": (["1.parquet", "2.pq", "3.PARQUET"], ""),
    "what Spark leaves beside": (["1.parquet", "_2.parquet", ".3.parquet"], "*.parquet"),
    "folders without a key": (["1.parquet", "more/2.parquet"], ""),
    "folders by a pattern": (["day=1/1.parquet", "day=2/2.parquet"], "day=*"),
    "an odd key": (["the%20day=1/1.parquet"], "*/*"),
    "keys that differ": (["day=1/1.parquet", "hour=1/2.parquet"], "*"),
    "a key above": (["day=1/1.parquet"], "day=1"),
    "a file below a key": (["day=1/1.parquet"], "day=1/1.parquet"),
    "more columns": (["1.parquet", "wide.parquet"], ""),
    "other types": (["1.parquet", "other.parquet"], ""),
    "nothing": ([], "*.csv"),
}


@pytest.mark.parametrize("case", SEVERAL)
def test_several_large_files_are_read_or_refused_as_in_memory(case, tmp_path, monkeypatch):
    names, source = SEVERAL[case]
    wide, other = PART.with_columns(c=1), PART.with_columns(pl.col("a") + 0.5)
    make_files(tmp_path, *names, wide=wide, other=other)
    source = tmp_path / source
    monkeypatch.setattr(large, "_has_partitions", lambda *_: False)
    monkeypatch.setattr(large, "CELL", 0)
    in_memory = seen(source)
    monkeypatch.setattr(large, "CELL", 10**12)
    assert seen(source) == in_memory


@pytest.mark.usefixtures("tight")
def test_a_text_with_the_name_of_a_table_is_not_taken_for_all_of_them(tmp_path):
    make_files(tmp_path, "1.csv", "2.parquet")
    (tmp_path / "1.csv").rename(tmp_path / "1.parquet")
    for source in (tmp_path, tmp_path / "*.parquet"):
        with pytest.raises(InputError, match="it holds other things than Parquet files"):
            open_table(source)


@pytest.mark.parametrize("reading", [Reading(), Reading(memory="300MB")])
@pytest.mark.usefixtures("tight")
def test_verbs_refuse_several_large_texts(tmp_path, reading):
    make_files(tmp_path, "1.csv", "2.csv")
    source = tmp_path / "*.csv"
    asked = incrowd.quick(["a", "b"], quasi=["a"], k=2)
    for ask in (
        lambda: incrowd.risk(source, quasi=["a"], reading=reading),
        lambda: incrowd.discover(source, reading=reading),
        lambda: incrowd.anonymize(source, asked, tmp_path / "o.csv", reading=reading),
        lambda: incrowd.check(source, asked, reading=reading),
        lambda: incrowd.check(tmp_path / "1.csv", asked, original=source, reading=reading),
        lambda: incrowd.compare(source, tmp_path / "1.csv", reading=reading),
        lambda: incrowd.attack(tmp_path / "1.csv", world=source, reading=reading),
    ):
        with pytest.raises(InputError, match="it holds other things than Parquet files"):
            ask()


@pytest.mark.parametrize("name", ["t[1].parquet", "t[1].arrow", "t[1].csv"])
def test_a_name_like_a_pattern_is_the_file_of_that_name(tmp_path, monkeypatch, name):
    """The pattern `t[1]` names t1, which is another table."""
    WRITERS[name.replace("t[1]", "table")](PART, tmp_path / name)
    WRITERS[name.replace("t[1]", "table")](PART.head(1), tmp_path / name.replace("[1]", "1"))
    in_memory = seen(tmp_path / name)
    monkeypatch.setattr(large, "CELL", 10**12)
    assert seen(tmp_path / name) == in_memory == (("a", "b"), [("1", "x"), ("2", "y")])


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.usefixtures("tight")
def test_a_large_table_of_too_many_columns_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr("incrowd.io.titles.MOST_COLUMNS", 1)
    WRITERS[name](PART, tmp_path / name)
    with pytest.raises(InputError, match="it has 2 columns; incrowd reads at most 1"):
        open_table(tmp_path / name)


def test_what_fits_stays_in_memory(people, tmp_path):
    people.write_parquet(tmp_path / "t.parquet")
    assert open_table(tmp_path / "t.parquet").engine.name == "memory"
    assert open_table(tmp_path / "t.parquet", Reading(memory=2**28)).engine.name == "memory"


def test_the_estimate_grows_with_the_table(people, tmp_path):
    people.write_parquet(tmp_path / "t.parquet")
    people.write_csv(tmp_path / "t.csv")
    cells = people.height * people.width
    assert large.estimate_size(tmp_path / "t.parquet").cells == cells
    assert 0.3 * cells < large.estimate_size(tmp_path / "t.csv").cells < 4 * cells
    assert large.estimate_size(tmp_path / "nothing.csv") is None


@pytest.mark.usefixtures("tight")
def test_too_little_disk_is_refused_before_any_work(people, tmp_path, monkeypatch):
    people.write_parquet(tmp_path / "t.parquet")
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10))
    with pytest.raises(LimitError, match="of disk"):
        incrowd.risk(tmp_path / "t.parquet", quasi=QUASI)


@pytest.mark.slow
@pytest.mark.usefixtures("tight")
def test_a_file_that_changes_meanwhile_is_refused(people, tmp_path, monkeypatch):
    path, out = tmp_path / "t.parquet", tmp_path / "o.parquet"
    people.write_parquet(path)
    from incrowd import pipeline

    stage = pipeline._stage_rows

    def changed(*given):
        people.head(600).write_parquet(path)
        return stage(*given)

    monkeypatch.setattr(pipeline, "_stage_rows", changed)
    with pytest.raises(InputError):
        incrowd.anonymize(path, policy_of(people, search=LOCAL), out)
    assert not out.exists()


def test_a_table_of_a_duckdb_file(people, tmp_path):
    file = tmp_path / "it's.db"
    connection = duckdb.connect(str(file))
    connection.register("given", people.to_arrow())
    connection.execute('CREATE TABLE "my people" AS SELECT * FROM given')
    connection.close()
    found = incrowd.risk(f"duckdb:{file}::my people", quasi=QUASI)
    assert found.k == incrowd.risk(people, quasi=QUASI).k
    with pytest.raises(PolicyError, match="duckdb:FILE::TABLE"):
        incrowd.risk(f"duckdb:{file}", quasi=QUASI)
    with pytest.raises(InputError, match="no file"):
        incrowd.risk(f"duckdb:{file}x::my people", quasi=QUASI)
    with pytest.raises(InputError, match="DuckDB cannot read a table 'others'"):
        incrowd.risk(f"duckdb:{file}::others", quasi=QUASI)


@pytest.mark.slow
def test_clouds_are_refused_where_they_are_not_set_up():
    with pytest.raises(InputError, match="s3://") as caught:
        incrowd.risk("s3://bucket/secret-name.parquet", quasi=QUASI)
    assert "secret-name" not in str(caught.value)


def test_amounts_of_memory():
    assert large.parse_memory("2GB") == 2_000_000_000
    assert large.parse_memory("1 gib") == 2**30
    for wrong in ("much", "-1GB", "1e999GB", "3XB", ""):
        with pytest.raises(PolicyError, match="amount"):
            large.parse_memory(wrong)
    with pytest.raises(PolicyError, match="too little"):
        large.parse_memory("2MB")


@pytest.mark.slow
@pytest.mark.usefixtures("tight")
def test_the_command_says_what_it_does(people, tmp_path):
    from incrowd.cli.main import app

    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    people.select(*QUASI, "diagnosis").write_csv(path)
    asked = ["anonymize", str(path), "-q", ",".join(QUASI), "-s", "diagnosis", "-k", "4"]
    asked += ["--method", "mondrian"]
    done = CliRunner().invoke(app, [*asked, "-o", str(out), "--memory", "1GB"])
    assert done.exit_code == 0, done.output
    assert "with DuckDB, out of memory" in done.stderr
    wrong = CliRunner().invoke(app, [*asked, "-o", str(out), "--memory", "much"])
    assert isinstance(wrong.exception, PolicyError)
    checked = CliRunner().invoke(
        app, ["check", str(out), "--certificate", f"{out}.certificate.json", "--memory", "1GB"]
    )
    assert checked.exit_code == 0, checked.output


def test_an_estimate_says_time_memory_and_disk_before_any_work(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": range(500), "b": range(500)}).write_parquet(path)
    assert large.estimate_size(path) == large.TableEstimate(cells=1_000, rows=500)
    path.with_suffix(".csv").write_text("a,b\n" + "1,2\n" * 100)
    assert large.estimate_size(path.with_suffix(".csv")).rows is None
    said = large.TableEstimate(cells=140_000_000, rows=20_000_000).describe(1.5e9)
    assert said == (
        "this table of 20,000,000 rows is counted with DuckDB, out of memory: in memory it would "
        "take about 9.8 GB. A release takes about 2 minutes with levels, or 4 minutes with local "
        "recoding in parts, 1.5 GB of memory, and 5.6 GB of disk for a while"
    )


def test_a_large_file_whose_time_is_set_back_has_changed(people, tmp_path):
    path = tmp_path / "t.parquet"
    people.write_parquet(path)
    database = DuckDB()
    database.set_foreign_table(path)
    before = path.stat()
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(InputError, match="changed while incrowd worked on it"):
        database.write("SELECT c0 FROM source", None)
    database.close()

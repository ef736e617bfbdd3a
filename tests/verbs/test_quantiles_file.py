"""Quantiles of files and streams."""

import gzip
import io
import os
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.api import quantiles
from incrowd.engines.stamps import Stamp
from incrowd.errors import InfeasibleError, InputError, NotMetError, PolicyError
from incrowd.io.reading import Reading
from incrowd.population.buckets import QuantileOptions
from incrowd.verbs import quantile_passes, tables
from incrowd.watch import Watch
from naive import quantiles as naive

NAMES = ["income", "age", "born"]


def people(n, seed=3):
    rng = np.random.default_rng(seed)
    income = pl.Series(np.round(rng.lognormal(10, 1, n), 2))
    return pl.DataFrame(
        {
            "income": income.set(pl.Series(rng.random(n) < 0.1), None),
            "age": rng.integers(0, 100, n),
            "born": np.datetime64("1930-01-01") + rng.integers(0, 30_000, n),
            "town": [f"t{i % 50}" for i in range(n)],
        }
    )


@pytest.fixture
def table(tmp_path):
    people(5_000).write_csv(tmp_path / "t.csv")
    return tmp_path / "t.csv"


@pytest.fixture
def large(monkeypatch):
    """Every file is a large one."""
    monkeypatch.setattr(tables, "LARGE", 0)


def read(path):
    endings = {".parquet": pl.read_parquet, ".arrow": pl.read_ipc}
    if path.suffix in endings:
        return endings[path.suffix](path)
    separator = "\t" if path.suffix == ".tsv" else ","
    return pl.read_csv(path, infer_schema=False, separator=separator)


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "csv.zst", "parquet", "arrow"])
@pytest.mark.parametrize("sampled", [False, True])
def test_rows_are_written_and_counted(table, tmp_path, ending, sampled):
    target = tmp_path / f"out.{ending}"
    options = {"epsilon": 0.05} if sampled else {}
    found = quantiles(table, target, columns=NAMES, k=200, keep=["town"], seed=1, **options)
    rows = read(target)
    assert found.frame is None
    assert found.promise.exact is not sampled
    assert rows.columns == [*NAMES, "town"]
    assert rows.height == found.records == 5_000
    for column in found.columns:
        shown = [cell or None for cell in rows[column.name].to_list()]
        assert naive.smallest(shown) == column.smallest >= 200
        assert len({*shown} - {None}) == column.buckets
        assert shown.count(None) == column.missing + column.emptied
    assert Counter(rows["town"]) == Counter(people(5_000)["town"])
    assert sorted(path.name for path in tmp_path.iterdir()) == [target.name, "t.csv"]


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv.gz"])
def test_files_of_all_kinds_are_read(tmp_path, ending):
    frame, path = people(2_000), tmp_path / f"t.{ending}"
    if ending == "parquet":
        frame.write_parquet(path)
    elif ending == "arrow":
        frame.write_ipc(path)
    else:
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    found = quantiles(path, tmp_path / "out.parquet", columns=NAMES, k=100, keep_order=True)
    rows = pl.read_parquet(tmp_path / "out.parquet")
    assert found.smallest >= 100
    assert ending == "csv.gz" or rows.schema == frame.select(NAMES).schema
    values = rows["age"].cast(pl.Int64)
    assert values.to_list() != frame["age"].to_list()
    assert (values - frame["age"]).abs().max() <= 10


@pytest.mark.slow
@settings(max_examples=8)
@given(
    pieces=st.tuples(st.integers(200, 3_000), st.integers(200, 60_000)),
    seed=st.integers(0, 2**40),
    keep_order=st.booleans(),
)
def test_the_size_of_batches_changes_nothing(tmp_path_factory, pieces, seed, keep_order):
    folder = tmp_path_factory.mktemp("t")
    people(1_200).write_csv(folder / "t.csv")
    options = QuantileOptions(
        NAMES, k=60, epsilon=0.1, delta=0.1, seed=seed, keep_order=keep_order, show="range"
    )
    for name, piece in zip("ab", pieces, strict=True):
        target, reading = folder / f"{name}.csv", Reading(piece=piece, kept=None)
        found = quantile_passes.write_quantiles(folder / "t.csv", target, options, reading, Watch())
        assert not found.promise.exact
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


@pytest.mark.parametrize(
    ("spoil", "records"),
    [
        (lambda text: text.replace("\n", "\n\n"), 4_000),
        (lambda text: "\n\n" + text, 4_000),
        (lambda text: text.replace("\n", "\r\n"), 4_000),
        (lambda text: text.rstrip("\n"), 4_000),
        (lambda text: text.replace("t1,", '"t1\n, and ""so"" on",'), 4_000),
        (lambda text: text.replace("town", "ort\u00e9"), 4_000),
    ],
)
def test_odd_texts_are_read_as_ever(tmp_path, spoil, records):
    text = people(4_000).select("age", "town", "income").write_csv()
    (tmp_path / "t.csv").write_bytes(spoil(text).encode())
    (tmp_path / "l.csv").write_bytes(spoil(text).encode("latin-1"))
    for name in ("t.csv", "l.csv"):
        found = quantiles(tmp_path / name, tmp_path / "o.csv", columns=["age"], k=100, seed=1)
        assert found.records == records
        assert found.smallest >= 100
        assert found.columns[0].missing == 0
        assert read(tmp_path / "o.csv").height == records


def test_no_header(tmp_path):
    people(500).select("age", "income").write_csv(tmp_path / "t.csv", include_header=False)
    found = quantiles(tmp_path / "t.csv", tmp_path / "o.csv", columns=["column_1"], k=50)
    assert found.records == 500
    assert read(tmp_path / "o.csv").columns == ["column_1"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("wanted", [True, False])
def test_what_comes_once_is_put_aside(table, tmp_path, wanted, monkeypatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    options = {"columns": NAMES, "k": 300, "epsilon": 0.05, "seed": 3}
    writer = threading.Thread(target=lambda: pipe.write_bytes(table.read_bytes()))
    writer.start()
    one = quantiles(pipe, tmp_path / "one.csv" if wanted else None, **options)
    writer.join()
    monkeypatch.setattr(tables, "LARGE", 0)
    other = quantiles(table, tmp_path / "other.csv", **options)
    assert one.columns == other.columns
    if wanted:
        assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "other.csv").read_bytes()


def test_standard_input(table, tmp_path, monkeypatch):
    data = io.TextIOWrapper(io.BytesIO(table.read_bytes()))
    monkeypatch.setattr(sys, "stdin", data)
    found = quantiles("-", tmp_path / "o.csv", columns=["age"], k=300, epsilon=0.05)
    assert found.smallest >= 300
    assert found.records == 5_000
    assert found.withheld == ("income", "born", "town")


@pytest.mark.parametrize("spoil", ["row", "column", "value", "value-kept"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_was_written_is_verified(table, tmp_path, monkeypatch, spoil, ending):
    target = tmp_path / f"p.{ending}"
    target.write_text("of yesterday")
    real, plainly = quantile_passes.write_in_pieces, quantile_passes.open_new_file
    change = {
        "row": lambda frame: frame[1:],
        "column": lambda frame: frame.with_columns(more=pl.lit("1")),
        "value": lambda frame: frame.with_columns(age=pl.int_range(pl.len()).cast(pl.String)),
        "value-kept": lambda frame: frame.with_columns(
            pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("7")).otherwise("age").alias("age")
        ),
    }[spoil]

    def spoiled(path, form):
        made = real(path, form)

        class Spoiling:
            def __enter__(self):
                write = made.__enter__()
                return lambda frame: write(change(frame))

            def __exit__(self, *error):
                return made.__exit__(*error)

        return Spoiling()

    @contextmanager
    def spoiled_text(path):
        told = []
        yield lambda data: told.append(bytes(data))
        rows = change(pl.read_csv(b"".join(told), infer_schema=False))
        with plainly(path) as put:
            put(rows.write_csv().encode())

    monkeypatch.setattr(quantile_passes, "write_in_pieces", spoiled)
    monkeypatch.setattr(quantile_passes, "open_new_file", spoiled_text)
    with pytest.raises(NotMetError):
        quantiles(table, target, columns=NAMES, k=100, keep_order=True)
    assert target.read_text() == "of yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == [target.name, "t.csv"]


@pytest.mark.parametrize("records", [4_000, 5_000])
@pytest.mark.parametrize("epsilon", [0.05, None])
@pytest.mark.parametrize("quick", [True, False])
def test_a_file_that_changes_between_the_passes_is_noticed(  # noqa: PLR0917  every pair of ways
    table, tmp_path, monkeypatch, records, epsilon, quick
):
    name = "enforce_k" if quick else "_divide_columns"
    real = getattr(quantile_passes, name)

    def meanwhile(*arguments):
        people(records, seed=9).write_csv(table)
        return real(*arguments)

    monkeypatch.setattr(quantile_passes, name, meanwhile)
    monkeypatch.setattr(quantile_passes, "is_rewritable", lambda *_: quick)
    options = {"columns": ["age"], "k": 100, "epsilon": epsilon, "keep_order": True}
    with pytest.raises(NotMetError, match="changed while it was read"):
        quantiles(table, tmp_path / "p.csv", **options)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_file_whose_time_is_set_back_has_changed(table):
    stamp = Stamp.of(table)
    stamp.refuse_changed()
    before = table.stat()
    table.write_bytes(table.read_bytes()[::-1])
    os.utime(table, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(NotMetError):
        stamp.refuse_changed()
    table.unlink()
    with pytest.raises(NotMetError):
        stamp.refuse_changed()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", InputError),
        ("a,b\n", InputError),
        ("a,b\n1,2,3\n", InputError),
        ("a,b\n" + "1,2\n" * 20 + "1\n", InputError),
        ("a,b\n" + "1,2\n" * 20 + "secret,2\n", InputError),
        ("a,b\n" + "1,2\n" * 20 + "inf,2\n", InputError),
        ("a,b\n1,2\n1\n", InputError),
        ("b,c\n" + "1,2\n" * 20, PolicyError),
        ("a,b\n1,2\n", InfeasibleError),
    ],
)
@pytest.mark.parametrize("size", [0, 2**28])
def test_bad_tables(tmp_path, monkeypatch, text, error, size):
    monkeypatch.setattr(tables, "LARGE", size)
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(error) as caught:
        quantiles(tmp_path / "t.csv", tmp_path / "p.csv", columns=["a"], k=5)
    assert "secret" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("target", ["p.sav", "nowhere/p.csv", "-", "t.csv", "p.parquet.gz", "."])
@pytest.mark.usefixtures("table")
def test_bad_targets_are_told_before_anything_is_read(tmp_path, monkeypatch, target):
    monkeypatch.setattr(quantile_passes, "_first_passes", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises((PolicyError, InputError)):
        quantiles("t.csv", target, columns=["age"], k=5)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    ("module", "where"),
    [
        (quantile_passes, "_draw_sample"),
        (quantile_passes, "_write_text"),
        (quantile_passes, "_rewrite_text"),
        (quantile_passes, "_verify_written"),
    ],
)
def test_an_interruption_leaves_nothing(table, tmp_path, monkeypatch, module, where):
    target = tmp_path / "p.csv"
    target.write_text("of yesterday")
    real = getattr(module, where)

    def interrupted(*arguments, **options):
        real(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, where, interrupted)
    with pytest.raises(KeyboardInterrupt):
        quantiles(table, target, columns=["age"], k=100)
    assert target.read_text() == "of yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.csv", "t.csv"]


USED = """
import resource
import incrowd.io.csv_rewrite as csv_rewrite
from incrowd.verbs.quantile_passes import write_quantiles
from incrowd.population.buckets import QuantileOptions
from incrowd.io.reading import Reading
from incrowd.population.buckets import QuantileOptions
from incrowd.engines.stamps import Stamp
from incrowd.watch import Watch

csv_rewrite.BYTES = 2**20

def run(source):
    options = QuantileOptions(["zip", "age"], k=1000, epsilon=0.05, seed=1)
    write_quantiles(source, "p.csv", options, Reading(piece=2**18, kept=None), Watch())
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

before = run("small.csv")
print(run("large.csv") - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted otherwise there")
def test_memory_is_that_of_the_sample_and_a_batch(tmp_path):
    for name, records in (("small", 100_000), ("large", 2_000_000)):
        numbers = pl.int_range(records, eager=True)
        pl.DataFrame(
            {"id": "person " + numbers.cast(pl.String), "zip": numbers % 9_973, "age": numbers % 89}
        ).write_csv(tmp_path / f"{name}.csv")
    size = (tmp_path / "large.csv").stat().st_size
    done = subprocess.run(
        [sys.executable, "-c", USED], cwd=tmp_path, capture_output=True, check=True, text=True
    )
    assert int(done.stdout) * 1024 < size

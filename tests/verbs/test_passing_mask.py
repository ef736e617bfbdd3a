"""Withholding files that do not fit into memory."""

import os
import signal
import subprocess
import sys
import threading
import tracemalloc
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd.verbs.mask as verb
from incrowd.api import mask
from incrowd.errors import InfeasibleError, InputError, NotMetError, PolicyError
from incrowd.identify.withholding import WithholdRequest, withhold
from incrowd.io import batches
from incrowd.io.reading import Reading
from incrowd.verbs import tables
from incrowd.watch import Watch
from processes import hears_interrupts

MEASURES = ["distinct", "separation", "unique"]
LIMITS = {"distinct": 0.3, "separation": 0.9, "unique": 0.3}


def people(n):
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "zip": [str(i * 7919 % 211) for i in range(n)],
            "age": [str(i * 104_729 % 83) if i % 10 else None for i in range(n)],
            "sex": ["FM"[i * i % 7 % 2] for i in range(n)],
            "land": ["x"] * n,
        },
        schema_overrides={"age": pl.String},
    )


@pytest.fixture
def large(monkeypatch):
    """Every file is a large one."""
    monkeypatch.setattr(tables, "LARGE", 0)


@pytest.fixture
def table(tmp_path):
    people(3_000).write_csv(tmp_path / "t.csv")
    return tmp_path / "t.csv"


def passed(table, target, reading=None, **options):
    return verb._mask_in_passes(
        table,
        target,
        WithholdRequest(method="sampled", **options),
        reading or Reading(kept=None),
        Watch(),
    )


def rows_of(frame):
    return Counter(frame.rows())


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "csv.zst", "parquet", "arrow"])
@pytest.mark.parametrize("measure", MEASURES)
def test_published_columns_are_written_and_counted(table, tmp_path, measure, ending):
    target = tmp_path / f"published.{ending}"
    found = passed(table, target, ratio=LIMITS[measure], measure=measure, sample=2_000, seed=1)

    assert not found.guarantee.exact
    assert found.guarantee.sample == 2_000
    assert "id" in found.withheld
    assert {*found.published, *found.withheld} == {*people(1).columns}
    assert found.frame is None
    assert found.ratio <= LIMITS[measure]
    read = {"parquet": pl.read_parquet, "arrow": pl.read_ipc}.get(ending)
    separator = "\t" if ending == "tsv" else ","
    rows = read(target) if read else pl.read_csv(target, infer_schema=False, separator=separator)
    assert rows.columns == list(found.published)
    assert rows_of(rows) == rows_of(people(3_000).select(found.published))
    assert found.ratios == mask(people(3_000).select(found.published), ratio=1).ratios
    assert sorted(path.name for path in tmp_path.iterdir()) == [target.name, "t.csv"]


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(pieces=st.tuples(st.integers(40, 3_000), st.integers(40, 50_000)), data=st.data())
def test_the_size_of_batches_changes_nothing(tmp_path_factory, pieces, data):
    folder = tmp_path_factory.mktemp("t")
    people(300).write_csv(folder / "t.csv")
    measure, seed = data.draw(st.sampled_from(MEASURES)), data.draw(st.integers(0, 2**40))
    options = {"ratio": LIMITS[measure], "measure": measure, "sample": 700, "seed": seed}
    options |= {"keep_order": data.draw(st.booleans()), "keep": ["sex"]}
    one, other = (
        passed(folder / "t.csv", folder / f"{name}.csv", Reading(piece=piece, kept=None), **options)
        for name, piece in zip("ab", pieces, strict=True)
    )
    assert (one.published, one.ratios, one.guarantee) == (
        other.published,
        other.ratios,
        other.guarantee,
    )
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


@pytest.mark.parametrize("measure", MEASURES)
def test_a_table_that_fits_the_sample_is_decided_exactly(tmp_path, measure):
    people(40).write_csv(tmp_path / "t.csv")
    options = {"ratio": LIMITS[measure], "measure": measure}
    found = passed(tmp_path / "t.csv", tmp_path / "p.csv", **options, sample=780)
    assert found.guarantee.exact
    assert found.published == mask(people(40), **options).published
    with pytest.raises(PolicyError, match="too small"):
        passed(tmp_path / "t.csv", tmp_path / "p.csv", **options, sample=2)


@pytest.mark.parametrize("measure", MEASURES)
def test_reservoirs_decide_as_samples_of_a_table_in_memory(table, tmp_path, measure):
    options = {"ratio": LIMITS[measure], "measure": measure, "sample": 2_500}
    here = {passed(table, tmp_path / "p.csv", **options, seed=seed).published for seed in range(4)}
    there = {mask(people(3_000), **options, method="sampled", seed=s).published for s in range(4)}
    assert here & there


def test_rows_leave_in_a_new_order_unless_it_is_kept(table, tmp_path):
    options = {"ratio": 1.0, "keep": ["id"], "sample": 2_999}
    with pytest.raises(InfeasibleError):
        passed(table, tmp_path / "p.csv", **options)
    options = {"ratio": 0.9, "measure": "separation", "seed": 1}
    kept = passed(table, tmp_path / "kept.csv", **options, keep_order=True)
    moved = passed(table, tmp_path / "moved.csv", **options)
    rows = [pl.read_csv(tmp_path / f"{name}.csv", infer_schema=False) for name in ("kept", "moved")]
    assert rows[0].equals(people(3_000).select(kept.published))
    assert not rows[1].equals(rows[0])
    assert rows_of(rows[1]) == rows_of(rows[0])
    assert any("order" in note for note in kept.notes)
    assert not any("order" in note for note in moved.notes)


@pytest.mark.usefixtures("large")
def test_large_files_go_by_if_a_sample_decides(table, tmp_path, monkeypatch):
    monkeypatch.setattr("incrowd.io.tables.read", None)
    found = mask(table, tmp_path / "p.csv", ratio=0.3, method="sampled", sample=2_000)
    assert found.frame is None
    assert (tmp_path / "p.csv").exists()
    assert mask(table, None, ratio=0.3, method="sampled", sample=2_000).ratio <= 0.3
    with pytest.raises(TypeError):
        mask(table, tmp_path / "p.csv", ratio=0.3)


def test_small_files_are_held(table, tmp_path):
    found = mask(table, tmp_path / "p.csv", ratio=0.3, method="sampled", sample=2_000)
    assert found.frame.height == 3_000
    assert mask(table, None, ratio=0.3).frame.height == 3_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.csv", "t.csv"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("wanted", [True, False])
def test_what_comes_once_is_put_aside(table, tmp_path, wanted):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    options = {"ratio": 0.3, "method": "sampled", "sample": 2_000, "seed": 3}
    writer = threading.Thread(target=lambda: pipe.write_bytes(table.read_bytes()))
    writer.start()
    one = mask(pipe, tmp_path / "one.csv" if wanted else None, **options)
    writer.join()
    other = passed(table, tmp_path / "other.csv", ratio=0.3, sample=2_000, seed=3)
    assert (one.published, one.ratios) == (other.published, other.ratios)
    if wanted:
        assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "other.csv").read_bytes()
    names = {"one.csv"} if wanted else set()
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "pipe", "other.csv"} | names


@pytest.mark.parametrize("spoil", ["row", "column", "value"])
def test_what_was_written_is_verified(table, tmp_path, monkeypatch, spoil):
    target = tmp_path / "p.csv"
    target.write_text("of yesterday")
    real = verb.write_in_pieces

    def spoiled(path, form):
        made = real(path, form)
        write = made.__enter__()
        made.__enter__ = lambda: None

        class Spoiling:
            def __enter__(self):
                return lambda frame: write(
                    {
                        "row": lambda: frame[1:],
                        "column": lambda: frame.with_columns(more=pl.lit("1")),
                        "value": lambda: frame.with_columns(
                            pl.int_range(pl.len()).cast(pl.String).alias(frame.columns[0])
                        ),
                    }[spoil]()
                )

            def __exit__(self, *error):
                return made.__exit__(*error)

        return Spoiling()

    monkeypatch.setattr(verb, "write_in_pieces", spoiled)
    with pytest.raises(NotMetError):
        passed(table, target, ratio=0.3, sample=2_000, seed=1)
    assert target.read_text() == "of yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.csv", "t.csv"]


def test_a_file_that_changes_between_the_passes_is_noticed(table, tmp_path, monkeypatch):
    real = verb.withhold_by_gauge

    def meanwhile(*arguments, **options):
        people(2_990).write_csv(table)
        return real(*arguments, **options)

    monkeypatch.setattr(verb, "withhold_by_gauge", meanwhile)
    with pytest.raises(NotMetError, match="not those that should leave"):
        passed(table, tmp_path / "p.csv", ratio=0.3, sample=2_000, seed=1)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    ("text", "options", "error"),
    [
        ("", {}, InputError),
        ("a,b\n", {}, InputError),
        ("a,b\n1,2,3\n", {}, InputError),
        ("a,b\n1,2\n" * 2 + "1\n", {}, InputError),
        ("a,b\n1,2\n1\n", {}, InputError),
        ("a,b\n1,x\n2,x\n", {"keep": ["c"]}, PolicyError),
        ("a,b\n1,x\n2,x\n", {"drop": ["c"]}, PolicyError),
        ("a,b\n1,x\n2,x\n", {"weights": {"c": 1}}, PolicyError),
        ("a,b\n1,x\n2,x\n", {"keep": ["b"], "drop": ["b"]}, PolicyError),
        ("a,b\n1,x\n2,x\n", {"seed": -1}, PolicyError),
        ("a,b\n1,x\n2,y\n", {}, InfeasibleError),
        ("a,b\n1,x\n2,y\n", {"keep": ["a"]}, InfeasibleError),
        ("a,b\n1,x\n2,x\n", {"drop": ["a", "b"]}, InfeasibleError),
    ],
)
@pytest.mark.usefixtures("large")
def test_bad_tables_and_requests(tmp_path, text, options, error):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(error):
        mask(tmp_path / "t.csv", tmp_path / "p.csv", ratio=0.6, method="sampled", **options)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("target", ["p.sav", "nowhere/p.csv", "-", "t.csv", "p.parquet.gz", "."])
@pytest.mark.usefixtures("large", "table")
def test_bad_targets_are_told_before_anything_is_read(tmp_path, monkeypatch, target):
    monkeypatch.setattr(verb, "draw", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises((PolicyError, InputError)):
        mask("t.csv", target, ratio=0.6, method="sampled")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_sample_too_small_is_told_as_soon_as_that_is_known(table, tmp_path, monkeypatch):
    frames = batches.read_records
    read = []

    def counted(*arguments, **options):
        read.append(1)
        return frames(*arguments, **options)

    monkeypatch.setattr(batches, "read_records", counted)
    with pytest.raises(PolicyError, match="too small"):
        passed(table, tmp_path / "p.csv", Reading(piece=1_000, kept=None), ratio=0.3, sample=10)
    assert len(read) < 5


def test_the_promise_of_a_sample_names_itself_when_nothing_may_leave(table, tmp_path):
    with pytest.raises(InfeasibleError, match="by a sample of 2,000"):
        passed(table, tmp_path / "p.csv", ratio=0.02, sample=2_000, drop=["land", "sex"])


def test_the_choice_is_that_of_the_sample_it_draws(table, tmp_path, monkeypatch):
    drawn = []
    real = verb.RecordGauge
    monkeypatch.setattr(
        verb,
        "RecordGauge",
        lambda sample, measure: drawn.append(sample) or real(sample, measure),
    )
    found = passed(table, tmp_path / "p.csv", ratio=0.3, sample=2_000, seed=5)
    (sample,) = drawn
    below = float(found.guarantee.searched.split("ratio of ")[1].split(" ")[0])
    alike = withhold(sample, WithholdRequest(ratio=below))
    assert found.published == tuple(sample.names[j] for j in alike.published)


def generated(path, records):
    """A table of so many records."""
    place = pl.int_range(records)
    pl.select(
        pl.format("p{}", place).alias("id"),
        (place % 97).alias("zip"),
        (place * 31 % 89).alias("age"),
        pl.when(place % 2 == 0).then(pl.lit("F")).otherwise(pl.lit("M")).alias("sex"),
    ).write_csv(path)


USED = """
import resource
import incrowd.io.passes as order
from incrowd.identify.withholding import WithholdRequest
from incrowd.io.reading import Reading
from incrowd.verbs.mask import _mask_in_passes
from incrowd.watch import Watch

order.CELLS = 2**16

def run(source):
    request = WithholdRequest(
        method="sampled", measure="separation", ratio=0.9, sample=1000, seed=1
    )
    _mask_in_passes(source, "p.csv", request, Reading(piece=2**18, kept=None), Watch())
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

before = run("small.csv")
print(run("large.csv") - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted otherwise there")
def test_memory_is_that_of_the_sample_and_a_batch(tmp_path):
    generated(tmp_path / "small.csv", 100_000)
    generated(tmp_path / "large.csv", 3_000_000)
    size = (tmp_path / "large.csv").stat().st_size
    done = subprocess.run(
        [sys.executable, "-c", USED], cwd=tmp_path, capture_output=True, check=True, text=True
    )
    assert int(done.stdout) * 1024 < size
    assert (tmp_path / "p.csv").stat().st_size > size / 16


@pytest.mark.slow
def test_our_own_memory_is_that_of_a_batch(tmp_path):
    generated(tmp_path / "t.csv", 60_000)
    options = {"ratio": 0.9, "measure": "separation", "sample": 500, "seed": 1}
    passed(tmp_path / "t.csv", tmp_path / "p.csv", Reading(piece=2**14, kept=None), **options)
    tracemalloc.start()
    passed(tmp_path / "t.csv", tmp_path / "p.csv", Reading(piece=2**14, kept=None), **options)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < (tmp_path / "t.csv").stat().st_size


@pytest.mark.parametrize("where", ["_decide_by_sample", "_write_in_passes", "_recount_in_passes"])
def test_an_interruption_leaves_nothing(table, tmp_path, monkeypatch, where):
    target = tmp_path / "p.csv"
    target.write_text("of yesterday")
    real = getattr(verb, where)

    def interrupted(*arguments):
        real(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(verb, where, interrupted)
    with pytest.raises(KeyboardInterrupt):
        passed(table, target, ratio=0.3, sample=2_000)
    assert target.read_text() == "of yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.csv", "t.csv"]


@pytest.mark.slow
def test_ctrl_c_leaves_no_file(tmp_path):
    generated(tmp_path / "t.csv", 400_000)
    command = [sys.executable, "-m", "incrowd.cli.main", "mask", "-", "-o", "p.csv"]
    flags = ("--ratio", "0.3", "--method", "sampled", "--sample", "5000")
    with subprocess.Popen(
        [*command, *flags],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hears_interrupts,  # noqa: PLW1509  it only sets a signal
    ) as run:
        run.stdin.write((tmp_path / "t.csv").read_bytes())
        run.stdin.flush()  # it has read nearly all of that, and waits for more
        run.send_signal(signal.SIGINT)
        run.stdin.close()  # as Ctrl-C ends what is before a pipe, too
        error = run.stderr.read()
        assert run.wait(timeout=600) == 130, error
    assert b"interrupted" in error
    assert b"Traceback" not in error
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]

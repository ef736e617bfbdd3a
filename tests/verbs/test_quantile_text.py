"""Plain texts are rewritten quickly, to what the thorough way gives."""

import codecs
import csv
import io
import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.api import quantiles
from incrowd.errors import InputError
from incrowd.io import csv_rewrite
from incrowd.io.scratch import scratch_file
from incrowd.verbs import quantile_passes, tables

N = 3_000


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(3)
    income = pl.Series(np.round(rng.lognormal(9, 1, N), 2))
    pl.DataFrame(
        {
            "note": [f'he said "{i}", then\nleft' if i % 7 else "é" for i in range(N)],
            "income": income.set(pl.Series(rng.random(N) < 0.2), None),
            "zip": [f"{i % 40:05}" for i in range(N)],
            "age": rng.integers(0, 100, N),
        }
    ).write_csv(tmp_path / "t.csv")
    return tmp_path / "t.csv"


def both(table, monkeypatch, **options):
    """The rows by the quick way, which must be taken, and by the thorough one."""
    quick, slow = table.with_name("quick.csv"), table.with_name("slow.csv")
    with monkeypatch.context() as patched:
        patched.setattr(quantile_passes, "_first_passes", None)
        one = quantiles(table, quick, **options)
    with monkeypatch.context() as patched:
        patched.setattr(quantile_passes, "is_rewritable", lambda *_: False)
        other = quantiles(table, slow, **options)
    assert [c.smallest for c in one.columns] == [c.smallest for c in other.columns]
    return (pl.read_csv(path, infer_schema=False) for path in (quick, slow))


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, 2**28])
@pytest.mark.parametrize("keep_order", [True, False])
@pytest.mark.parametrize("held", [2**12, 2**25])
@pytest.mark.parametrize("keep", [["note", "zip"], [], ["zip"]])
def test_both_ways_agree(table, monkeypatch, limit, keep_order, held, keep):  # noqa: PLR0917  every pair of ways
    monkeypatch.setattr(tables, "LARGE", limit)
    monkeypatch.setattr(csv_rewrite, "BYTES", held)
    options = {"columns": ["age", "income"], "k": 60, "seed": 4, "show": "range"}
    quick, slow = both(table, monkeypatch, keep=keep, keep_order=keep_order, **options)
    assert quick.equals(slow)
    assert quick.height == N


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda text: text.replace("\n", "\n\n", 3), None),
        (lambda text: text + 'a"b,1,2,3\n', None),
        (lambda text: text + "a,1,2\n", InputError),
        (lambda text: text + "a,canary,2,3\n", InputError),
    ],
)
def test_odd_texts_go_the_thorough_way(tmp_path, change, error):
    lines = "".join(f"t{i},{i % 50},{i:05},{i % 9}\n" for i in range(500))
    (tmp_path / "t.csv").write_text(change("town,age,zip,x\n" + lines))
    options = {"columns": ["age"], "k": 20, "keep": ["town", "zip"], "keep_order": True}
    if error is None:
        assert quantiles(tmp_path / "t.csv", tmp_path / "o.csv", **options).smallest >= 20
        rows = pl.read_csv(tmp_path / "o.csv", infer_schema=False)
        assert rows["zip"][:500].to_list() == [f"{i:05}" for i in range(500)]
        return
    with pytest.raises(error) as caught:
        quantiles(tmp_path / "t.csv", tmp_path / "o.csv", **options)
    assert "canary" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_text_in_another_encoding_goes_the_thorough_way(tmp_path):
    lines = "".join(f"caf\xe9{i},{i % 50}\n" for i in range(500))
    (tmp_path / "t.csv").write_bytes(("town,age\n" + lines).encode("latin-1"))
    found = quantiles(tmp_path / "t.csv", tmp_path / "o.csv", columns=["age"], k=20, keep=["town"])
    assert any("latin-1" in note for note in found.notes)
    assert "caf\xe9" in (tmp_path / "o.csv").read_text(encoding="utf-8")


def records_of(data):
    """What the csv module reads."""
    text = io.StringIO(data.decode("utf-8-sig"), newline="")
    return [record for record in csv.reader(text) if record]


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from([b"", codecs.BOM_UTF8]),
    closed=st.booleans(),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    date=st.booleans(),
)
def test_cells_that_are_kept_are_those_of_the_csv_module(  # noqa: PLR0917  all that a text may have
    tmp_path_factory, seed, end, mark, closed, quoting, date
):
    folder, draw = tmp_path_factory.mktemp("t"), random.Random(seed)
    number = (lambda: f"2020-02-{draw.randint(1, 28):02}") if date else (lambda: "-0.0")
    odd = ["", "NA", number(), number(), *([] if date else ["0", " 7 ", "1e3", "-12.5"])]
    texts = ["a", "b c", "\u00e9", "", "x,y", 'q"q', "line\nbreak", "r\r\nn", "  "]
    rows = [(draw.choice(texts), draw.choice(odd), draw.choice(texts)) for _ in range(60)] * 2
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=end, quoting=quoting)
    writer.writerows([("note, one", "age", "town"), *rows])
    data = mark + (text.getvalue() if closed else text.getvalue().removesuffix(end)).encode()
    (folder / "t.csv").write_bytes(data)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(quantile_passes, "_first_passes", None)
        quantiles(
            folder / "t.csv",
            folder / "o.csv",
            columns=["age"],
            k=2,
            keep=["note, one", "town"],
            keep_order=True,
        )
    found, expected = records_of((folder / "o.csv").read_bytes()), records_of(data)
    assert [row[::2] for row in found] == [row[::2] for row in expected]


def test_a_letter_that_is_not_utf_8_late_in_a_text_is_found(tmp_path):
    lines = "".join(f"town{i},{i % 50}\n" for i in range(100_000)).encode()
    (tmp_path / "t.csv").write_bytes(b"town,age\n" + lines + b"caf\xe9,7\n")
    found = quantiles(tmp_path / "t.csv", tmp_path / "o.csv", columns=["age"], k=20, keep=["town"])
    assert any("latin-1" in note for note in found.notes)
    assert found.records == 100_001


def test_what_is_put_aside_is_found_again(tmp_path):
    arrays = [np.arange(5), np.zeros(0), np.frombuffer(b"canary", dtype=np.uint8)]
    with scratch_file(tmp_path) as aside:
        places = [aside.put(array) for array in arrays]
        for array, place in zip(arrays, places, strict=True):
            assert (aside.get(place, len(array), array.dtype.type) == array).all()
        assert "canary" not in repr(aside)
        with pytest.raises(InputError, match="stored on disk"):
            aside.get(places[-1], 100, np.float64)
    assert not list(tmp_path.iterdir())

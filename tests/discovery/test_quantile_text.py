"""Plain texts are rewritten quickly, to what the thorough way gives."""

import numpy as np
import polars as pl
import pytest

from incrowd.discovery import quantile_stream, quantiles_file, source, text_order
from incrowd.errors import InputError

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
        patched.setattr(quantile_stream, "_drawn", None)
        one = quantiles_file(table, quick, **options)
    with monkeypatch.context() as patched:
        patched.setattr(quantile_stream, "is_rewritable", lambda *_: False)
        other = quantiles_file(table, slow, **options)
    assert [c.smallest for c in one.columns] == [c.smallest for c in other.columns]
    return (pl.read_csv(path, infer_schema=False) for path in (quick, slow))


@pytest.mark.parametrize("limit", [0, 2**28])
@pytest.mark.parametrize("keep_order", [True, False])
@pytest.mark.parametrize("held", [2**12, 2**25])
@pytest.mark.parametrize("keep", [["note", "zip"], [], ["zip"]])
def test_both_ways_agree(table, monkeypatch, limit, keep_order, held, keep):  # noqa: PLR0917  every pair of ways
    monkeypatch.setattr(source, "LARGE", limit)
    monkeypatch.setattr(text_order, "BYTES", held)
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
        assert quantiles_file(tmp_path / "t.csv", tmp_path / "o.csv", **options).smallest >= 20
        rows = pl.read_csv(tmp_path / "o.csv", infer_schema=False)
        assert rows["zip"][:500].to_list() == [f"{i:05}" for i in range(500)]
        return
    with pytest.raises(error) as caught:
        quantiles_file(tmp_path / "t.csv", tmp_path / "o.csv", **options)
    assert "canary" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_text_in_another_encoding_goes_the_thorough_way(tmp_path):
    lines = "".join(f"caf\xe9{i},{i % 50}\n" for i in range(500))
    (tmp_path / "t.csv").write_bytes(("town,age\n" + lines).encode("latin-1"))
    found = quantiles_file(
        tmp_path / "t.csv", tmp_path / "o.csv", columns=["age"], k=20, keep=["town"]
    )
    assert any("latin-1" in note for note in found.notes)
    assert "caf\xe9" in (tmp_path / "o.csv").read_text(encoding="utf-8")

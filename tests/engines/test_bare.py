"""What a frame may carry besides its cells, and must not."""

import io
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from incrowd.engines.memory import MemoryEngine
from incrowd.recoding.column_cells import Keep

SECRET = "a text that is longer than a view: kanarienvogel"
N = 60
TEXTS = [f"a text of which there is one, number {i:02}" for i in range(N)]
TEXTS[7] = SECRET
TAKE = np.flatnonzero(np.arange(N) != 7)
ORDER = np.random.default_rng(5).permutation(N - 1)
UNSORTED = list(dict.fromkeys(TEXTS))[::-1]
NESTED = pa.struct([pa.field("a", pa.string(), metadata={"origin": SECRET})])
INDEXED = pa.dictionary(pa.int32(), pa.string())


def polars(dtype):
    return pl.DataFrame({"note": pl.Series(TEXTS).cast(dtype)})


def arrow(array):
    return pa.table({"note": array})


def on_arrow(array):
    return pd.DataFrame({"note": pd.Series(pd.arrays.ArrowExtensionArray(array))})


FRAMES = {
    "polars": polars(pl.String),
    "binary": polars(pl.Binary),
    "categories": polars(pl.Categorical),
    "enum": polars(pl.Enum([*TEXTS, f"unused {SECRET}"])),
    "list": polars(pl.String).select(pl.concat_list("note")),
    "array": polars(pl.String).select(pl.concat_list("note").list.to_array(1)),
    "struct": polars(pl.String).select(note=pl.struct("note")),
    "list-of-enum": polars(pl.Enum(TEXTS)).select(pl.concat_list("note")),
    "array-of-enum": polars(pl.Enum(TEXTS)).select(pl.concat_list("note").list.to_array(1)),
    "struct-of-enum": polars(pl.Enum(TEXTS)).select(note=pl.struct("note")),
    "pandas": pd.DataFrame({"note": TEXTS}),
    "pandas-categories": pd.DataFrame({"note": pd.Categorical(TEXTS, categories=UNSORTED)}),
    "pandas-arrow": on_arrow(pa.chunked_array([TEXTS])),
    "pandas-dictionary": on_arrow(pa.chunked_array([TEXTS]).dictionary_encode()),
    "pandas-struct": on_arrow(pa.chunked_array([pa.array([{"a": t} for t in TEXTS], NESTED)])),
    "arrow": arrow(pa.array(TEXTS)),
    "dictionary": arrow(pa.array(TEXTS).dictionary_encode()),
    "arrow-struct": arrow(pa.array([{"a": text} for text in TEXTS], NESTED)),
    "arrow-list": arrow(pa.array([[{"a": text}] for text in TEXTS], pa.list_(NESTED))),
    "arrow-large-list": arrow(pa.array([[text] for text in TEXTS], pa.large_list(INDEXED))),
    "arrow-field": pa.table({"note": TEXTS}).cast(
        pa.schema([pa.field("note", pa.string(), metadata={"origin": SECRET})])
    ),
}


def kept(frame, take):
    engine = MemoryEngine(frame)
    return engine.build_frame(dict.fromkeys(engine.names, Keep()), take)


def stored(frame):
    """The frame as files and other processes would get it."""
    yield pickle.dumps(frame)
    if isinstance(frame, pl.DataFrame):
        for write in (frame.write_ipc, frame.write_parquet):
            buffer = io.BytesIO()
            write(buffer, compression="uncompressed")
            yield buffer.getvalue()


@pytest.mark.parametrize("name", FRAMES)
def test_nothing_of_a_record_that_stays_leaves(name):
    released = kept(FRAMES[name], TAKE[ORDER])

    assert len(released) == N - 1
    for content in stored(released):
        assert b"kanarienvogel" not in content


@pytest.mark.parametrize("name", FRAMES)
def test_the_old_order_does_not_leave(name):
    released = kept(FRAMES[name], TAKE[ORDER])
    lists = {"pandas-categories", "enum"}

    for content in stored(released):
        found = re.findall(rb"there is one, number (\d\d)", content)
        seen = [int(number) for number in dict.fromkeys(found)]
        steps = np.diff(seen)
        assert name in lists or 0.2 < (steps > 0).mean() < 0.8


def test_categories_keep_an_order_that_means_something():
    ordered = pd.Categorical(TEXTS, categories=UNSORTED, ordered=True)
    held = kept(pd.DataFrame({"note": ordered}), TAKE)
    free = kept(FRAMES["pandas-categories"], TAKE)
    mixed = pd.DataFrame({"note": pd.Categorical(["b", 1, "a"])})

    assert held["note"].cat.categories.tolist() == [t for t in UNSORTED if t != SECRET]
    assert free["note"].cat.categories.tolist() == sorted(t for t in TEXTS if t != SECRET)
    released = kept(mixed, np.arange(3))
    assert released["note"].cat.categories.tolist() == [1, "a", "b"]
    assert released["note"].tolist() == ["b", 1, "a"]

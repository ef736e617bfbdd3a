"""A table read by its policy."""

import polars as pl
import pytest

import incrowd
from incrowd.engines.memory import MemoryEngine
from incrowd.io.hierarchies import builders_of
from incrowd.release.load import load


@pytest.mark.parametrize(
    ("units", "people"),
    [
        (None, 4),
        ([None, "a", "a", None], 3),
        ([None, None, None], 3),
        (["b", "c", None, None, None], 5),
        (["a", "a"], 1),
    ],
)
def test_people_of_the_whole_table(units, people):
    """A record that says nothing of its person is one."""
    frame = pl.DataFrame({"a": [1] * len(units or range(4))})
    columns = {"a": incrowd.Column(role="quasi")}
    if units is not None:
        frame = frame.with_columns(who=pl.Series(units, dtype=pl.String))
        columns["who"] = incrowd.Column(role="unit")
    policy = incrowd.Policy(columns=columns, models=(incrowd.KAnonymity(2),))
    table = load(MemoryEngine(frame), policy, builders_of(policy, "."))
    assert table.people == people
    assert "1" not in repr(table).replace(f"{frame.height} records", "").replace("1 columns", "")

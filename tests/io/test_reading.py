"""A table is opened once: verbs borrow what is open, and notes about it go to the watch."""

import polars as pl
import pytest

import incrowd
from incrowd import api
from incrowd.errors import PolicyError
from incrowd.io.reading import Opened, Reading, file_of, open_table, path_of
from incrowd.watch import NestedWatch, Watch

ROWS = pl.DataFrame({"age": [30, 30, 41, 41], "zip": ["1", "1", "2", "2"], "ill": list("abab")})


class Counting:
    """An engine that counts how often it is closed."""

    def __init__(self):
        self.closed = 0
        self.names = ("age",)

    def close(self):
        self.closed += 1


def test_whoever_opened_a_table_gives_it_back_and_borrowers_do_not():
    engine = Counting()
    with Opened(engine, None) as table:
        with open_table(table) as lent:
            assert lent.engine is engine
        with table.lend():
            pass
        assert engine.closed == 0
    assert engine.closed == 1


def test_verbs_take_a_table_that_is_open_and_leave_it_open(tmp_path):
    path = tmp_path / "people.csv"
    ROWS.write_csv(path)
    policy = incrowd.quick(ROWS.columns, quasi=["age", "zip"], sensitive="ill", k=2)
    with open_table(path) as table:
        assert api.risk(table, quasi="age").k == api.risk(path, quasi="age").k == 2
        assert api.draft(table).policy.columns == api.draft(path).policy.columns
        assert api.discover(table, ["age"]).records == 4
        release = api.anonymize(table, policy, tmp_path / "release.csv", seed=1)
        assert release.k == 2
        assert api.compare(table, table, quasi="age", models=False).original == "people.csv"
    with pytest.raises(PolicyError, match="overwrite"):
        api.anonymize(table, policy, path)


def test_a_release_that_is_open_is_checked_by_its_file(tmp_path):
    path = tmp_path / "release.csv"
    policy = incrowd.quick(ROWS.columns, quasi=["age", "zip"], sensitive="ill", k=2)
    ROWS.write_csv(tmp_path / "people.csv")
    incrowd.anonymize(tmp_path / "people.csv", policy, path, seed=1)
    with open_table(path, expected=ROWS.columns) as table:
        found = incrowd.check(table, policy, f"{path}.certificate.json")
    assert found.ok
    assert found.digest_ok


def test_notes_about_a_table_go_to_the_watch_once(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("A title\n\nage,zip\n1,2\n3,4\n")
    seen = []
    watch = NestedWatch(Watch(note=seen.extend), None)
    with open_table(path, watch=watch) as table, open_table(table, watch=watch):
        assert table.names == ("age", "zip")
    assert len(seen) == len(set(seen)) == len(table.origin.notes) > 0


def test_where_a_table_was_read_from():
    frame = Opened(Counting(), None)
    assert path_of(frame) is path_of(ROWS) is path_of(None) is None
    assert path_of("a.csv") == file_of(Opened(Counting(), None, "a.csv")) == "a.csv"
    assert path_of("-") == "-"
    assert file_of("-") is None
    assert path_of("duckdb:file.db::people") is None


def test_how_to_read_is_said_as_the_command_says_it():
    said = Reading(memory="2GB", date_formats=["birth=%d/%m/%Y"])
    assert said.bytes == 2_000_000_000
    assert said.notation == Reading(date_formats={"birth": "%d/%m/%Y"}).notation
    for wrong in ({"memory": "much"}, {"decimal": "x"}, {"date_formats": ["birth="]}):
        with pytest.raises(PolicyError):
            Reading(**wrong)

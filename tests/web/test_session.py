"""A session: what it remembers, what it takes back, and what it leaves behind."""

import asyncio
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import PolicyError
from incrowd.requests.reading import ReadingOptions
from incrowd.web import files
from incrowd.web.facts import TriedRelease
from incrowd.web.server import Patience, cancel_when_left
from incrowd.web.session import PINNED, PageSession, usual_release_name


@given(st.lists(st.one_of(st.text("abc", min_size=1), st.sampled_from(["<", ">"]))))
def test_undo_and_redo_go_through_all_texts(steps):
    """The slow twin keeps a list of all texts and a place in it."""
    session, texts, place = PageSession(), [""], 0
    for step in steps:
        if step == "<":
            session.undo()
            place = max(place - 1, min(place, 1))
        elif step == ">":
            session.redo()
            place = min(place + 1, len(texts) - 1)
        else:
            session.change(step)
            if step != texts[place]:
                texts, place = [*texts[: place + 1], step], place + 1
        assert session.policy == texts[place]
        assert session.can_undo == (place > 1)
        assert session.can_redo == (place < len(texts) - 1)


def test_another_table_begins_anew(tmp_path):
    session = PageSession(tmp_path)
    session.open(tmp_path / "a.csv.gz")
    assert session.target == str(tmp_path / "a-release.csv")
    session.change("one")
    session.change("two")
    session.open(tmp_path / "a.csv.gz", ReadingOptions(delimiter=";"))
    assert (session.policy, session.reading.delimiter) == ("two", ";")
    session.open(tmp_path / "b.parquet")
    assert (session.policy, session.can_undo) == ("", False)
    assert session.target == str(tmp_path / "b-release.parquet")
    session.open(None)
    assert session.source is None
    with pytest.raises(PolicyError, match="no table yet"):
        session.require_table()


@pytest.mark.parametrize(
    ("name", "release"),
    [("x.xlsx", "x-release.csv"), ("x.TSV", "x-release.tsv"), ("x", "x-release.csv")],
)
def test_releases_are_named_after_their_tables(name, release):
    assert usual_release_name(name) == release


def test_seeds_cannot_be_guessed():
    assert len({PageSession().seed for _ in range(20)}) == 20
    assert max(PageSession().seed for _ in range(50)) > 2**40


def test_few_points_can_be_pinned():
    session = PageSession()
    for number in range(PINNED):
        session.pin(TriedRelease(name=str(number), search="crowd", policy="", answer=None))
    with pytest.raises(PolicyError, match="pinned already"):
        session.pin(TriedRelease(name="more", search="crowd", policy="", answer=None))
    session.unpin(1)
    assert [one.name for one in session.pinned] == ["0", "2", "3"]


def test_the_private_folder_is_private_and_goes():
    session = PageSession()
    folder = session.private
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (folder / "file").write_text("x")
    session.close()
    assert not folder.exists()


def test_the_picker_stays_in_its_folder(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "sub").mkdir(parents=True)
    outside.mkdir()
    for path in (root / "a.csv", root / "b.bin", root / ".hidden", outside / "secret.csv"):
        path.write_text("x\n")
    (root / "sub" / "c.parquet").write_text("x")
    (root / "way out").symlink_to(outside)
    (root / "linked.csv").symlink_to(outside / "secret.csv")
    (root / "inner.csv").symlink_to(root / "a.csv")
    (root / "broken.csv").symlink_to(root / "none")
    entries = files.list_folder(root)
    shown = [(one.relative, one.folder, one.table) for one in entries]
    assert shown == [
        ("sub", True, False),
        ("a.csv", False, True),
        ("b.bin", False, False),
        ("inner.csv", False, True),
    ]
    assert [one.relative for one in files.list_folder(root, "sub")] == ["sub/c.parquet"]
    for relative in ("..", "../outside", "way out", "linked.csv", "/etc", "sub/../../outside"):
        with pytest.raises(PolicyError, match="out of the chosen folder"):
            files.path_within(root, relative)
    assert files.path_within(root, "sub/../a.csv") == root / "a.csv"


class NoMoreLooksError(Exception):
    """The end of a test that looks again and again."""


@pytest.mark.parametrize(
    ("connected", "cancels"),
    [
        ([True, False, False], 1),
        ([True, False, False, False, False], 1),  # once is enough
        ([True, False, False, True, False, False], 2),
        ([True, False, True, False], 0),  # another tab, or a reload
        ([False, False, False, False], 0),  # nobody has come yet
    ],
)
@pytest.mark.parametrize("connecting", [0.0, 3600.0])
def test_leaving_the_last_tab_cancels(monkeypatch, connected, cancels, connecting):
    """A page that was asked for just now may still be connecting: then nothing is cancelled."""
    session, done, looks = PageSession(), [], iter(connected)
    monkeypatch.setattr(session, "cancel", lambda: done.append("cancelled"))
    if connecting:
        session.note_visit()

    def is_connected():
        for look in looks:
            return look
        raise NoMoreLooksError

    patience = Patience(alone=0.0, connecting=connecting)
    with pytest.raises(NoMoreLooksError):
        asyncio.run(cancel_when_left(session, patience, is_connected))
    assert len(done) == (0 if connecting else cancels)


def test_a_tab_that_is_closed_before_it_is_connected_cancels(monkeypatch):
    session, done = PageSession(), []
    monkeypatch.setattr(session, "cancel", lambda: done.append("cancelled"))
    session.note_visit()

    def is_connected():
        if done:
            raise NoMoreLooksError
        return False

    patience = Patience(alone=0.0, connecting=0.05)
    with pytest.raises(NoMoreLooksError):
        asyncio.run(cancel_when_left(session, patience, is_connected))
    assert done == ["cancelled"]

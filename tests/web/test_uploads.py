"""Files that the browser hands over: private, of a limited size, and never left behind."""

import asyncio
import errno
import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.requests.reading import ReadingOptions
from incrowd.web import uploads
from incrowd.web.guard import Guard
from incrowd.web.session import PageSession
from incrowd.web.uploads import Receiver, Uploads, purpose_of, safe_name, without_private

PORT = 8123


@pytest.fixture
def session(tmp_path):
    made = PageSession(tmp_path)
    yield made
    made.close()


def sent(app, pieces, *, purpose="table", name="people.csv", method="POST", headers=()):
    """The status and the words of an answer; None as a piece: the browser goes away."""
    said, waiting = [], pieces

    async def receive():
        piece = waiting.pop(0)
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": bool(waiting)}

    async def send(message):
        said.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": f"/uploads/{purpose}",
        "query_string": b"",
        "headers": [(b"x-file-name", name.encode()), *headers],
    }
    asyncio.run(app(scope, receive, send))
    if not said:
        return None
    return said[0]["status"], said[1]["body"].decode()


def left(session):
    files = [path for path in session.private.rglob("*") if path.is_file()]
    return [path for path in files if not path.name.startswith(".owner")]


def test_a_file_is_written_as_it_comes_where_only_this_user_can_read_it(session):
    pieces = [b"a" * 700_000, b"b" * 700_000, b"", b"c"]
    assert sent(Receiver(session.uploads), [*pieces]) == (200, "people.csv")
    path = session.uploads.files["table"]
    assert path.read_bytes() == b"".join(pieces)
    assert path.is_relative_to(session.private)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (path.parent, path.parent.parent, session.private):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    session.close()
    assert not path.exists()
    assert session.uploads.files == {}


def test_an_empty_file_is_a_file(session):
    assert sent(Receiver(session.uploads), [b""])[0] == 200
    assert session.uploads.files["table"].read_bytes() == b""


@pytest.mark.parametrize("purpose", ["", "tables", "..", "private"])
def test_only_known_purposes_are_taken(session, purpose):
    assert sent(Receiver(session.uploads), [b"x"], purpose=purpose)[0] == 404
    assert sent(Receiver(session.uploads), [b"x"], method="PUT")[0] == 404
    assert left(session) == []


@pytest.mark.parametrize("told", [True, False])
def test_a_large_file_is_refused_with_its_limit_and_nothing_stays(session, told):
    small = Uploads(lambda: session.private, most=1_500_000)
    headers = [(b"content-length", b"2000000")] if told else []
    status, words = sent(Receiver(small), [b"x" * 1_000_000] * 2, headers=headers)
    assert status == 413
    assert "larger than 0.0015 GB" in words
    assert "into the folder that the page shows" in words
    assert left(session) == []
    assert small.files == {}


@pytest.mark.parametrize(("pieces", "unheard"), [(3, 0), (6, 2)])
def test_a_file_that_turns_out_too_large_is_heard_up_to_as_much_again(session, pieces, unheard):
    small = Uploads(lambda: session.private, most=1_500_000)
    waiting = [b"x" * 1_000_000] * pieces
    assert sent(Receiver(small), waiting)[0] == 413
    assert len(waiting) == unheard
    assert left(session) == []


def test_a_file_that_breaks_off_is_deleted(session):
    assert sent(Receiver(session.uploads), [b"x" * 2_000_000, None]) is None
    assert left(session) == []
    assert session.uploads.files == {}


def test_a_full_disk_is_told_once_everything_was_heard(session, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "cell values must not be told")

    monkeypatch.setattr(os, "fdopen", full)
    waiting = [b"x" * 2_000_000, b"y", b"z"]
    status, words = sent(Receiver(session.uploads), waiting)
    assert status == 507
    assert waiting == []
    assert "The disk is full" in words
    assert "cell values" not in words
    assert left(session) == []


def test_a_disk_with_too_little_space_is_not_written_to(session, monkeypatch):
    class Usage:
        free = 2**24 + 10

    monkeypatch.setattr(uploads.shutil, "disk_usage", lambda _: Usage)
    headers = [(b"content-length", b"11")]
    assert sent(Receiver(session.uploads), [b"x" * 11], headers=headers)[0] == 507
    headers = [(b"content-length", b"10")]
    assert sent(Receiver(session.uploads), [b"x" * 10], headers=headers)[0] == 200


def test_another_file_of_the_same_purpose_takes_its_place(session):
    sent(Receiver(session.uploads), [b"one"], purpose="release", name="a.csv")
    first = session.uploads.files["release"]
    sent(Receiver(session.uploads), [b"two"], purpose="release", name="a.csv")
    assert not first.parent.exists()
    assert [path.read_bytes() for path in left(session)] == [b"two"]


def test_another_table_takes_the_place_of_a_copy(session, tmp_path):
    (tmp_path / "mine.csv").write_text("a\n1\n")
    sent(Receiver(session.uploads), [b"a\n1\n"])
    copy = session.uploads.take("table")
    session.open(copy)
    assert session.is_copy
    assert session.target == str(tmp_path / "people-release.csv")
    session.open(copy, ReadingOptions(delimiter=";"))
    assert copy.exists()
    session.open(tmp_path / "mine.csv")
    assert not session.is_copy
    assert not copy.parent.exists()
    session.open(None)
    assert (tmp_path / "mine.csv").exists()


def test_everything_lies_behind_the_guard(session):
    guard = Guard(Receiver(session.uploads), PORT, "token")
    home = f"http://127.0.0.1:{PORT}".encode()
    named = [(b"host", home.removeprefix(b"http://"))]
    cookie = (b"cookie", f"incrowd_{PORT}={guard._secret}".encode())
    for headers in (
        named,
        [*named, cookie],
        [*named, (b"origin", home)],
        [*named, cookie, (b"origin", b"http://evil.example")],
        [(b"host", b"evil.example"), cookie, (b"origin", home)],
        [*named, cookie, (b"origin", home), (b"sec-fetch-site", b"same-site")],
    ):
        assert sent(guard, [b"x"], headers=headers)[0] == 403
    assert left(session) == []
    assert sent(guard, [b"x"], headers=[*named, cookie, (b"origin", home)])[0] == 200


@given(st.text(max_size=300))
def test_names_stay_in_their_folder(name):
    safe = safe_name(name)
    assert 0 < len(safe.encode()) <= 150
    assert "/" not in safe
    assert "\\" not in safe
    assert safe[0] not in ".-"
    assert safe.isprintable()
    assert safe_name(safe) == safe


@pytest.mark.parametrize(
    "letter", ["a", "\N{LATIN SMALL LETTER E WITH ACUTE}", "\N{HIRAGANA LETTER A}"]
)
def test_a_long_name_keeps_its_ending(letter):
    assert safe_name(f"{letter * 300}.csv.gz").endswith(f"{letter}.csv.gz")


@pytest.mark.parametrize(
    ("name", "purpose"),
    [
        ("release.csv", "release"),
        ("release.csv.CERTIFICATE.JSON", "certificate"),
        ("policy.toml", "policy"),
        ("our.pub", "key"),
        ("no ending", "release"),
    ],
)
def test_what_comes_with_a_release_goes_where_it_belongs(name, purpose):
    assert purpose_of("release", name) == purpose
    assert purpose_of("original", name) == "original"


def test_words_do_not_name_the_private_folder(session):
    place = session.uploads.make_place("a b.csv")
    words = f"the file {str(place)!r} is empty, and {session.private / 'hospital.csv'} too"
    assert without_private(words) == "the file 'a b.csv' is empty, and hospital.csv too"

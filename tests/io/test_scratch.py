import errno
import tempfile

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.io.scratch import scratch_frames


@settings(max_examples=30, deadline=None)
@given(
    columns=st.lists(st.lists(st.one_of(st.none(), st.text(max_size=4)), max_size=5), max_size=5),
    data=st.data(),
)
def test_frames_come_back_as_they_were(columns, data):
    frames = [pl.DataFrame({"a": column, "n": range(len(column))}) for column in columns]
    frames = [frame.cast({"a": pl.String, "n": pl.Int64}) for frame in frames]
    with scratch_frames() as aside:
        assert [aside.put(frame) for frame in frames] == list(range(len(frames)))
        assert len(aside) == len(frames)
        for number in data.draw(st.permutations(range(len(frames)))):
            assert aside.get(number).equals(frames[number])


def test_nothing_has_a_name_and_nothing_is_left(tmp_path):
    with scratch_frames(tmp_path) as aside:
        aside.put(pl.DataFrame({"a": ["secret"]}))
        assert "secret" not in repr(aside)
        inside = list(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == []
    assert inside == []


def test_no_folder_and_no_room_are_told(tmp_path, monkeypatch):
    with (
        pytest.raises(InputError, match="stored on disk"),
        scratch_frames(tmp_path / "nowhere"),
    ):
        pass

    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def seek(self, _):
            raise OSError(errno.ENOSPC, "secret")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    with (
        scratch_frames(tmp_path) as aside,
        pytest.raises(InputError, match="No space left") as caught,
    ):
        aside.put(pl.DataFrame({"a": [1]}))
    assert "secret" not in str(caught.value)

import os
import stat

import pytest

from incrowd.errors import InputError
from incrowd.io.atomic import replace_at_end
from incrowd.io.faults import system_reason


def names(folder):
    return [path.name for path in folder.iterdir()]


def fail(target, failure):
    with replace_at_end(target) as made:
        made.write_text("half")
        raise failure


def test_the_target_is_replaced_as_a_whole(tmp_path):
    target = tmp_path / "release.csv.gz"
    target.write_text("old")
    target.chmod(0o640)
    with replace_at_end(target) as made:
        assert made.parent == tmp_path
        assert made.name.startswith(".")
        assert made.name.endswith(".csv.gz")
        made.write_text("new")
        assert target.read_text() == "old"

    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert names(tmp_path) == ["release.csv.gz"]


def test_a_new_target_has_the_usual_permissions(tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    with replace_at_end(tmp_path / "made") as made:
        assert stat.S_IMODE(made.stat().st_mode) == 0o600

    assert (tmp_path / "made").stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError, SystemExit])
def test_nothing_is_left_after_a_failure(tmp_path, failure):
    target = tmp_path / "release.csv"
    target.write_text("old")
    with pytest.raises(failure):
        fail(target, failure)

    assert target.read_text() == "old"
    assert names(tmp_path) == ["release.csv"]


def test_a_link_keeps_pointing(tmp_path):
    target = tmp_path / "target"
    link = tmp_path / "link"
    link.symlink_to(target)
    with replace_at_end(link) as made:
        made.write_text("new")

    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/dev/null", "not a regular file"),
        ("/", "is a folder"),
        ("/nowhere/at/all.csv", "No such file or directory"),
    ],
)
def test_what_cannot_be_replaced_is_refused(path, words):
    with pytest.raises(InputError, match=words), replace_at_end(path):
        pytest.fail("the block must not run")


def test_a_full_disk_is_an_input_error(tmp_path):
    with (
        pytest.raises(InputError, match="No space left") as caught,
        replace_at_end(tmp_path / "release.csv"),
    ):
        raise OSError(28, "No space left on device", "secret")

    assert caught.value.__context__ is None
    assert names(tmp_path) == []


def test_the_reason_is_the_systems():
    assert system_reason(OSError("write failed (os error 28) at secret")) == os.strerror(28)
    assert "secret" not in system_reason(OSError("secret"))

import json
from dataclasses import dataclass

import pytest

from incrowd.cli.main import main
from patients import MARK, patients, snapshot


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def document(self):
        return json.loads(self.out)

    @property
    def errors(self):
        return [line for line in self.err.splitlines() if line.startswith("error: ")]


@pytest.fixture
def incrowd(capfd):
    """The command, run in this process: exit code, standard output, standard error."""

    def run(*arguments):
        capfd.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        return Said(stop.value.code, out, err)

    return run


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in, with a release of an earlier day that must survive failure."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "release.csv").write_text("the release of yesterday")
    return tmp_path


@pytest.fixture
def refused(incrowd, here):
    """Run a command that must fail: one sentence, the code, no cell, nothing lost or written."""

    def run(code, *arguments):
        before = snapshot(here)
        said = incrowd(*arguments)
        assert said.code == code, said.err
        assert len(said.errors) == 1, said.err
        assert MARK not in said.out + said.err
        assert said.out == ""
        assert snapshot(here) == before
        return said

    return run


@pytest.fixture
def table(here):
    """Write a table and give its name."""

    def write(text=None, **columns):
        content = patients(**columns) if text is None else text
        data = content if isinstance(content, bytes) else content.encode()
        (here / "patients.csv").write_bytes(data)
        return "patients.csv"

    return write

"""What the README says works."""

import re
import shlex
from pathlib import Path

import pytest

from incrowd.datasets import hospital

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_python_example_runs(capsys):
    (example,) = blocks("python")
    exec(compile(example, "README.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.slow
def test_the_commands_run_in_their_order(tmp_path, monkeypatch):
    from incrowd.cli.main import main

    monkeypatch.chdir(tmp_path)
    patients = hospital(2_000, seed=3)
    patients.write_csv("patients.csv")
    voters = patients.select("birth_date", "zip", "sex").with_row_index("ssn")
    voters.write_csv("voters.csv")
    for line in "\n".join(blocks("sh")).splitlines():
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(line)[1:])
        assert stop.value.code == 0, line


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target

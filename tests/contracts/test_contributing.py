"""CONTRIBUTING is tried: what its blocks add to a copy of incrowd is used as any other plug-in.

A block of code that begins with the name of a file is that file, or a change of it. The plug-ins
are then used in a policy file, by `anonymize`, `check`, `attack` and `report`, in certificate and
JSON. What lists of files say is counted.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILE = re.compile(r"`((?:src|tests|docs)/[^`]+\.\w+|[A-Z]+\.md|pyproject\.toml)`")
BLOCK = re.compile(r"^```(py|diff)\n# (\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def sections():
    """By title: what CONTRIBUTING says about adding something, with its number of files."""
    found = {}
    for part in re.split(r"^##+ ", GUIDE, flags=re.MULTILINE):
        title, _, text = part.partition("\n")
        number = re.search(r"\((\d+) files\)", part)
        if number:
            found[title.partition(" (")[0]] = int(number[1]), text
    return found


SECTIONS = sections()


def listed(text):
    """The files that the list of a section names."""
    items = re.findall(r"^- .*(?:\n  .*)*", text, re.MULTILINE)
    return [file for item in items for file in FILE.findall(item)]


@pytest.mark.parametrize("title", SECTIONS)
def test_the_number_of_files_is_that_of_the_list(title):
    number, text = SECTIONS[title]
    files = listed(text)
    assert len(files) == len(set(files)) == number


def test_what_is_not_new_is_there():
    """Files of a list are there, unless they are named after what is added."""
    made = {path for kind, path, _ in BLOCK.findall(GUIDE) if kind == "py"}
    new = {Path(path).stem for path in made}
    for _, text in SECTIONS.values():
        for file in listed(text):
            stem = Path(file).stem.replace("-", "_").removeprefix("test_")
            assert "<" in file or stem in new or (ROOT / file).exists(), file


@pytest.mark.parametrize("title", SECTIONS)
def test_blocks_change_files_of_the_list(title):
    _, text = SECTIONS[title]
    assert {path for _, path, _ in BLOCK.findall(text)} <= set(listed(text))


def apply(folder):
    """Write the files of all blocks into a copy of the repository, and the changes of others."""
    for kind, path, text in BLOCK.findall(GUIDE):
        if kind == "py":
            assert not (folder / path).exists(), path
            (folder / path).write_text(text, encoding="utf-8")
        else:
            for hunk in text.split("@@\n"):
                change(folder / path, hunk.splitlines(keepends=True))


def change(path, hunk):
    """Replace the lines of a hunk, which must be there once."""
    text = path.read_text(encoding="utf-8")
    before = "".join(line[1:] for line in hunk if line[0] in " -")
    after = "".join(line[1:] for line in hunk if line[0] in " +")
    assert text.count(before) == 1, f"{path.name} does not have once:\n{before}"
    path.write_text(text.replace(before, after), encoding="utf-8")


RUNNER = """
import json, os, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from incrowd.cli.main import perform

for line in sys.stdin:
    folder, words = json.loads(line)
    os.chdir(folder)
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = perform(words)
    print(json.dumps([code, said.getvalue()]), flush=True)
"""


class Package:
    """A copy of the package, and one process that runs commands in it."""

    def __init__(self, folder):
        self.folder = folder
        places = {"PYTHONPATH": str(folder / "src"), "HOME": str(folder)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUNNER],
            cwd=folder,
            env={"PATH": "", "NO_COLOR": "1", **places},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate(timeout=600)

    def run(self, folder, *words, fails=False):
        self.process.stdin.write(json.dumps([str(folder), words]) + "\n")
        self.process.stdin.flush()
        code, said = json.loads(self.process.stdout.readline())
        assert (code != 0) == fails, said
        return said

    def document(self, folder, *words, fails=False):
        """What a command writes as JSON, notes before it aside."""
        said = self.run(folder, *words, "--json", fails=fails)
        return json.loads(said[said.index("{") : said.rindex("}") + 1])


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package with everything that CONTRIBUTING adds."""
    folder = tmp_path_factory.mktemp("copied")
    shutil.copytree(ROOT / "src", folder / "src")
    apply(folder)
    with Package(folder) as package:
        yield package


POLICY = """
version = 1
{more}

[[models]]
{model}

[columns.age]
role = "quasi"

[columns.illness]
role = "sensitive"
"""
K = 'name = "k-anonymity"\nk = 2'
N = 'name = "min-records"\nn = 5'

TABLE = "age,illness\n" + "".join(
    f"{20 + i % 37},{('flu', 'gout', 'cold')[i * i % 3]}\n" for i in range(120)
)


def release(package, folder, more="", model=K):
    """The documents of a release by this policy and of its check, and its certificate."""
    (folder / "policy.toml").write_text(POLICY.format(more=more, model=model))
    (folder / "in.csv").write_text(TABLE)
    by = ("--policy", "policy.toml")
    made = package.document(folder, "anonymize", "in.csv", "-o", "out.csv", *by)
    (certificate,) = folder.glob("out*certificate*.json")
    held = ("--certificate", certificate.name, "--original", "in.csv")
    checked = package.document(folder, "check", "out.csv", *held, *by)
    assert checked["ok"] is True
    assert "models" in checked["recounted"]
    return json.dumps(made), json.dumps(checked), certificate.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "model", "name"),
    [
        ("", N, "min-records"),
        ('loss = "left-out"\nsearch = "lattice"', K, "left-out"),
        ('search = "one-class"', K, "one-class"),
        ('show = "tops"', K, "Cells show the top of their hierarchy."),
    ],
    ids=["model", "loss", "search", "transformation"],
)
def test_a_plug_in_that_is_added_is_used_and_certified(package, tmp_path, more, model, name):
    made, _, certificate = release(package, tmp_path, more, model)
    assert name in certificate
    assert name in made or name.endswith(".")


@pytest.mark.slow
def test_a_model_that_is_added_is_checked_attacked_and_reported(package, tmp_path):
    """It is verified in the rows, and its own words are in text and report."""
    release(package, tmp_path, model=N)
    by = ("--policy", "policy.toml")
    said = package.run(tmp_path, "check", "out.csv", *by)
    assert "every class holds at least" in said
    package.run(tmp_path, "attack", "out.csv", "--original", "in.csv", "--knows", "age", *by)
    files = ("--original", "in.csv", "-o", "report.html", *by)
    package.run(tmp_path, "report", "out.csv", *files)
    assert "every class holds at least n records" in (tmp_path / "report.html").read_text()

    first, *rows = (tmp_path / "out.csv").read_text().splitlines()
    few = [row for row in rows if row.split(",")[0] != rows[0].split(",")[0]]
    (tmp_path / "out.csv").write_text("\n".join([first, *few, rows[0]]) + "\n")
    said = package.run(tmp_path, "check", "out.csv", *by, fails=True)
    (line,) = [line for line in said.splitlines() if line.startswith("min-records")]
    assert line.rstrip().endswith("not met")


@pytest.mark.slow
def test_a_transformation_that_is_added_is_verified(package, tmp_path):
    """Cells without a judge are not released, and every cell shows the same."""
    release(package, tmp_path, 'show = "tops"')
    rows = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert {row.split(",")[0] for row in rows} == {"*"}
    bare = tmp_path / "bare"
    shutil.copytree(package.folder, bare)
    judges = bare / "src" / "incrowd" / "verify" / "shown.py"
    judges.write_text(judges.read_text().replace('    "tops": CellJudge(demand_covering),\n', ""))
    by = ("-o", "other.csv", "--policy", "policy.toml")
    with Package(bare) as without:
        said = without.run(tmp_path, "anonymize", "in.csv", *by, fails=True)
    assert "cannot verify" in said
    assert not (tmp_path / "other.csv").exists()


@pytest.mark.slow
def test_an_attack_that_is_added_is_played_limited_and_reported(package, tmp_path):
    release(package, tmp_path)
    by = ("--original", "in.csv", "--policy", "policy.toml")
    played = package.document(tmp_path, "attack", "out.csv", *by)
    (one,) = [attack for attack in played["attacks"] if attack["kind"] == "lone-row"]
    assert one["success"] == 0
    assert [attack["kind"] for attack in played["attacks"]].index("lone-row") > 0
    (tmp_path / "bare.csv").write_text(f"{TABLE}90,flu\n")
    limits = ("--original", "bare.csv", "--knows", "age", "--max-success", "0")
    found = package.document(tmp_path, "attack", "bare.csv", *limits, fails=True)
    assert any(line.startswith("lone row by age") for line in found["broken"])
    package.run(tmp_path, "report", "out.csv", "-o", "report.html", *by)
    report = (tmp_path / "report.html").read_text()
    assert "Lone row: somebody looks up a person whom one row alone fits." in report


@pytest.mark.slow
def test_what_is_added_is_in_help_and_errors(package, tmp_path):
    """Names come from the unions: the help lists the search, a misspelt model is recognized."""
    assert "one-class" in package.run(tmp_path, "anonymize", "--help")
    (tmp_path / "in.csv").write_text(TABLE)
    text = POLICY.format(more="", model=N.replace("records", "record"))
    (tmp_path / "policy.toml").write_text(text)
    by = ("--policy", "policy.toml", "--dry-run")
    assert "min-records" in package.run(tmp_path, "anonymize", "in.csv", *by, fails=True)

"""A plug-in is its file, its line in the union, its judge: nothing else knows of it.

Plug-ins that nobody has heard of are added to a copy of the package in the documented places, and
then used as any other: in a policy file, by `anonymize` and `check`, in certificate and JSON.
"""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from incrowd.loss import LOSSES
from incrowd.models import MODELS
from incrowd.search import SEARCHES

ROOT = Path(__file__).parents[2] / "src" / "incrowd"

MODEL = '''
"""At most a share of a class has one value: a model that is made up."""

from dataclasses import field
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from incrowd.models.model import Model, histogram_of
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class TopShare(Model):
    """The commonest value of a column has at most this share of every class."""

    column: str
    share: Annotated[float, Field(gt=0, le=1)]
    name: Literal["top-share"] = field(default="top-share", kw_only=True)
    higher_is_safer: ClassVar[bool] = False
    monotone: ClassVar[bool] = True
    promise: ClassVar[str] = "no value of {column} has more than {achieved} of a class"

    @property
    def columns(self):
        return (self.column,)

    @property
    def threshold(self):
        return float(self.share)

    def satisfied(self, classes):
        return self._shares(classes) <= self.share

    def achieved(self, classes):
        return float(self._shares(classes).max(initial=0.0))

    def assumptions(self):
        return (f"top-share of {self.column} counts people.",)

    def _shares(self, classes):
        held = histogram_of(classes, self.name, self.column)
        largest = [held.count[a:b].max() for a, b in zip(held.start[:-1], held.start[1:])]
        return np.array(largest, dtype=float).reshape(len(classes)) / np.maximum(classes.people, 1)
'''

JUDGE = """    "top-share": lambda model, evidence: (
        float((evidence.holders(model.column).largest / evidence.people).max()),
        bool((evidence.holders(model.column).largest <= model.share * evidence.people).all()),
    ),
"""

LOSS = '''
"""The share of records that are left out: a loss that is made up."""

from dataclasses import field
from typing import Literal

from incrowd.loss.loss import Loss
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class Gone(Loss):
    """Left-out records, and a little for every class that there could be more."""

    name: Literal["gone"] = field(default="gone", kw_only=True)

    def of(self, outcome):
        return outcome.suppressed / outcome.records + 0.1 / (1 + len(outcome.classes))
'''

SEARCH = '''
"""All records in one class: a search that is made up."""

from dataclasses import field
from typing import Literal

import numpy as np

from incrowd.recoding import Pieces, Spans
from incrowd.search.refusals import nothing_found, raise_if_infeasible
from incrowd.search.search import Found, Search
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class OneClass(Search):
    """Everybody in one class."""

    name: Literal["one-class"] = field(default="one-class", kw_only=True)

    def run(self, problem, watch):
        raise_if_infeasible(problem)
        rows = np.arange(problem.tally.rows, dtype=np.int32)
        spans = Spans(Pieces(rows, problem.tally.counts, np.zeros_like(rows)))
        if not problem.satisfied(problem.outcome(spans).classes).all():
            raise nothing_found(problem)
        return Found(spans, self.name, why="put everybody in one class")
'''

SHOW = '''
"""One label for the whole column: a transformation that is made up."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from incrowd.recoding.column_cells import ByClass
from incrowd.recoding.show.transformation import Transformation


@dataclass(frozen=True)
class ShowNothing(Transformation):
    """Every class shows the top of each hierarchy."""

    name: ClassVar[str] = "nothing"
    tells_loss: ClassVar[bool] = False
    cells_assumption: ClassVar[str] = "Cells show nothing."

    def cells(self, outcome, columns, sensitive):
        number = len(outcome.classes)
        tops = {column.name: column.hierarchy.labels[-1][0] for column in outcome.columns}
        return {n: ByClass(np.array([top] * number, dtype=object)) for n, top in tops.items()}
'''

POLICY = """
version = 1
{more}

[[models]]
name = "k-anonymity"
k = 2

{models}

[columns.age]
role = "quasi"

[columns.illness]
role = "sensitive"
"""

TABLE = "age,illness\n" + "".join(
    f"{20 + i % 37},{('flu', 'gout', 'cold')[i * i % 3]}\n" for i in range(120)
)


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
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUNNER],
            cwd=folder,
            env={"PYTHONPATH": str(folder), "PATH": "", "NO_COLOR": "1", "HOME": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate(timeout=60)

    def run(self, folder, *words, fails=False):
        self.process.stdin.write(json.dumps([str(folder), words]) + "\n")
        self.process.stdin.flush()
        code, said = json.loads(self.process.stdout.readline())
        assert (code != 0) == fails, said
        return said


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package with a plug-in more of each family."""
    folder = tmp_path_factory.mktemp("copied")
    copied = folder / "incrowd"
    shutil.copytree(ROOT, copied)
    _add(copied / "models", "TopShare", "AnyModel", MODEL)
    _add(copied / "loss", "Gone", "AnyLoss", LOSS)
    _add(copied / "search", "OneClass", "AnySearch", SEARCH)
    _insert(copied / "verify" / "judges.py", '"k-anonymity": ', JUDGE)
    shows = copied / "recoding" / "show"
    (shows / "made_up_show.py").write_text(SHOW.lstrip())
    known = "from incrowd.recoding.show.made_up_show import ShowNothing\n"
    _insert(shows / "__init__.py", "from incrowd.recoding.show.labels", known)
    _insert(shows / "__init__.py", "        ShowSpans(),", "        ShowNothing(),\n")
    _insert(copied / "verify" / "shown.py", '"spans": ', '    "nothing": CellJudge(covers),\n')
    with Package(folder) as package:
        yield package


def _add(family, name, union, text):
    """A plug-in in a file of its own, and in the union of its family."""
    (family / f"made_up_{name.lower()}.py").write_text(text.lstrip())
    init = family / "union.py"
    start = f"{union}: TypeAlias = Annotated[\n"
    head, found, rest = init.read_text().partition(start)
    assert found
    line = f"from incrowd.{family.name}.made_up_{name.lower()} import {name}\n\n"
    init.write_text(f"{head}{line}{start}    {name} |\n{rest}")


def _insert(path, before, lines):
    """These lines above the first line that holds a text."""
    old = path.read_text().splitlines(keepends=True)
    (place, *_) = [n for n, line in enumerate(old) if before in line]
    path.write_text("".join([*old[:place], lines, *old[place:]]))


@pytest.mark.parametrize(
    ("more", "models", "said"),
    [
        ("", '[[models]]\nname = "top-share"\ncolumn = "illness"\nshare = 0.8', "top-share"),
        ('loss = "gone"\nsearch = "lattice"', "", "gone"),
        ('search = "one-class"', "", "one-class"),
        ('show = "nothing"', "", "Cells show nothing."),
    ],
    ids=["model", "loss", "search", "transformation"],
)
def test_a_plugin_that_is_added_works_everywhere(package, tmp_path, more, models, said):
    (tmp_path / "policy.toml").write_text(POLICY.format(more=more, models=models))
    (tmp_path / "in.csv").write_text(TABLE)
    by = ("--policy", "policy.toml", "--json")
    made = package.run(tmp_path, "anonymize", "in.csv", "-o", "out.csv", *by)
    document = json.loads(made[made.index("{") : made.rindex("}") + 1])
    assert said in json.dumps(document) or said.endswith(".")

    (certificate,) = tmp_path.glob("out*certificate*.json")
    assert said in certificate.read_text()
    held = ("--certificate", certificate.name, "--original", "in.csv")
    checked = package.run(tmp_path, "check", "out.csv", *held, *by)
    document = json.loads(checked[checked.index("{") : checked.rindex("}") + 1])
    assert document["ok"] is True
    assert "models" in document["recounted"]
    assert said == "one-class" or said.endswith(".") or said in json.dumps(document)


@pytest.mark.slow
def test_a_transformation_that_is_added_is_verified(package, tmp_path):
    """Cells without a judge are not released, and every cell shows the same."""
    (tmp_path / "policy.toml").write_text(POLICY.format(more='show = "nothing"', models=""))
    (tmp_path / "in.csv").write_text(TABLE)
    package.run(tmp_path, "anonymize", "in.csv", "-o", "out.csv", "--policy", "policy.toml")
    rows = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert {row.split(",")[0] for row in rows} == {"*"}
    bare = tmp_path / "bare"
    shutil.copytree(package.folder, bare)
    judges = bare / "incrowd" / "verify" / "shown.py"
    judges.write_text(judges.read_text().replace('    "nothing": CellJudge(covers),\n', ""))
    by = ("-o", "other.csv", "--policy", "policy.toml")
    with Package(bare) as without:
        said = without.run(tmp_path, "anonymize", "in.csv", *by, fails=True)
    assert "cannot verify" in said
    assert not (tmp_path / "other.csv").exists()


@pytest.mark.slow
def test_a_model_that_is_added_is_verified(package, tmp_path):
    """Its judge refuses a certificate that claims more than the rows show."""
    models = '[[models]]\nname = "top-share"\ncolumn = "illness"\nshare = 0.8'
    (tmp_path / "policy.toml").write_text(POLICY.format(more="", models=models))
    (tmp_path / "in.csv").write_text(TABLE)
    package.run(tmp_path, "anonymize", "in.csv", "-o", "out.csv", "--policy", "policy.toml")
    rows = (tmp_path / "out.csv").read_text().replace("gout", "flu").replace("cold", "flu")
    (tmp_path / "out.csv").write_text(rows)
    said = package.run(tmp_path, "check", "out.csv", "--policy", "policy.toml", fails=True)
    (line,) = [line for line in said.splitlines() if line.startswith("top-share")]
    assert line.rstrip().endswith("not met")


FAMILIES = {"models": MODELS, "loss": LOSSES, "search": SEARCHES}
NAMES = {family: set(known) for family, known in FAMILIES.items()}
CLASSES = {
    one.__name__: ROOT / Path(*one.__module__.split(".")[1:]).with_suffix(".py")
    for known in FAMILIES.values()
    for one in known.values()
}
LISTED = {"search_names.py"}
"""Files that may list names: a test holds them to the unions."""
PENDING = {"verbs/frontier.py"}
"""The verb `frontier` belongs to one search: the curve of `accuracy`."""


def sources():
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name not in PENDING | LISTED and not name.startswith(("auditor.", "verify/")):
            yield name, path


def test_what_is_known_of_plugins_stands_in_their_files():
    """No `isinstance`, `getattr` or list of names: judges alone know models by their names."""
    found = [
        f"{name}, line {node.lineno}: {ast.unparse(node)}"
        for name, path in sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _asks_for_class(node, path)
        or _asks_for_attribute(node)
        or _lists(node)
        or _compares(node)
    ]
    assert not found


def _called(node, *names):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def _asks_for_class(node, path):
    """Whether a class of plug-ins is asked for, other than in its own file."""
    if _called(node, "isinstance", "issubclass"):
        asked = node.args[1]
    elif isinstance(node, ast.MatchClass):
        asked = node.cls
    else:
        return False
    named = {one.id for one in ast.walk(asked) if isinstance(one, ast.Name)}
    named |= {one.attr for one in ast.walk(asked) if isinstance(one, ast.Attribute)}
    return any(CLASSES[name] != path for name in named & CLASSES.keys())


def _asks_for_attribute(node):
    """Whether a plug-in is asked for an attribute that it may lack."""
    if not _called(node, "getattr", "hasattr") or not isinstance(node.args[1], ast.Constant):
        return False
    last = ast.unparse(node.args[0]).split(".")[-1]
    return last in {"model", "loss", "search", "m"}


def _lists(node):
    """Whether several plug-ins of a family are listed by their names."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        items = node.elts
    elif isinstance(node, ast.Dict):
        items = node.keys
    else:
        return False
    words = [item.value for item in items if isinstance(item, ast.Constant)]
    names = {word for word in words if isinstance(word, str)}
    return len(items) == len(names) > 1 and any(names <= known for known in NAMES.values())


def _compares(node):
    """Whether the name of a plug-in is compared with one."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    named = any(isinstance(side, ast.Attribute) and side.attr == "name" for side in sides)
    words = {side.value for side in sides if isinstance(side, ast.Constant)}
    owner = ast.unparse(node).split(".name")[0].split(".")[-1]
    known = {name for family in NAMES.values() for name in family}
    return named and bool(words & known) and owner in {"model", "loss", "search", "m", "one"}


def test_what_is_forbidden_is_found():
    bad = """
isinstance(model, KAnonymity)
getattr(policy.search, "draws", False)
NAMES = ("k-map", "delta-presence")
model.name == "probabilistic"
match model:
    case LDiversity():
        pass
"""
    nodes = list(ast.walk(ast.parse(bad)))
    assert sum(_asks_for_class(node, ROOT / "problem.py") for node in nodes) == 2
    assert sum(map(_asks_for_attribute, nodes)) == 1
    assert sum(map(_lists, nodes)) == 1
    assert sum(map(_compares, nodes)) == 1

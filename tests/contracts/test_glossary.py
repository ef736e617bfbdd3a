"""The glossary has every word that incrowd uses for something: the words come from the code."""

import ast
import re
import typing
from pathlib import Path

import pytest

import incrowd.errors
import incrowd.hierarchy
import incrowd.loss
import incrowd.models
import incrowd.search
from incrowd import Missing, Policy, Role
from incrowd.identify.records import Measure

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src" / "incrowd"

UNIONS = {
    "Models": incrowd.models.AnyModel,
    "Losses": incrowd.loss.AnyLoss,
    "Searches": incrowd.search.AnySearch,
    "How values get coarser": incrowd.hierarchy.AnyHierarchy,
}


def section(title):
    found = re.search(rf"^## {title}$(.*?)(?=^## |\Z)", GLOSSARY, re.DOTALL | re.MULTILINE)
    assert found, title
    return found.group(1)


def names(union):
    for plugin in typing.get_args(typing.get_args(union)[0]):
        yield typing.get_args(typing.get_type_hints(plugin)["name"])[0]


def choices(kind):
    """Names that settings of the plug-ins take, such as kinds of l-diversity."""
    for plugin in typing.get_args(typing.get_args(kind)[0]):
        hints = typing.get_type_hints(plugin)
        for key in ("kind", "distance"):
            yield from typing.get_args(hints.get(key))


def words():
    for title, union in UNIONS.items():
        yield from ((title, name) for name in names(union))
    yield from (("Models", word) for word in choices(incrowd.models.AnyModel) if type(word) is str)
    yield from (("Columns and their roles", role.value) for role in Role)
    yield from (("Missing values", reading.value) for reading in Missing)
    yield from (("Risk and identification", measure.value) for measure in Measure)
    for key in ("show", "ends"):
        shown = typing.get_args(Policy.model_fields[key].annotation)
        yield from (("How values get coarser", word) for word in shown)
    yield from (("Attacks", kind) for kind in attacks())


def attacks():
    """The kinds of attacks, as `kind="…"` where an attack is made."""
    found = set()
    for path in (SOURCE / "attacks").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Attack":
                found |= {word.value.value for word in node.keywords if word.arg == "kind"}
    assert len(found) >= 10
    return sorted(found)


def heads():
    """The heads of tables in documents: texts that `table` takes."""
    for path in sorted((SOURCE / "documents").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "table":
                for argument in node.args:
                    if isinstance(argument, ast.Constant) and argument.value:
                        yield argument.value
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_HEADS":
                yield from (item.value for item in node.value.elts)


@pytest.mark.parametrize(("title", "word"), sorted(set(words())))
def test_every_name_is_in_its_section(title, word):
    assert f"`{word}`" in section(title)


@pytest.mark.parametrize("head", sorted(set(heads())))
def test_every_head_of_a_table_is_explained(head):
    assert head in section("Columns of report tables")


def test_every_exit_code_is_there():
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", section("Exit codes"), re.MULTILINE)}
    errors = [one for one in vars(incrowd.errors).values() if hasattr(one, "exit_code")]
    assert codes == {0, 130} | {error.exit_code for error in errors}

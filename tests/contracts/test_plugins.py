"""What is known of a plug-in stands in its file: nothing else knows its name.

`test_contributing.py` adds plug-ins that nobody has heard of and uses them.
"""

import ast
from pathlib import Path

from incrowd.loss import LOSSES
from incrowd.models import MODELS
from incrowd.search import SEARCHES

ROOT = Path(__file__).parents[2] / "src" / "incrowd"

FAMILIES = {"models": MODELS, "loss": LOSSES, "search": SEARCHES}
NAMES = {family: set(known) for family, known in FAMILIES.items()}
CLASSES = {
    one.__name__: ROOT / Path(*one.__module__.split(".")[1:]).with_suffix(".py")
    for known in FAMILIES.values()
    for one in known.values()
}
LISTED = {"search_names.py", "web/edits.py"}
"""Files that may list names, because they must not load plug-ins: tests hold them to the unions."""
PENDING = {"verbs/frontier.py"}
"""The verb `frontier` belongs to one search: the curve of `accuracy`."""


OWNERS = {"model", "loss", "search", "m", "one"}
"""What variables that hold a plug-in are called."""


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
        or (_names_model(node) and not name.startswith("models/"))
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
    return last in OWNERS - {"one"}


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
    words = {side.value for side in sides if isinstance(side, ast.Constant)}
    known = {name for family in NAMES.values() for name in family}
    return bool(words & known) and any(map(_is_name, sides))


def _is_name(side):
    """Whether this is `model.name` or a variable that holds such a name."""
    if isinstance(side, ast.Name):
        return side.id in {"name", "model", "loss", "search"}
    owner = ast.unparse(side).split(".")[-2:-1]
    return isinstance(side, ast.Attribute) and side.attr == "name" and owner[0] in OWNERS


def _names_model(node):
    """Whether a text is the name of a model, which no other word is."""
    return isinstance(node, ast.Constant) and node.value in NAMES["models"]


def test_what_is_forbidden_is_found():
    bad = """
isinstance(model, KAnonymity)
getattr(policy.search, "draws", False)
NAMES = ("k-map", "delta-presence")
model.name == "probabilistic"
lost = "a cell" if name == "gcp" else ""
match model:
    case LDiversity():
        pass
"""
    nodes = list(ast.walk(ast.parse(bad)))
    assert sum(map(_names_model, nodes)) == 3
    assert sum(_asks_for_class(node, ROOT / "problem.py") for node in nodes) == 2
    assert sum(map(_asks_for_attribute, nodes)) == 1
    assert sum(map(_lists, nodes)) == 1
    assert sum(map(_compares, nodes)) == 2

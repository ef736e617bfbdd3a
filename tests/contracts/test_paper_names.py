"""Every name of ours in docs/papers exists: modules, names in them, settings, commands, files."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
import typer

from incrowd.cli.main import app

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PAGES = sorted((ROOT / "docs" / "papers").glob("*.md"))
FLAG = re.compile(r"(?<!\S)--?[a-z][a-z-]*")


def spans(page):
    """What a page writes as code within its sentences and tables."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return sorted({" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)})


@cache
def code(folder):
    """All Python of a folder."""
    return "\n".join(path.read_text("utf-8") for path in sorted(folder.rglob("*.py")))


@cache
def defined(folder):
    """Functions, classes, fields, settings and parameters."""
    either = re.compile(r"(?:def|class) (\w+)|(?:^|[(,]) *(\w+)(?:: |, | = |=)", re.MULTILINE)
    return {word for pair in either.findall(code(folder)) for word in pair if word}


@cache
def written():
    """Texts that the source itself writes or reads, such as the names of plug-ins."""
    return set(re.findall(r"\"([\w-]+)\"", code(SOURCE)))


@cache
def settings():
    """Keys of policy files, and the words that they may have."""
    schema = json.loads((ROOT / "docs" / "reference" / "policy.schema.json").read_text())
    keys, words = set(), set()
    todo = [schema]
    while todo:
        part = todo.pop()
        if isinstance(part, list):
            todo += part
        elif isinstance(part, dict):
            keys |= set(part.get("properties", ()))
            words |= {word for word in (*part.get("enum", ()), part.get("const")) if word}
            todo += part.values()
    return keys, words


@cache
def flags():
    """By command: its options."""
    return {
        name: {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}
        for name, command in typer.main.get_command(app).commands.items()
    }


def defines(text, name):
    """Whether a module defines, imports or has a field of this name."""
    ways = rf"(?:def|class) {name}\b|import [^\n]*\b{name}\b|^ *{name}\b *(?:[:=,]|$)"
    return bool(re.search(ways, text, re.MULTILINE))


def in_module(dotted):
    """Whether a dotted name is a module, or a name that its module defines or hands out."""
    parts = dotted.split(".")
    for size in range(len(parts), 0, -1):
        for end in (".py", "/__init__.py"):
            path = SOURCE / ("/".join(parts[:size]) + end)
            if path.is_file():
                text, rest = path.read_text("utf-8"), parts[size:]
                return len(rest) < 3 and all(defines(text, name) for name in rest)
    return False


def runs_a_benchmark(span):
    """Whether `python -m benchmarks.x y` names a benchmark, and what it takes."""
    module, *given = span.split("benchmarks.")[1].split()
    path = ROOT / "benchmarks" / f"{module}.py"
    return path.is_file() and all(word.strip("-") in path.read_text("utf-8") for word in given)


def is_setting(span):
    """Whether a policy can say so."""
    key, value = span.split(" = ")
    keys, words = settings()
    free = re.fullmatch(r"[\d.]+|true|false|\[.*|\{.*", value)
    return key in keys and bool(free or value.strip('"') in words)


def is_command(span):
    """Whether a command has these options; without a command, whether any has."""
    words = span.removeprefix("incrowd ").split()
    asked = set(FLAG.findall(span))
    if words[0].startswith("-"):
        return all(any(flag in known for known in flags().values()) for flag in asked)
    return words[0] in flags() and asked <= flags()[words[0]]


def is_name(span):
    """Whether it is defined, or a word that policies, commands or files of ours have."""
    places = (defined(SOURCE), defined(ROOT / "tests"), written(), settings()[0], flags())
    names = re.findall(r"\w+(?=\(|=)", span) if "(" in span else re.findall(r"[\w-]+", span)
    return all(any(name in place for place in places) for name in names)


def is_file(span):
    """Whether it is a file or folder of the project; pages may leave out tests/papers."""
    return (ROOT / span).exists() or (ROOT / "tests" / "papers" / span).exists()


def is_target(span):
    """Whether the Makefile has it."""
    rule = rf"^{span.removeprefix('make ')}:"
    return bool(re.search(rule, (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


KINDS = (
    (r"make \w+", is_target),
    (r"(?:python -m )?benchmarks\.\w+.*", runs_a_benchmark),
    (r"[\w./-]+\.py|(?:tests|docs|benchmarks)/[\w./-]+", is_file),
    (r"incrowd(?:\.\w+)+", in_module),
    (r"\w+ = [^=]+", is_setting),
    (r'"[\w-]+"', lambda span: span.strip('"') in settings()[1]),
    (r"incrowd [a-z].*|[a-z-]+ -.*|--?[a-z].*", is_command),
    (r"\.?[A-Za-z_]\w*(?:\.\w+)*|\w+\(.*\)|[a-z]+(?:-[a-z]+)+", is_name),
)
"""What a span may be, the first that fits."""


def exists(span):
    """Whether what a span names is there; None if it names nothing of ours, such as a label."""
    for pattern, there in KINDS:
        if re.fullmatch(pattern, span):
            return bool(there(span))
    return None


def said_to_be_in(page):
    """Names, and the module in which a page says they are: `a`, `b` in `incrowd.c`."""
    text = " ".join(page.read_text("utf-8").split())
    for names, module in re.findall(r"((?:`\w+`(?:, | and )?)+) in `(incrowd\.[\w.]+)`", text):
        yield from ((name, module) for name in re.findall(r"`(\w+)`", names))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_names_is_there(page):
    assert not [span for span in spans(page) if exists(span) is False]
    for name, module in said_to_be_in(page):
        assert in_module(f"{module}.{name}"), f"{name} in {module}"


def test_what_is_not_there_is_found_out():
    for gone in (
        "incrowd.identify.nowhere",
        "incrowd.loss.Nothing",
        "least_extent_by_nobody",
        "NobodyKnows",
        "incrowd discover --nowhere",
        "incrowd nowhere",
        "--nowhere",
        "python -m benchmarks.nowhere",
        "tests/papers/test_nowhere.py",
        'mapping = "nowhere"',
        "nowhere = true",
        '"nowhere"',
        "make nowhere",
        "nobody_knows(records)",
    ):
        assert exists(gone) is False, gone
    for label in ("[20, 30)", "0213*", "{A, B}", "90+"):
        assert exists(label) is None, label

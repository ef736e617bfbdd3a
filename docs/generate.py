"""The reference that is made from the code: names in Python, commands, policy keys, documents.

`docs/conf.py` calls `write` whenever the site is built; what it writes is not kept.
"""

# ruff: noqa: INP001  programs of the site, no package

import ast
import importlib
import inspect
import json
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

import incrowd
from incrowd.cli.main import app
from incrowd.errors import IncrowdError
from incrowd.release.certificate import Certificate

DOCS = Path(__file__).parent
SCHEMA = DOCS / "reference" / "policy.schema.json"
GUIDE = DOCS / "guide" / "command-line.md"
PACKAGE = Path(incrowd.__file__).parent


def write(folder: Path) -> list[Path]:
    """Write all generated pages into a folder that holds nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    written = []
    for name, text in pages():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        written.append(path)
    return written


def pages() -> Iterator[tuple[str, str]]:
    """Every generated page: where it goes, without suffix, and its text."""
    for group, names in groups().items():
        yield f"api/{_slug(group)}", api_page(group, names)
    for name, command in sorted(typer.main.get_command(app).commands.items()):  # type: ignore[attr-defined]
        yield f"commands/{name}", command_page(f"incrowd {name}", command)
    yield "policy-keys", policy_page(json.loads(SCHEMA.read_text("utf-8")))
    yield "exit-codes", exit_codes_page()
    yield "documents", documents_page()
    yield "certificate", certificate_page()


# Python


def groups() -> dict[str, list[str]]:
    """The public names by the headings of docs/reference/api.md."""
    text = (DOCS / "reference" / "api.md").read_text("utf-8")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    titles = zip(parts[::2], parts[1::2], strict=True)
    return {title: re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE) for title, part in titles}


def api_page(group: str, names: list[str]) -> str:
    """One group of public names with signatures, docstrings and fields."""
    entries = [_entry(name) for name in names if name != "__version__"]
    if not entries:
        entries = ["`incrowd.__version__` is the version as a text, such as `0.1.0`.\n"]
    return "\n".join([f"# {group}\n", *entries])


def _entry(name: str) -> str:
    what = getattr(incrowd, name)
    signature = _function(what) if inspect.isfunction(what) else f"class incrowd.{name}"
    about = markdown(inspect.getdoc(what) or "")
    fields = "" if inspect.isfunction(what) else _fields(what)
    return f"## {name}\n\n```python\n{signature}\n```\n\n{about}\n{fields}"


def _verb(function: Any) -> str:
    """The signature that a request gives a verb, one parameter a line."""
    found = inspect.signature(function)
    inside, star = "", False
    for one in found.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not star:
            inside, star = f"{inside}    *,\n", True
        default = "" if one.default is one.empty else f" = {one.default!r}"
        inside += f"    {one.name}: {_type(one.annotation)}{default},\n"
    return f"incrowd.{function.__name__}(\n{inside}) -> {_type(found.return_annotation)}"


def _type(annotation: Any) -> str:
    """A type without the modules that its names come from."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"ForwardRef\('([^']+)'\)", r"\1", re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text))


def _function(function: Any) -> str:
    """The signature as the source has it, one parameter a line."""
    if hasattr(function, "__wrapped__"):
        return _verb(function)
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    (node,) = (one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef))
    every = node.args
    gap = len(every.args) - len(every.defaults)
    said = [
        _parameter(one, every.defaults[i - gap] if i >= gap else None)
        for i, one in enumerate(every.args)
    ]
    said += [f"*{_parameter(every.vararg)}"] if every.vararg else ["*"] if every.kwonlyargs else []
    said += [_parameter(*pair) for pair in zip(every.kwonlyargs, every.kw_defaults, strict=True)]
    said += [f"**{_parameter(every.kwarg)}"] if every.kwarg else []
    gives = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    inside = "".join(f"    {one},\n" for one in said)
    return f"incrowd.{node.name}(\n{inside}){gives}"


def _parameter(argument: ast.arg, default: ast.expr | None = None) -> str:
    kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    return f"{argument.arg}{kind}" + (f" = {ast.unparse(default)}" if default else "")


def _fields(what: type) -> str:
    """The documented fields of a class, as a list."""
    try:
        source = textwrap.dedent(inspect.getsource(what))
    except (OSError, TypeError):
        return ""
    (node,) = (one for one in ast.parse(source).body if isinstance(one, ast.ClassDef))
    lines = []
    for one, after in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            name = one.target.id
            if name.startswith("_") or "ClassVar" in ast.unparse(one.annotation):
                continue
            about = _text_of(after)
            kind = ast.unparse(one.annotation)
            lines.append(f"- `{name}: {kind}`{'. ' + _inline(about) if about else ''}\n")
    return "\n" + "".join(lines) if lines else ""


def _text_of(node: ast.stmt | None) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return inspect.cleandoc(str(node.value.value)).replace("\n", " ")
    return ""


def markdown(docstring: str) -> str:
    """A docstring as Markdown: its examples in blocks, its code marks as they are."""
    parts = []
    for paragraph in docstring.split("\n\n"):
        example = paragraph.lstrip().startswith(">>>")
        parts.append(f"```pycon\n{paragraph}\n```" if example else _inline(paragraph))
    return "\n\n".join(parts) + "\n"


def _inline(text: str) -> str:
    """Stars are stars, but in code."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(
        piece if piece.startswith("`") else re.sub(r"([*<_])", r"\\\1", piece) for piece in pieces
    )


# Commands


def command_page(title: str, command: Any) -> str:
    """One command: what it does, its arguments, its options by group."""
    context = typer.Context(command, info_name=title)
    usage = " ".join([title, *command.collect_usage_pieces(context)])
    text = [f"# `{title}`\n\n{_help(command.help)}\n\n```text\n{usage}\n```\n"]
    by_group: dict[str, list[str]] = {}
    for parameter in command.params:
        record = None if getattr(parameter, "hidden", False) else parameter.get_help_record(context)
        if record is not None:
            group = getattr(parameter, "rich_help_panel", None) or "Arguments and options"
            by_group.setdefault(group, []).append(_row(*record))
    for group, rows in by_group.items():
        text.append(f"\n## {group}\n\n| option | meaning |\n| --- | --- |\n{''.join(rows)}")
    for name, inner in getattr(command, "commands", {}).items():
        text.append("\n" + command_page(f"{title} {name}", inner).replace("# ", "## ", 1))
    return "".join(text)


def _help(text: str | None) -> str:
    """A command's help: its example is a block."""
    said = inspect.cleandoc(text or "").replace("\b\n", "")
    return re.sub(r"^Examples?: (incrowd .*)$", r"```sh\n\1\n```", said, flags=re.MULTILINE)


def _row(flag: str, meaning: str) -> str:
    cells = (one.replace("|", "\\|").replace("\n", " ") for one in (f"`{flag}`", _inline(meaning)))
    return f"| {' | '.join(cells)} |\n"


# Policy keys


def policy_page(schema: Mapping[str, Any]) -> str:
    """Every key of a policy file, from its JSON Schema."""
    intro = (
        "Generated from `policy.schema.json`, which editors can use to complete and check policy "
        "files. [Policy files](../../guide/policy.md) explains them."
    )
    text = [f"# Policy keys\n\n{intro}\n\n## The policy\n\n", _keys(schema)]
    for name, part in sorted(schema.get("$defs", {}).items()):
        if part.get("properties"):
            text += [f"\n## {name}\n\n{_about(part)}", _keys(part)]
    return "".join(text)


def _about(part: Mapping[str, Any]) -> str:
    said = part.get("description", "").split("\n\n>>>")[0]
    return f"{_inline(said)}\n\n" if said else ""


def _keys(part: Mapping[str, Any]) -> str:
    rows = [
        _row(key, f"{_kind(value)}{_default(value)}")
        for key, value in part.get("properties", {}).items()
    ]
    return f"| key | value |\n| --- | --- |\n{''.join(rows)}"


def _kind(value: Mapping[str, Any]) -> str:
    """The type of a value in words."""
    if "$ref" in value:
        return str(value["$ref"]).rpartition("/")[2]
    if "const" in value or "enum" in value:
        return ", ".join(f"`{json.dumps(one)}`" for one in value.get("enum", [value.get("const")]))
    choices = value.get("anyOf") or value.get("oneOf")
    if choices:
        return " or ".join(dict.fromkeys(_kind(one) for one in choices))
    kind = str(value.get("type", "any"))
    if kind == "array" and "items" in value:
        return f"list of {_kind(value['items'])}"
    if kind == "object" and isinstance(value.get("additionalProperties"), dict):
        return f"table of {_kind(value['additionalProperties'])}"
    return kind + _limits(value)


def _limits(value: Mapping[str, Any]) -> str:
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    said = [f"{word} {value[key]:g}" for key, word in words.items() if key in value]
    return f" ({', '.join(said)})" if said else ""


def _default(value: Mapping[str, Any]) -> str:
    return f"; default `{json.dumps(value['default'])}`" if "default" in value else ""


# Exit codes, documents, certificate


def exit_codes_page() -> str:
    """Exit codes with the errors that end with them."""
    rows = [_row("0", "done, and every model is met")]
    errors: dict[int, list[type[IncrowdError]]] = {}
    for one in [*IncrowdError.__subclasses__(), IncrowdError]:
        if one.__module__ == IncrowdError.__module__:
            errors.setdefault(one.exit_code, []).append(one)
    for code, kinds in sorted(errors.items()):
        first = (inspect.getdoc(kinds[0]) or "").split("\n")[0]
        rows.append(_row(str(code), f"{first} In Python: `{kinds[0].__name__}`."))
    rows.append(_row("130", "interrupted: Ctrl-C, or a request to terminate"))
    return (
        "# Exit codes\n\nEvery command ends with one of these. With `--json` an error is also a "
        "document (`incrowd.error/1`) on standard output.\n\n| code | meaning |\n| --- | --- |\n"
        + "".join(rows)
    )


def documents_page() -> str:
    """Every kind of JSON document, with the module that makes it."""
    found: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in re.findall(r'"(incrowd\.[a-z-]+/\d+)"', path.read_text("utf-8")):
            found.setdefault(name, path.relative_to(PACKAGE.parent).as_posix())
    rows = "".join(f"| `{name}` | `{where}` |\n" for name, where in sorted(found.items()))
    return (
        "# JSON documents\n\nEvery command takes `--json` and then writes one document to standard "
        "output. Its `schema` names the kind and the version; a version only ever gains keys. "
        "[The command line](../../guide/command-line.md) shows one of each.\n\n"
        f"| schema | made in |\n| --- | --- |\n{rows}"
    )


def certificate_page() -> str:
    """The fields of a certificate and of what it holds."""
    module = importlib.import_module(Certificate.__module__)
    parts = [Certificate, *(one for one in _models_of(module) if one is not Certificate)]
    text = "".join(
        f"\n## {one.__name__}\n\n{markdown(_own_docstring(one))}{_fields(one)}" for one in parts
    )
    return (
        "# The certificate\n\nA JSON document beside every release "
        "([what it is for](../../guide/verify.md#the-certificate)). It holds no cell value.\n"
        + text
    )


def _own_docstring(what: type) -> str:
    return inspect.cleandoc(what.__dict__.get("__doc__") or "")


def _models_of(module: ModuleType) -> list[type]:
    inside = [one for one in vars(module).values() if inspect.isclass(one)]
    return [
        one for one in inside if one.__module__ == module.__name__ and hasattr(one, "model_fields")
    ]


def _slug(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower())


if __name__ == "__main__":
    write(Path(sys.argv[1]))

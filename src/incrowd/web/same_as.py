"""The same as a policy file, as a command and as Python: what the page does, without the page."""

import io
import json
import shlex
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.policy.toml import edit_text
from incrowd.requests.reading import ReadingOptions
from incrowd.requests.request import Option, options_of
from incrowd.web.jobs import WorldFiles

if TYPE_CHECKING:
    from incrowd.web.session import PageSession

POLICY = "policy.toml"
DEMO = "hospital.csv"
_MADE_UP = (
    "python -c 'from incrowd.datasets import hospital; "
    'hospital(2000, seed=7).write_csv("hospital.csv")\''
)
_README = """\
This folder makes the release again that incrowd ui made.

    sh command.sh        the command
    python session.py    the same in Python

Both read {source}
and write {target}

policy.toml says what the release must satisfy. The seed in command.sh and session.py decides the
order of the released rows: whoever knows it can restore the original order, so keep this folder
where the table is kept. No cell of the table is in it.
"""


def policy_text(session: "PageSession") -> str:
    """The text of the policy file, empty without one; hierarchy files are named in full."""
    if not session.policy:
        return ""
    changes: dict[str | tuple[str | int, ...], Any] = {}
    for name, column in tomllib.loads(session.policy).get("columns", {}).items():
        tree = column.get("hierarchy")
        if isinstance(tree, dict) and "path" in tree:
            path = str(session.folder / tree["path"])
            changes["columns", name, "hierarchy", "path"] = path
    return edit_text(session.policy, changes) if changes else session.policy


def shell_command(session: "PageSession") -> str:
    """The command that makes the release; `policy.toml` holds the policy."""
    words = ["incrowd", "anonymize", _source(session), "--policy", POLICY]
    words += ["-o", _target(session)]
    given = {
        "--seed": session.seed,
        "--report": session.report,
        "--sign": session.sign,
        "--key-file": session.key_file,
    }
    for flag, value in given.items():
        words += [] if value is None else [flag, str(value)]
    words += _world_flags(session.world) + _reading_flags(session.reading)
    return shlex.join(words)


def copy_note(session: "PageSession") -> str:
    """A sentence on a table that is a copy and is deleted in the end; empty if it stays."""
    if not session.is_copy:
        return ""
    name = _source(session)
    if session.source == str(session.private / DEMO):
        return f"{name} is made up and deleted when incrowd ui ends. Write it again: {_MADE_UP}"
    return (
        f"Your browser handed over a copy of {name}, and it is deleted when incrowd ui ends. "
        f"Put your own {name} beside {POLICY} before you run this."
    )


def _source(session: "PageSession") -> str:
    """The path of the table; only the name of a copy that is deleted; `FILE` without a table."""
    source = session.source or "FILE"
    return Path(source).name if session.is_copy else source


def _target(session: "PageSession") -> str:
    """The path of the release; `RELEASE` as long as there is no table."""
    return session.target or "RELEASE"


def _world_flags(world: WorldFiles) -> list[str]:
    """The flags, with their values, by which a command gets the world; none without one."""
    words = [word for file in world.files for word in ("--world", file)]
    words += [] if world.world_id is None else ["--world-id", world.world_id]
    return words + [word for pair in world.rename for word in ("--rename", "=".join(pair))]


def _given_options(reading: ReadingOptions) -> list[tuple[Option, Any]]:
    """The options of reading that are set, each with its value."""
    values = ((option, getattr(reading, option.name)) for option in options_of(ReadingOptions))
    return [(option, value) for option, value in values if value not in (None, ())]


def _reading_flags(reading: ReadingOptions) -> list[str]:
    """The flags, with their values, that give a command these options of reading."""
    words = []
    for option, value in _given_options(reading):
        if isinstance(value, bool):
            words.append(option.flags[0].split("/")[0 if value else 1])
        else:
            values = value if isinstance(value, tuple) else (value,)
            words += [word for one in values for word in (option.flags[0], str(one))]
    return words


def python_program(session: "PageSession") -> str:
    """The program in Python that makes the release; `policy.toml` holds the policy."""
    arguments = [_quote(_source(session)), "policy", _quote(_target(session))]
    given = {"seed": session.seed, "sign": session.sign}
    arguments += [f"{name}={_literal(one)}" for name, one in given.items() if one is not None]
    if session.key_file is not None:
        arguments.append("key=key")
    arguments += _world_arguments(session.world)
    if reading := _reading_argument(session.reading):
        arguments.append(reading)
    lines = ["import incrowd", "", f'policy = incrowd.read_policy("{POLICY}")']
    if session.key_file is not None:
        lines.insert(0, "from pathlib import Path\n")
        lines.append(f'key = Path({_quote(session.key_file)}).read_bytes().rstrip(b"\\r\\n")')
    lines += ["release = incrowd.anonymize(", *(f"    {one}," for one in arguments), ")"]
    lines += _report_lines(session)
    return "\n".join([*lines, "print(release.k, release.loss)", ""])


def _report_lines(session: "PageSession") -> list[str]:
    """The line of Python that writes the report; none if no report is wanted."""
    if session.report is None:
        return []
    source, report = _quote(_source(session)), _quote(session.report)
    given = [f"original={source}", *_world_arguments(session.world)]
    return [f"incrowd.report(release, {report}, {', '.join(given)})"]


def _world_arguments(world: WorldFiles) -> list[str]:
    """The arguments by which a Python call gets the world; none without one."""
    if not world.files:
        return []
    given = [f"world=[{', '.join(map(_quote, world.files))}]"]
    given += [] if world.world_id is None else [f"world_id={_quote(world.world_id)}"]
    return given + ([f"rename={_literal(dict(world.rename))}"] if world.rename else [])


def _reading_argument(reading: ReadingOptions) -> str:
    """The argument that gives a Python call these options; empty if none is set."""
    settings = [
        f"{option.name}={_formats_literal(value) if isinstance(value, tuple) else _literal(value)}"
        for option, value in _given_options(reading)
    ]
    return f"reading=incrowd.Reading({', '.join(settings)})" if settings else ""


def _formats_literal(texts: tuple[str, ...]) -> str:
    """Formats of dates (`FORMAT`, `COLUMN=FORMAT`) in Python: a text, or a dictionary by column."""
    formats = dict(text.rpartition("=")[::2] for text in texts)
    return _quote(formats[""]) if list(formats) == [""] else _literal(formats)


def _literal(value: object) -> str:
    """A value as Python writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quote(k)}: {_quote(v)}" for k, v in value.items()) + "}"
    return _quote(value) if isinstance(value, str) else repr(value)


def _quote(text: str) -> str:
    """A text as Python writes it: in double quotes."""
    return json.dumps(text)


def files_by_name(session: "PageSession") -> dict[str, str]:
    """The files that make the release again: the text of each by its name."""
    source = "\nand ".join((_source(session), *session.world.files))
    target = _target(session)
    first = copy_note(session)
    return {
        POLICY: policy_text(session),
        "command.sh": f'#!/bin/sh\ncd "$(dirname "$0")" || exit\nexec {shell_command(session)}\n',
        "session.py": python_program(session),
        "README.txt": _README.format(source=source, target=target)
        + (f"\n{first}\n" if first else ""),
    }


def zip_archive(session: "PageSession") -> bytes:
    """A ZIP file, as bytes, of the folder that makes the release again."""
    name = f"{Path(session.source or 'table').name.partition('.')[0]}-session"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as folder:
        for file, text in files_by_name(session).items():
            folder.writestr(f"{name}/{file}", text)
    return packed.getvalue()

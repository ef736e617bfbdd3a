"""Run a case, and say what came of it in a form that holds figures and names but no prose."""

import gzip
import hashlib
import io
import json
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import polars as pl

from golden.cases import Case
from incrowd.cli.main import main

PROSE = "…"
VOLATILE = frozenset({"created", "versions", "seconds", "signature", "public_key", "fingerprint"})
LIBRARIES = (".parquet", ".arrow", ".gz", ".zst")
"""Files whose bytes depend on the versions of libraries: what they hold is looked at."""


def outcome(case: Case, folder: Path, inputs: Path) -> dict[str, Any]:
    """Run a case in an empty folder: exit codes, documents, and the files that it left."""
    folder.mkdir(parents=True)
    with chdir(folder):
        first, *others = case.lines
        steps = [_first_step(first, inputs), *(_step(line, inputs) for line in others)]
        names = sorted(path.name for path in Path().iterdir())
        files = {name: _file(Path(name), case) for name in names}
    return {"steps": steps, "files": files}


_kept: dict[str, tuple[dict[str, Any], Path]] = {}
_folder: list[Path] = []


@contextmanager
def first_steps(folder: Path) -> Iterator[None]:
    """Meanwhile what a line does in an empty folder is kept: several cases begin with it."""
    _folder.append(folder)
    try:
        yield
    finally:
        _folder.pop()
        _kept.clear()


def _first_step(line: str, inputs: Path) -> dict[str, Any]:
    """What a line does in the working directory, which is empty."""
    if not _folder:
        return _step(line, inputs)
    if line in _kept:
        step, files = _kept[line]
        shutil.copytree(files, Path(), dirs_exist_ok=True)
        return step
    step = _step(line, inputs)
    files = _folder[0] / str(len(_kept))
    _kept[line] = step, Path(shutil.copytree(Path(), files))
    return step


def _step(line: str, inputs: Path) -> dict[str, Any]:
    line = line.removesuffix(" -j") + " --seed 7 --json" if line.endswith(" -j") else line
    line, _, given = line.partition(" < ")
    arguments = [
        word.replace("@", f"../{inputs.name}/") for word in shlex.split(line.replace(";", r"\;"))
    ]
    out, err = io.StringIO(), io.StringIO()
    content = (inputs / given).read_bytes() if given else b""
    with redirect_stdout(out), redirect_stderr(err), _standard_input(content):
        try:
            main(arguments)
        except SystemExit as stop:
            code = stop.code
    try:
        document = normal(json.loads(out.getvalue()))
    except json.JSONDecodeError:
        document = f"no document: {len(out.getvalue())} characters"
    return {"exit": code, "document": document}


@contextmanager
def _standard_input(content: bytes) -> Iterator[None]:
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(content))
    try:
        yield
    finally:
        sys.stdin = before


def normal(value: Any, key: str = "") -> Any:
    """A document without what is volatile and without prose, figures to nine digits."""
    if isinstance(value, dict):
        return {name: normal(one, name) for name, one in value.items() if name not in VOLATILE}
    if isinstance(value, list):
        return [normal(one, key) for one in value]
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, str) and key == "policy" and "\n" in value:
        return tomllib.loads(value)
    if isinstance(value, str) and (" " in value or key == "remedy"):
        return PROSE
    return value


def _file(path: Path, case: Case) -> Any:
    if path.suffix == ".json":
        return _certificate(normal(json.loads(path.read_text())), path, case)
    if path.suffix == ".toml":
        return tomllib.loads(path.read_text())
    if path.suffix in {".csv", ".tsv", ".gz", ".zst", ".parquet", ".arrow"}:
        return _rows(_content(path), case)
    return "there"


def _content(path: Path) -> bytes:
    match path.suffix:
        case ".parquet":
            return pl.read_parquet(path).write_csv().encode()
        case ".arrow":
            return pl.read_ipc(path).write_csv().encode()
        case ".zst":
            return pl.read_csv(path, infer_schema=False).write_csv().encode()
        case ".gz":
            return gzip.decompress(path.read_bytes())
    return path.read_bytes()


def _rows(content: bytes, case: Case) -> dict[str, Any]:
    lines = content.decode("utf-8", "replace").splitlines()
    if case.unordered:
        cells = sorted(lines[1:])
        columns = zip(*(line.split(",") for line in cells), strict=True)
        content = repr([sorted(column) for column in columns]).encode()
        lines = lines[:1] + [PROSE] * len(cells)
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "lines": len(lines),
        "head": lines[:2],
    }


def _certificate(document: Any, path: Path, case: Case) -> Any:
    """A certificate without the digests that are another each time, or by another library.

    Those of the many cases by method name their policy by its digest alone.
    """
    if not isinstance(document, dict):
        return document
    target = path.name.removesuffix(".certificate.json")
    drawn = ("digest", "rows_sha256") if case.unordered else ()
    packed = ("digest",) if target.endswith(LIBRARIES) else ()
    known = ("policy",) if case.name.startswith("method-") else ()
    return {name: one for name, one in document.items() if name not in {*drawn, *packed, *known}}

"""What a search looked at, written for people or programs."""

from pathlib import Path

from incrowd.documents import charts, json
from incrowd.errors import PolicyError
from incrowd.io.atomic import replacing
from incrowd.io.files import refuse_nowhere, write_bytes
from incrowd.io.reading import AnyPath
from incrowd.release.release import Release

KINDS = ("csv", "json", "svg", "png", "html")
"""The kinds of files, by their suffix."""


def kind_of(path: AnyPath) -> str:
    """The kind of a file by its suffix, or `PolicyError`."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise PolicyError(
            f"{str(path)!r} is no file for what the search looked at",
            remedy="end its name in .csv or .json for programs, .svg, .png or .html for people",
        )
    return kind


def refuse_unexplorable(path: AnyPath) -> None:
    """Refuse a file that could not be written, before there is anything to write."""
    if kind_of(path) in {"svg", "png", "html"}:
        charts.refuse_undrawable()
    refuse_nowhere(path, "what the search looked at")


def write_explored(release: Release, path: AnyPath) -> None:
    """Write the nodes that the search counted, as a table or a picture."""
    content = _content(release, kind_of(path))
    with replacing(path) as place:
        write_bytes(place, content)


def _content(release: Release, kind: str) -> bytes:

    explored, nodes = release.explored, release.lattice
    if explored is None or nodes is None:
        raise PolicyError(
            f"the search {release.search!r} goes through no lattice to explore",
            remedy="choose another: lattice, mingen or exhaustive",
        )
    if kind == "csv":
        return nodes.write_csv().encode()
    if kind == "json":
        return json.dumps(json.lattice_document(release, nodes.to_dicts())).encode()
    chart = charts.lattice_chart(explored, release.policy.loss.name)
    return charts.drawn(chart, kind)  # type: ignore[arg-type]

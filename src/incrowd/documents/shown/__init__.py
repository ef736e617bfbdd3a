"""The presenter of `incrowd.showing`: every kind of `Shown` result has a line in `VIEWS`."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from incrowd.documents import compare_page
from incrowd.documents.json import json_value
from incrowd.documents.page import Page, Paragraphs, PictureBlock, Section, fragment_html, page_html
from incrowd.documents.pictures import Picture, standalone_svg
from incrowd.documents.shown import identified, planned, released
from incrowd.documents.view import ResultView
from incrowd.errors import InputError
from incrowd.io import files

VIEWS: dict[str, Callable[[Any], ResultView]] = {
    "Attacked": released.attacked_view,
    "Bucketed": planned.bucketed_view,
    "Check": released.check_view,
    "Checklist": identified.checklist_view,
    "Comparison": compare_page.compare_view,
    "Discovery": identified.discovery_view,
    "Draft": identified.draft_view,
    "Frontier": released.frontier_view,
    "Groups": identified.groups_view,
    "JudgedSets": identified.judged_view,
    "Masked": identified.masked_view,
    "Plan": planned.plan_view,
    "Release": released.release_view,
    "Risk": released.risk_view,
}
"""The view of each result, by the name of its class."""


def view(result: object) -> ResultView:
    """Make what a notebook shows of a result: sentence, picture and table."""
    return VIEWS[type(result).__name__](result)


def html(result: object) -> str:
    """Write what a notebook shows of a result, as HTML."""
    return fragment_html(view(result).blocks)


def plot(result: object) -> "Plotted":
    """Draw the picture of a result."""
    return Plotted(view(result).picture)


def document(result: object) -> dict[str, Any]:
    """Make the JSON document of a result, without paths of files."""
    made: dict[str, Any] = json_value(view(result).document())
    return made


def frame(result: object) -> pl.DataFrame:
    """Make a frame of a result's main table; a missing figure is null, spaces in heads become _."""
    table = view(result).table
    columns = {
        head.replace(" ", "_"): [row[place] for row in table.rows]
        for place, head in enumerate(table.head)
    }
    return pl.DataFrame(columns, strict=False)


@dataclass(frozen=True)
class Plotted:
    """A picture that notebooks show, and that can be written to a file."""

    picture: Picture

    def _repr_svg_(self) -> str:
        """The picture as a file of SVG, for notebooks."""
        return standalone_svg(self.picture)

    def _repr_html_(self) -> str:
        """The picture with its sentence as an HTML element, for notebooks."""
        return fragment_html((PictureBlock(self.picture),))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file: .svg, .html or, with `incrowd[charts]`, .png.

        `InputError` for another ending, or if PNG files cannot be made.
        """
        kind = Path(path).suffix.lower()
        if kind not in _WRITERS:
            raise InputError(
                "a picture is written as .svg, .html or .png", remedy="name such a file"
            )
        files.write_bytes(path, _WRITERS[kind](self))


def _page_bytes(plotted: Plotted) -> bytes:
    """The picture as an HTML page."""
    picture = plotted.picture
    section = Section("figure", "The figure", (PictureBlock(picture),))
    return page_html(Page(picture.title, Paragraphs((picture.about,)), (section,))).encode()


def _png_bytes(plotted: Plotted) -> bytes:
    """The picture as PNG; `InputError` if the library for it is not installed."""
    if find_spec("vl_convert") is None:
        raise InputError(
            "PNG files need a library that is not installed",
            remedy="install incrowd[charts], or write .svg",
        )
    convert: Any = import_module("vl_convert")
    return bytes(convert.svg_to_png(plotted._repr_svg_(), scale=2))


_WRITERS: dict[str, Callable[[Plotted], bytes]] = {
    ".svg": lambda plotted: plotted._repr_svg_().encode(),
    ".html": _page_bytes,
    ".png": _png_bytes,
}

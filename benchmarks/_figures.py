"""Measured lines drawn as the figures of a paper, beside the documentation that shows them."""

import csv
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "papers" / "figures"


@dataclass(frozen=True)
class Figure:
    """What a figure shows: some measures of several series against one thing that varies."""

    name: str
    """The name of its file, without suffix."""
    title: str
    x: str
    measures: tuple[str, ...] = ("gcp", "seconds")
    logarithmic: tuple[str, ...] = ("seconds",)
    series: str = "search"


def draw(figure: Figure, lines: list[Any], folder: Path = FOLDER) -> Path:
    """Write the figure of these lines (dataclasses with the named fields) as SVG."""
    return draw_beside(figure.name, figure.title, [(figure, lines)], folder)


def draw_beside(
    name: str, title: str, parts: Sequence[tuple[Figure, list[Any]]], folder: Path = FOLDER
) -> Path:
    """Write several figures, each of its own lines, side by side as one SVG."""
    import altair as alt  # noqa: PLC0415  the extra charts, only where figures are drawn

    from incrowd.documents.charts import render_chart  # noqa: PLC0415  as above

    charts = [
        _chart(figure, measure, lines) for figure, lines in parts for measure in figure.measures
    ]
    chart = alt.hconcat(*charts).properties(title=title)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.svg"
    path.write_bytes(render_chart(chart, "svg"))
    return path


def _chart(figure: Figure, measure: str, lines: list[Any]) -> Any:
    """One measure against what varies; several measures stand side by side."""
    import altair as alt  # noqa: PLC0415  the extra charts, only where figures are drawn

    scale = alt.Scale(type="log" if measure in figure.logarithmic else "linear")
    return (
        alt.Chart(alt.Data(values=[asdict(line) for line in lines]))
        .mark_line(point=True)
        .encode(
            x=alt.X(f"{figure.x}:Q", title=figure.x),
            y=alt.Y(f"{measure}:Q", title=measure, scale=scale),
            color=alt.Color(f"{figure.series}:N", title=None),
        )
        .properties(width=300, height=220)
    )


def write(name: str, lines: Sequence[Any], folder: Path = FOLDER) -> Path:
    """Write lines, all of one dataclass, as a CSV file beside the figures."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(lines[0])])
        writer.writerows([_short(cell) for cell in astuple(line)] for line in lines)
    return path


def _short(cell: object) -> object:
    """Figures to six digits: what is shown, without the noise of a run."""
    return f"{cell:.6g}" if isinstance(cell, float) else cell

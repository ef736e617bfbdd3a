"""Measured lines drawn as the figures of a paper, beside the documentation that shows them."""

from dataclasses import asdict, dataclass
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
    import altair as alt  # noqa: PLC0415  the extra charts, only where figures are drawn

    from incrowd.report.charts import drawn  # noqa: PLC0415  as above

    base = alt.Chart(alt.Data(values=[asdict(line) for line in lines]))
    charts = []
    for measure in figure.measures:
        scale = alt.Scale(type="log" if measure in figure.logarithmic else "linear")
        charts.append(
            base.mark_line(point=True)
            .encode(
                x=alt.X(f"{figure.x}:Q", title=figure.x),
                y=alt.Y(f"{measure}:Q", title=measure, scale=scale),
                color=alt.Color(f"{figure.series}:N", title=None),
            )
            .properties(width=300, height=220)
        )
    chart = alt.hconcat(*charts).properties(title=figure.title)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{figure.name}.svg"
    path.write_bytes(drawn(chart, "svg"))
    return path

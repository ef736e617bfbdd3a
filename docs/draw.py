"""The picture of the README: one class of a real release, before and after.

`python docs/refresh.py` draws it anew into docs/pictures/before-after.svg. The people are made up.
"""

# ruff: noqa: INP001  programs of the site, no package

from html import escape
from pathlib import Path

import polars as pl

import incrowd
from incrowd.datasets import hospital

PICTURE = Path(__file__).parent / "pictures" / "before-after.svg"
QUASI = ["birth_date", "sex", "zip"]
_ROW, _TOP = 26, 66
_FOOT = (
    "Names are dropped; birth date, sex and ZIP code become coarser until k = 5 people share them; "
    "diagnoses stay exact, and differ."
)
_BEFORE = (("name", 16), ("birth_date", 150), ("sex", 240), ("zip", 304), ("diagnosis", 360))
_AFTER = (("birth_date", 520), ("sex", 664), ("zip", 728), ("diagnosis", 790))


def before_after() -> str:
    """The people of one class as they are, and as the release shows them."""
    patients = hospital(1_000, seed=7)
    policy = incrowd.quick(patients.columns, quasi=QUASI, sensitive="diagnosis", k=5, l=3)
    kept = policy.model_copy(update={"order": "keep"})
    shown = incrowd.anonymize(patients, kept, seed=1).frame.with_row_index("row")
    sizes = shown.group_by(QUASI).agg(pl.col("row"), pl.col("diagnosis").n_unique().alias("values"))
    small = sizes.filter((pl.col("row").list.len() == 5) & (pl.col("values") == 5))
    rows = small.sort(pl.col("row").list.first())["row"][0]
    return _svg(patients[rows.to_list()], shown[rows.to_list()])


def _svg(before: pl.DataFrame, after: pl.DataFrame) -> str:
    height = _TOP + _ROW * before.height + 40
    foot = height - 14
    size = f'viewBox="0 0 880 {height}" font-size="13" fill="#1f2933"'
    font = 'font-family="Helvetica, Arial, sans-serif"'
    green = f'x="508" y="{_TOP - 4}" width="274" height="{_ROW * after.height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} {font}>',
        "<title>Five people of a table, and what a release shows of them</title>",
        f'<rect width="880" height="{height}" rx="8" fill="#ffffff"/>',
        _heading(16, "Before: everyone can be found"),
        _heading(520, "After: five people look alike"),
        f'<rect {green} rx="4" fill="#e4f3e8"/>',
        f'<text x="466" y="{_TOP + _ROW * 2.6:.0f}" font-size="26" fill="#2f855a">→</text>',
        *_table(before, _BEFORE, struck="name"),
        *_table(after, _AFTER),
        f'<text x="16" y="{foot}" fill="#52606d">{_FOOT}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _heading(x: int, text: str) -> str:
    return f'<text x="{x}" y="24" font-size="15" font-weight="bold">{text}</text>'


def _table(
    frame: pl.DataFrame, columns: tuple[tuple[str, int], ...], struck: str = ""
) -> list[str]:
    parts = []
    for name, x in columns:
        parts.append(f'<text x="{x}" y="{_TOP - 14}" fill="#52606d">{name}</text>')
        color = ' fill="#9b2c2c"' if name == struck else ""
        for row, cell in enumerate(frame[name].cast(pl.String).to_list()):
            place = _TOP + _ROW * row + 14
            parts.append(f'<text x="{x}" y="{place}"{color}>{escape(cell or "")}</text>')
    return parts


def draw() -> None:
    """Write the picture."""
    PICTURE.write_text(before_after(), "utf-8")


if __name__ == "__main__":
    draw()

"""Pictures of every kind, ordinary and hard, for tests."""

import math

from incrowd.documents.pictures import (
    Bars,
    Curve,
    CurveLine,
    EstimateBars,
    HeatMap,
    Plane,
    PlanePoint,
    Series,
)

HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"quoted\" & 'quoted' <b>",
    "a\x00b\x1b[2J\x7f\u202e\u2066",
    "שלום עולם, שם ארוך מאוד של עמודה אחת",
    "日本語の長い名前のカテゴリー" * 4,
    "]]> <!-- --> <![CDATA[ ${1} {{ 7*7 }} {% raw %}",
    "lone \udc80 surrogate \ufffe",
    "e" + "\u0301" * 500,
    "long " * 400,
    "",
)


def names(count, text="category {}"):
    return tuple(text.format(n) for n in range(count))


def waves(count, phase=0.0):
    return tuple(100 * (1.1 + math.sin(n / 3 + phase)) for n in range(count))


def bars(count=6, many=2, label="{}"):
    series = tuple(Series(f"series {n}", waves(count, n)) for n in range(many))
    axes = {"x": "x", "y": "y", "mark": 5, "mark_name": "k = 5"}
    return Bars("Bars", "What they show.", names(count, label), series, **axes)


def heat(count=5, least=-1.0):
    values = tuple(
        tuple(None if i == j else math.sin(i * 7 + j * 3) for j in range(count))
        for i in range(count)
    )
    return HeatMap("Heat", "Pairs.", names(count), names(count), values, least, 1.0)


def plane(count=7):
    frontier = tuple(
        PlanePoint(f"k={n}", 1 / (n + 1), 1 - n / 20, "frontier") for n in range(count)
    )
    return Plane(
        "Risk and utility",
        "Each point is a release.",
        (*frontier, PlanePoint("release.csv", 0.1, 0.6), PlanePoint("original", 1, 1, "original")),
        "highest risk",
        "utility",
    )


def curve(count=30, step=False):
    lines = tuple(CurveLine(f"line {n}", tuple(enumerate(waves(count, n))), step) for n in range(2))
    axes = {"x": "x", "y": "y", "mark": 5.0, "mark_name": "limit", "mark_on": "x"}
    return Curve("Curve", "What it shows.", lines, **axes)


RANGES = EstimateBars(
    "Attacks",
    "Shares of right guesses with their intervals.",
    ("linkage", "singling out", "inference"),
    (0.1, 0.2, None),
    (0.2, 0.3, None),
    (0.3, 0.4, None),
    (0.1, None, 0.2),
    "share",
)
NOTHING = (
    Bars("t", "a", (), ()),
    Bars("t", "a", ("x",), (Series("s", (None,)),)),
    Curve("t", "a", (CurveLine("l", ()),)),
    Curve("t", "a", (CurveLine("l", ((math.nan, 1.0), (2.0, math.inf))),)),
    HeatMap("t", "a", (), (), ()),
    HeatMap("t", "a", ("r",), ("c",), ((None,),)),
    EstimateBars("t", "a", (), (), (), ()),
    Plane("t", "a", ()),
    Plane("t", "a", (PlanePoint("p", math.nan, 1.0),)),
)
ORDINARY = {
    "bars": bars(),
    "bars of long names": bars(24, 3, "a rather long name of category {}"),
    "bars of 300": bars(300, 4, "C{}"),
    "one bar": bars(1, 1),
    "below zero": Bars("t", "a", names(3), (Series("s", (-3.0, 4.0, None)),)),
    "heat map": heat(),
    "heat map one way": heat(8, 0.0),
    "large heat map": heat(60),
    "ranges": RANGES,
    "plane": plane(),
    "curve": curve(),
    "stairs": curve(30, step=True),
    "long curve": curve(20_000),
    "a point": Curve("t", "a", (CurveLine("l", ((1.0, 1.0),)),)),
    "an estimate": EstimateBars("t", "a", ("x",), (0.2,), (0.2,), (0.2,)),
}


def named(name):
    """A picture of every kind in which everything has this name."""
    series = (Series(name, (1.0, None)), Series(name, (2.0, 3.0)))
    two = (name, name)
    lines = (CurveLine(name, ((0, 1), (1, 2))), CurveLine(name, ((0, 2),)))
    axes = {"x": name, "y": name, "mark_name": name}
    return (
        Bars(name, name, two, series, mark=1.5, **axes),
        Curve(name, name, lines, mark=1, **axes),
        HeatMap(name, name, two, two, ((0.5, None), (1.0, 0.0))),
        EstimateBars(name, name, two, (0, 0), (1, 1), (2, 2), (1, None), name, name, name),
        Plane(name, name, (PlanePoint(name, 1, 2), PlanePoint(name, 2, 1, "original")), name, name),
    )

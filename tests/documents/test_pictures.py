"""Pictures are well-formed, show the figures they are given, and stay small and harmless."""

import math
import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.documents.lettering import one_line, shorten, text_width
from incrowd.documents.pictures import (
    Bars,
    Curve,
    CurveLine,
    EstimateBars,
    HeatMap,
    Series,
    standalone_svg,
    svg,
)
from incrowd.documents.pictures.bars import MOST_LABELS
from incrowd.documents.pictures.looks import LOOKS, SERIES
from incrowd.documents.pictures.scale import make_scale
from incrowd.documents.pictures.svg import draw_picture
from picture_gallery import HOSTILE, NOTHING, ORDINARY, bars, curve, heat, named, plane

NS = "{http://www.w3.org/2000/svg}"
HARMLESS = {"svg", "g", "rect", "path", "circle", "text", "title", "desc"}
MOST_BYTES = 15_000


def parsed(picture):
    return ET.fromstring(svg(picture))


def group(root, look):
    return [
        mark
        for found in root.iter(f"{NS}g")
        if found.get("class") == f"ic-{look}"
        for mark in found
    ]


def sound(root):
    """Only harmless elements, and only finite numbers in what says where they are."""
    assert {one.tag.removeprefix(NS) for one in root.iter()} <= HARMLESS
    for one in root.iter():
        for key, value in one.attrib.items():
            assert not key.startswith("on")
            assert key not in {"style", "href"}
            if key not in {"aria-label", "class", "fill", "stroke", "font-family"}:
                assert not re.search(r"nan|inf|none|e[+-]?\d", value, re.IGNORECASE), (key, value)
    return root


@pytest.mark.parametrize("picture", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_pictures_are_sound_small_and_the_same_each_time(picture):
    text = svg(picture)
    root = sound(ET.fromstring(text))
    assert len(text.encode()) <= MOST_BYTES
    assert text == svg(picture)
    assert root.get("role") == "img"
    assert root.get("aria-label") == root.find(f"{NS}title").text == picture.title
    assert root.find(f"{NS}desc").text == picture.about


@pytest.mark.parametrize("picture", ORDINARY.values(), ids=ORDINARY)
def test_all_marks_and_texts_are_inside(picture):
    root = parsed(picture)
    wide, high = (float(root.get(key)) for key in ("width", "height"))
    for one in root.iter():
        for key, most in (("x", wide), ("y", high), ("cx", wide), ("cy", high)):
            if one.get(key):
                assert 0 <= float(one.get(key)) <= most
    for box in root.iter(f"{NS}rect"):
        if box.get("x"):
            assert float(box.get("x")) + float(box.get("width")) <= wide
            assert float(box.get("y")) + float(box.get("height")) <= high


@pytest.mark.parametrize("picture", NOTHING)
def test_pictures_of_nothing_are_sound(picture):
    sound(parsed(picture))


def test_a_picture_takes_milliseconds():
    picture = bars()
    svg(picture)
    start = process_time()
    for _ in range(20):
        svg(picture)
    assert (process_time() - start) / 20 < 0.05


def test_there_is_a_bar_for_each_figure_as_high_as_it_is():
    values = (10.0, 0.0, 25.0, None, 50.0)
    root = parsed(Bars("t", "a", tuple("abcde"), (Series("s", values),)))
    boxes = group(root, "fill1")
    heights = [float(box.get("height")) for box in boxes]
    known = [value for value in values if value is not None]
    assert len(boxes) == len(known)
    assert heights == pytest.approx([value / 50 * max(heights) for value in known], abs=0.06)
    withheld = group(root, "none")
    assert len([box for box in withheld if box.find(f"{NS}title") is not None]) == 1
    assert "withheld or not there" in "".join(root.itertext())


def test_bars_of_several_series_are_on_one_scale_and_do_not_overlap():
    root = parsed(Bars("t", "a", ("x", "y"), (Series("b", (10, 20)), Series("a", (40, 5)))))
    first, second = group(root, "fill1")[1:], group(root, "fill2")[1:]  # after the legend's
    tall = {float(box.get("height")) for box in first + second}
    assert float(second[0].get("height")) == pytest.approx(
        4 * float(first[0].get("height")), abs=0.3
    )
    edges = sorted(
        (float(b.get("x")), float(b.get("x")) + float(b.get("width"))) for b in first + second
    )
    assert all(one[1] <= other[0] + 0.1 for one, other in pairwise(edges))
    assert len(tall) == 4


def test_very_many_bars_are_one_outline_and_more_than_that_are_said():
    root = parsed(bars(300, 2))
    (line,) = group(root, "line1")
    assert line.get("d").count("h1") == 300
    text = "".join(parsed(bars(MOST_LABELS + 100, 1)).itertext())
    assert f"the first {MOST_LABELS} of {MOST_LABELS + 100}" in text


def test_a_limit_is_drawn_at_its_height_and_named():
    root = parsed(Bars("t", "a", ("x",), (Series("s", (10,)),), mark=5, mark_name="k = 5"))
    line = group(root, "mark")[-1].get("d")
    (bar,) = group(root, "fill1")
    height = float(re.match(r"M[\d.]+ ([\d.]+)H", line)[1])
    middle = float(bar.get("y")) + float(bar.get("height")) / 2
    assert height == pytest.approx(middle, abs=0.2)
    assert "k = 5" in "".join(root.itertext())


@pytest.mark.parametrize("count", [1, 5, 12, 40, 100, 300])
@pytest.mark.parametrize("label", ["{}", "category {}", "a rather long name of category {}"])
def test_names_of_categories_do_not_meet(count, label):
    labels = tuple(label.format(n) for n in range(count))
    words = [
        mark
        for part in draw_picture(Bars("t", "a", labels, (Series("s", (1.0,) * count),))).groups
        for mark in part.marks
        if getattr(mark, "text", "")
        and (mark.turned or mark.anchor == "middle")
        and mark.size == 12
    ]
    assert words
    for one, other in pairwise(words):
        gap = other.x - one.x
        if one.turned:
            assert gap * math.sin(math.radians(40)) >= 12
        else:
            assert gap >= (text_width(one.text) + text_width(other.text)) / 2


def test_a_line_goes_through_its_points():
    root = parsed(Curve("t", "a", (CurveLine("l", ((0, 0), (1, 5), (2, 10))),)))
    (line,) = group(root, "line1")
    places = [tuple(map(float, pair.split())) for pair in re.split("[ML]", line.get("d"))[1:]]
    assert len(places) == len(group(root, "fill1")) == 3
    assert places[1] == pytest.approx(
        [(a + b) / 2 for a, b in zip(places[0], places[2], strict=True)], abs=0.1
    )


def test_stairs_go_level_then_up():
    root = parsed(Curve("t", "a", (CurveLine("l", ((0, 1), (1, 2), (2, 3)), step=True),)))
    assert re.fullmatch(r"M[\d.]+ [\d.]+(H[\d.]+V[\d.]+){2}", group(root, "line1")[0].get("d"))


def test_a_long_line_keeps_its_highest_and_lowest_points():
    values = [0.0] * 9_000
    values[4_321], values[7_777] = 10.0, -10.0
    thick = parsed(Curve("t", "a", (CurveLine("l", tuple(enumerate(values))),)))
    (line,) = group(thick, "line1")
    heights = {pair.split()[1] for pair in re.split("[ML]", line.get("d"))[1:]}
    short = parsed(Curve("t", "a", (CurveLine("l", ((0, 0.0), (1, 10.0), (2, -10.0))),)))
    (other,) = group(short, "line1")
    assert heights == {pair.split()[1] for pair in re.split("[ML]", other.get("d"))[1:]}


def test_a_heat_map_has_a_cell_for_each_pair_the_stronger_the_larger():
    picture = HeatMap("t", "a", ("r", "s"), ("c", "d"), ((0.0, 0.5), (1.0, None)))
    root = parsed(picture)
    cells = [box for box in group(root, "more") if box.find(f"{NS}title") is not None]
    assert [float(box.get("fill-opacity")) for box in cells] == [0.0, 0.45, 0.9]
    assert len([box for box in group(root, "none") if box.find(f"{NS}title") is not None]) == 1
    assert {"0.00", "0.50", "1.00"} <= set(root.itertext())


def test_a_heat_map_of_two_colours_parts_at_zero():
    picture = HeatMap("t", "a", ("r",), ("c", "d", "e"), ((-1.0, 0.0, 0.5),), -1, 1)
    root = parsed(picture)
    less, more = (
        [box for box in group(root, look) if box.find(f"{NS}title") is not None]
        for look in ("less", "more")
    )
    assert [float(box.get("fill-opacity")) for box in less] == [0.9]
    assert [float(box.get("fill-opacity")) for box in more] == [0.0, 0.45]


def test_a_large_heat_map_has_all_cells_up_to_its_limit():
    root = parsed(heat(60))
    cells = "".join(
        mark.get("d") for look in ("run-more", "run-less", "run-none") for mark in group(root, look)
    )
    assert cells.count("M") == 30 * 30
    assert "the first 30 are drawn" in "".join(root.itertext())


def test_boxes_of_a_wide_heat_map_stand_where_those_of_its_first_columns_do():
    def boxes(columns):
        names = tuple(f"c{n}" for n in range(columns))
        root = parsed(HeatMap("t", "a", ("r", "s"), names, ((0.5,) * columns,) * 2))
        cells = [box for box in group(root, "more") if box.find(f"{NS}title") is not None]
        return [(box.get("x"), box.get("width")) for box in cells]

    assert len(boxes(30)) == 60
    assert boxes(45) == boxes(30)


def test_an_estimate_lies_in_its_interval():
    root = parsed(EstimateBars("t", "a", ("x",), (1.0,), (2.0,), (3.0,), (0.5,)))
    low, high = map(
        float, re.match(r"M([\d.]+) [\d.]+H([\d.]+)", group(root, "line1")[0].get("d")).groups()
    )
    dot = group(root, "fill1")[-1]
    assert float(dot.get("cx")) == pytest.approx((low + high) / 2, abs=0.1)
    assert len(group(root, "fill2")) == 2  # in the legend and in the row


def test_the_plane_joins_its_frontier_and_names_its_releases():
    root = parsed(plane(7))
    (line,) = group(root, "line3")
    assert line.get("d").count("L") == 6
    texts = set(root.itertext())
    assert {"release.csv", "original", "highest risk", "utility"} <= texts


NUMBERS = st.none() | st.floats(allow_nan=True, allow_infinity=True) | st.integers(-5, 5)


@settings(max_examples=150)
@given(
    st.lists(NUMBERS, min_size=1, max_size=8),
    st.lists(st.text(max_size=30) | st.sampled_from(HOSTILE), min_size=8, max_size=8),
    NUMBERS,
)
def test_any_figures_under_any_names_are_sound(values, names, mark):
    labels = tuple(names[: len(values)])
    figures = tuple(values)
    points = tuple((x, y) for x in values for y in values if x is not None and y is not None)
    least, most = sorted([1.0, mark if mark is not None and math.isfinite(mark) else 0.0])
    for picture in (
        Bars(
            names[0], names[1], labels, (Series(names[2], figures),), mark=mark, mark_name=names[3]
        ),
        Curve(names[0], names[1], (CurveLine(names[2], points),), mark=mark, mark_name=names[3]),
        HeatMap(names[0], names[1], labels, labels, (figures,) * len(labels), least, most),
        EstimateBars(names[0], names[1], labels, figures, figures, figures, figures),
    ):
        sound(parsed(picture))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_text(name):
    for picture in named(name):
        root = sound(parsed(picture))
        assert root.find(f"{NS}title").text == (one_line(name) or None)
        assert len(svg(picture)) < 2 * MOST_BYTES


@settings(max_examples=200)
@given(st.text(max_size=80), st.floats(20, 300))
def test_a_shortened_name_fits_and_is_never_cut_silently(text, room):
    short = shorten(text, room)
    assert text_width(short) <= room or short == "…"
    assert short == one_line(text) or "…" in short


@settings(max_examples=300)
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5),
    st.booleans(),
)
def test_a_scale_holds_all_figures_with_a_few_ticks(values, zero):
    found = make_scale(values, zero=zero)
    assert found.low < found.high
    assert 2 <= len(found.ticks) <= 12
    assert list(found.ticks) == sorted(set(found.ticks))
    places = [found.position_of(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(0 <= place <= 1 for place in places)
    if max(map(abs, values)) < 1e299 and max(values) - min(values) > 1e-9 * max(map(abs, values)):
        dust = 1e-8 * (found.high - found.low)
        assert found.low <= min(values) + dust
        assert found.high >= max(values) - dust


def luminance(colour):
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def mixed(colour, surface, opacity):
    channels = [
        round(opacity * int(colour[n : n + 2], 16) + (1 - opacity) * int(surface[n : n + 2], 16))
        for n in (1, 3, 5)
    ]
    return "#" + "".join(f"{channel:02x}" for channel in channels)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_contrast(scheme):
    surface, ink = (getattr(LOOKS[name], scheme) for name in ("surface", "ink"))
    for name in ("ink", "quiet"):
        assert contrast(getattr(LOOKS[name], scheme), surface) >= 4.5
    for name in ("axis", "none", "mark", *(f"fill{n}" for n in range(1, 5))):
        assert contrast(getattr(LOOKS[name], scheme), surface) >= 3
    for name in ("more", "less"):  # figures are written on them
        for opacity in (0.09, 0.45, 0.9):
            assert contrast(ink, mixed(getattr(LOOKS[name], scheme), surface, opacity)) >= 4.5


def machado(colour, matrix):
    """A colour as a person without one kind of cones sees it (Machado et al. 2009, table 1)."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return [sum(a * b for a, b in zip(row, linear, strict=True)) for row in matrix]


BLINDNESS = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}


@pytest.mark.parametrize("kind", BLINDNESS)
@pytest.mark.parametrize("scheme", [0, 1])
def test_colours_of_the_first_two_series_differ_for_colour_blind_people(kind, scheme):
    one, other = (machado(colours[scheme], BLINDNESS[kind]) for colours in SERIES[:2])
    assert math.dist(one, other) > 0.25


def test_a_file_of_its_own_brings_both_colour_schemes():
    text = standalone_svg(plane())
    root = ET.fromstring(text)
    assert root.find(f"{NS}style").text.count("prefers-color-scheme") == 1
    assert len(text.encode()) <= MOST_BYTES


@pytest.mark.slow
def test_long_pictures_stay_small():
    assert len(svg(curve(100_000))) <= MOST_BYTES
    assert len(svg(plane(2_000))) <= 2 * MOST_BYTES


def test_ticks_of_whole_figures_are_whole():
    assert make_scale([1, 0, 2]).ticks == (0, 1, 2)
    assert make_scale([1.0, 1.0], zero=False).ticks == (0, 1, 2)
    assert make_scale([0.5, 1.0]).texts[1] == "0.2"

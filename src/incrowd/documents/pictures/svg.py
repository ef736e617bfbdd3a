"""Pictures as SVG texts."""

from typing import assert_never

from incrowd.documents.pictures.bars import draw_bars
from incrowd.documents.pictures.curve import draw_curve
from incrowd.documents.pictures.drawing import Drawing
from incrowd.documents.pictures.heat_map import draw_heat_map
from incrowd.documents.pictures.looks import style_rules
from incrowd.documents.pictures.plane import draw_plane
from incrowd.documents.pictures.ranges import draw_ranges
from incrowd.documents.pictures.values import Bars, Curve, EstimateBars, HeatMap, Picture, Plane
from incrowd.documents.templates import render


def svg(picture: Picture) -> str:
    """Write the picture as one SVG element, for a page whose style sheet has its colours."""
    return render("drawing.svg", drawing=draw_picture(picture), style="")


def standalone_svg(picture: Picture) -> str:
    """Write the picture as a file of its own, with its colours for light and dark."""
    return render("drawing.svg", drawing=draw_picture(picture), style=style_rules())


def draw_picture(picture: Picture) -> Drawing:
    """Draw a picture of any kind as marks at places."""
    match picture:
        case Bars():
            return draw_bars(picture)
        case Curve():
            return draw_curve(picture)
        case HeatMap():
            return draw_heat_map(picture)
        case EstimateBars():
            return draw_ranges(picture)
        case Plane():
            return draw_plane(picture)
    assert_never(picture)

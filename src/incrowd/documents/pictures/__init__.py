"""Pictures of aggregated figures as small SVG texts: no script, no font, no network.

>>> from incrowd.documents.pictures import Bars, Series, svg
>>> bars = Bars("Records", "Records before and after.", ("a", "b"), (Series("before", (3, None)),))
>>> svg(bars)[:4]
'<svg'
"""

from incrowd.documents.pictures.svg import standalone_svg as standalone_svg
from incrowd.documents.pictures.svg import svg as svg
from incrowd.documents.pictures.values import Bars as Bars
from incrowd.documents.pictures.values import Curve as Curve
from incrowd.documents.pictures.values import CurveLine as CurveLine
from incrowd.documents.pictures.values import EstimateBars as EstimateBars
from incrowd.documents.pictures.values import HeatMap as HeatMap
from incrowd.documents.pictures.values import Picture as Picture
from incrowd.documents.pictures.values import Plane as Plane
from incrowd.documents.pictures.values import PlanePoint as PlanePoint
from incrowd.documents.pictures.values import Series as Series

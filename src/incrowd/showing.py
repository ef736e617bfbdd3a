"""How results show themselves in notebooks and hand out their figures: a slot, filled from above.

Results belong to low layers, and how they look to `incrowd.documents`. A result that is a `Shown`
has the methods of this class and knows nothing of documents: `incrowd` itself, which stands above
all layers, puts `incrowd.documents.shown` into the slot, unloaded until somebody looks.
"""

import os
from typing import Any, ClassVar, Protocol


class Plot(Protocol):
    """A picture of aggregated figures that notebooks show."""

    def _repr_svg_(self) -> str: ...

    def _repr_html_(self) -> str: ...

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file: .svg, .html or, with `incrowd[charts]`, .png."""


class Presenter(Protocol):
    """Makes what results show, for any kind of result."""

    def html(self, result: object) -> str:
        """Write what a notebook shows of the result, as HTML."""

    def plot(self, result: object) -> Plot:
        """Draw the picture of the result."""

    def document(self, result: object) -> dict[str, Any]:
        """Make the JSON document of the result."""

    def frame(self, result: object) -> Any:
        """Make a frame of the main table of the result."""


class Shown:
    """A result that notebooks show, and that hands out its figures; never a value of a table."""

    presenter: ClassVar[Presenter]
    """Makes what all results show; the package `incrowd` sets it."""

    def _repr_html_(self) -> str:
        """What a notebook shows: figures and a picture, never values."""
        return self.presenter.html(self)

    def plot(self) -> Plot:
        """The picture of its figures; `.save("figure.svg")` writes it to a file."""
        return self.presenter.plot(self)

    def to_dict(self) -> dict[str, Any]:
        """The document that the command writes with --json, without the names of files."""
        return self.presenter.document(self)

    def to_frame(self) -> Any:
        """Its main table of figures as a Polars frame; rows that leave are in `frame`."""
        return self.presenter.frame(self)

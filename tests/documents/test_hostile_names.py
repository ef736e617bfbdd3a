"""Column names that would steer a page, a picture or a notebook: each document shows them as text.

Everything incrowd writes or returns as HTML or SVG is parsed here as a browser would parse it.
"""

import json
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import incrowd
from documents.test_charts import explored
from incrowd.documents import charts
from incrowd.documents.words import printable_text
from incrowd.models import KAnonymity, LDiversity
from incrowd.policy.policy import Column, Policy
from incrowd.search.literature.accuracy.frontier import Frontier, FrontierPoint
from incrowd.verbs import frontier as frontiers

NAMES = [
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "\"'><img src=x onerror=alert(1)>",
    "a\u2028b\u2029c",
    "&lt;b&gt; & co",
    "]]><svg onload=alert(1)>",
    "\x1b[2J\x00\x07",
    "{{constructor}}${1}`",
    '\\" + datum.k + "',
    "\\",
    "\\x41\\u0042",
]


class Page(HTMLParser):
    """The elements of a page in their order, and what its scripts say."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.attributes, self.scripts, self.texts = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data):
        scripted = self.elements and self.elements[-1] == "script"
        (self.scripts if scripted else self.texts).append(data)


def spec_of(page):
    """What the last script of a page draws, as a browser reads it."""
    script = "".join(page.scripts)
    start = script.rindex("const spec = ") + len("const spec = ")
    return json.JSONDecoder().raw_decode(script[start:])[0]


def texts_of(spec):
    """All texts of a document, one after the other."""
    if isinstance(spec, dict | list):
        return "\n".join(map(texts_of, spec.values() if isinstance(spec, dict) else spec))
    return str(spec)


def lattice(name):
    return charts.lattice_chart(explored(columns=(name, "zip", "k")), "gcp")


def curve(name):
    points = (FrontierPoint(0.1, 2, 1.5, 0.05, 4, 0.1), FrontierPoint(0.5, 4, 2.0, 0.2, 2, 0.4))
    return Frontier(points, "l", name, "gcp", (0.1, 0.5), (), ())


CHARTS = {"lattice": lattice, "frontier": lambda name: charts.frontier_chart(curve(name))}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("drawn", CHARTS)
def test_a_page_has_the_elements_of_a_page_with_plain_names(drawn, name):
    pytest.importorskip("altair")
    text = charts.render_chart(CHARTS[drawn](name), "html").decode()
    plain = Page(charts.render_chart(CHARTS[drawn]("age"), "html").decode())
    page = Page(text)
    assert page.elements == plain.elements
    assert page.attributes == plain.attributes
    written = text[text.rindex("const spec = ") :].split("\n")[0]
    assert not set("<>&\u2028\u2029") & set(written)
    assert printable_text(name) in texts_of(spec_of(page))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("drawn", CHARTS)
def test_a_picture_is_well_formed_and_runs_nothing(drawn, name):
    pytest.importorskip("altair")
    picture = ET.fromstring(charts.render_chart(CHARTS[drawn](name), "svg").decode())
    tags = {one.tag.rpartition("}")[2] for one in picture.iter()}
    assert not tags & {"script", "img", "foreignObject", "a"}
    assert not [key for one in picture.iter() for key in one.attrib if key.startswith("on")]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_shows_names_as_text(name):
    frame = pl.DataFrame({"age": [1, 1, 2, 2] * 3, name: ["x", "y", "z", "x"] * 3})
    policy = Policy(
        columns={"age": Column(role="quasi"), name: Column(role="sensitive")},
        models=(KAnonymity(2), LDiversity(name, 1.5)),
    )
    release = incrowd.anonymize(frame, policy, seed=1)
    plain = incrowd.anonymize(
        frame.rename({name: "illness"}),
        Policy(
            columns={"age": Column(role="quasi"), "illness": Column(role="sensitive")},
            models=(KAnonymity(2), LDiversity("illness", 1.5)),
        ),
        seed=1,
    )
    page = Page(release._repr_html_())
    assert page.elements == Page(plain._repr_html_()).elements
    assert not [key for key in page.attributes if key.startswith("on") or key in {"src", "href"}]
    assert lettered(name) in page.texts


def lettered(name):
    """A name as a line of a page shows it."""
    return printable_text(" ".join(name.split()))


def test_every_document_for_a_notebook_is_looked_at_here():
    """A class that gains an HTML form has to be added above; the page has tests of its own."""
    root = Path(incrowd.__file__).parent
    forms = ("_repr_html_", "_repr_svg_", "_repr_mimebundle_", "to_html", "<table", "<html")
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if "web" not in path.relative_to(root).parts  # tests/web/test_pages.py looks at those
        if any(form in path.read_text(encoding="utf-8") for form in forms)
    }
    assert found == {"showing.py", "documents/shown/__init__.py", "documents/charts.py"}


@pytest.mark.parametrize("kind", ["csv", "json"])
@pytest.mark.parametrize("name", NAMES)
def test_a_curve_for_programs_can_be_read_again(tmp_path, name, kind):
    path = tmp_path / f"curve.{kind}"
    frontiers.write_frontier(curve(name), path)
    assert json.loads(path.read_text())["column"] == name if kind == "json" else path.read_text()

"""Pages are one file that needs nothing, runs nothing that is not ours, and fits every window."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser import DESKTOP, PHONE, SCHEMES, chromium, looked_at
from incrowd.documents import interactive
from incrowd.documents.lettering import one_line
from incrowd.documents.page import (
    FigureTable,
    Folded,
    Interactive,
    Page,
    Paragraphs,
    PictureBlock,
    Section,
    fragment_html,
    page_html,
)
from incrowd.documents.words import printable_text
from picture_gallery import HOSTILE, NOTHING, ORDINARY, bars, named, plane

assert chromium  # a fixture, found by its name

MOST_BYTES = 2_000_000
VOID = {"meta", "br", "rect", "path", "circle", "img"}


class Parsed(HTMLParser):
    """What a browser would find: elements, attributes, texts, and whether each is closed."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.open, self.ids = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.ids += [value for key, value in attrs if key == "id"]
        if tag not in VOID or tag in {"path", "rect", "circle"}:
            self.open.append(tag)
        if tag in {"meta", "br"} and self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attributes for found, attributes in self.elements if found == tag]


def blocks(name="column"):
    table = FigureTable((name, "figure"), ((name, 1234.5), ("other", None)), name)
    return (
        Paragraphs((name, "Second sentence."), "plain"),
        Paragraphs((name,), "good"),
        Paragraphs((name,), "bad"),
        Paragraphs((name,), "quiet"),
        Paragraphs((f"incrowd risk {name}",), "command"),
        table,
        FigureTable(tuple(f"{name} {n}" for n in range(20)), ((*range(20),),) * 3),
        *(PictureBlock(picture, table) for picture in named(name)),
        Folded(name, (table, PictureBlock(bars()), PictureBlock(bars()))),
    )


def whole(name="column", *more):
    sections = (Section("first", name, blocks(name)), Section("second", "Second", more))
    return Page(name, Paragraphs((name,), "good"), sections, f"Made of {name}")


def hashed(text):
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_our_style_sheet_and_nothing_else():
    text = page_html(whole())
    (sheet,) = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    policy = next(
        found["content"]
        for found in Parsed(text).all("meta")
        if found.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules == {
        "default-src": "'none'",
        "style-src": hashed(sheet),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert "<script" not in text


def test_a_page_is_in_order():
    parsed = Parsed(page_html(whole()))
    assert parsed.all("html") == [{"lang": "en"}]
    assert len(parsed.all("h1")) == len(parsed.all("main")) == len(parsed.all("header")) == 1
    levels = [int(tag[1]) for tag, _ in parsed.elements if re.fullmatch("h[1-6]", tag)]
    assert levels == [1, 2, 2]
    assert len(parsed.ids) == len(set(parsed.ids))
    links = [found["href"] for found in parsed.all("a")]
    assert links == ["#main", "#first", "#second"]
    assert {link[1:] for link in links} <= set(parsed.ids)
    assert all(found.get("scope") in {"col", "row"} for found in parsed.all("th"))
    assert not [found for _, found in parsed.elements if "style" in found or "onclick" in found]


def test_columns_of_numbers_are_aligned_and_withheld_cells_say_so():
    table = FigureTable(("name", "count", "mixed"), (("a", 1, "x"), ("b", None, 2.5)), "Figures")
    assert table.numeric == (False, True, False)
    text = page_html(Page("t", Paragraphs(("v",)), (Section("s", "S", (table,)),)))
    assert "withheld or not there" in text
    assert Parsed(text).all("nav") == []


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_text(name):
    elements = [tag for tag, _ in Parsed(page_html(whole())).elements]
    for text in (page_html(whole(name)), fragment_html(blocks(name))):
        parsed = Parsed(text)
        assert {tag for tag, _ in parsed.elements} <= set(elements) | {"br"}
        assert (
            printable_text(name).strip() in "".join(parsed.texts).replace("\xa0", " ")
            or len(name) > 60
        )
        assert "\x00" not in text
        assert "\u202e" not in text


@settings(max_examples=60)
@given(st.text(max_size=40))
def test_any_name_is_text(name):
    parsed = Parsed(
        fragment_html(
            (Paragraphs((name,)), FigureTable((name,), ((name,),), name), Folded(name, ()))
        )
    )
    assert [tag for tag, _ in parsed.elements if tag in {"script", "img", "b"}] == []
    summary = parsed.texts[-2] if not one_line(name) else one_line(name)
    assert summary in "".join(parsed.texts)


def test_a_page_is_the_same_each_time_and_small():
    made = whole("column", *(PictureBlock(picture) for picture in ORDINARY.values()))
    assert page_html(made) == page_html(made)
    assert len(page_html(made).encode()) < 400_000


def moving():
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    assert interactive.is_available()
    picture = plane()
    return Interactive(interactive.plane_spec(picture), PictureBlock(picture))


@pytest.mark.slow
def test_an_interactive_page_names_its_script_by_hash():
    text = page_html(whole("column", Folded("more", (moving(),))))
    assert len(text.encode()) <= MOST_BYTES
    scripts = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 1
    policy = re.search('Security-Policy" content="([^"]*)"', text)[1].replace("&#39;", "'")
    assert f"script-src {hashed(scripts[0])}" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_inside_the_specification(name):
    pytest.importorskip("altair")
    picture = named(name)[-1]
    text = page_html(
        whole("c", Interactive(interactive.plane_spec(picture), PictureBlock(picture)))
    )
    found = re.search('<script type="application/json">(.*?)</script>', text, re.DOTALL)[1]
    assert not set("<>&") & set(found)
    assert json.loads(found)["title"] == one_line(name)


SIZES = {"desktop": DESKTOP, "phone": PHONE}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_a_browser_shows_it_without_errors_requests_or_overflow(chromium, tmp_path, size, scheme):
    pictures = (*ORDINARY.values(), *NOTHING, *(p for name in HOSTILE for p in named(name)))
    path = tmp_path / "page.html"
    made = whole(
        "</b> & a long_name_without_any_place_to_break_it" * 3, *map(PictureBlock, pictures)
    )
    path.write_text(page_html(made), encoding="utf-8")
    with looked_at(chromium, path, size=size, scheme=scheme) as look:
        assert look.errors == look.requests == []
        assert look.overflow == 0
        assert look.page.locator("svg").count() >= len(pictures)
        look.page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
        assert look.overflow == 0
        back = look.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert back == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(21, 24, 28)")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_texts_have_contrast_in_a_browser(chromium, tmp_path, scheme):
    path = tmp_path / "page.html"
    path.write_text(page_html(whole()), encoding="utf-8")
    with looked_at(chromium, path, scheme=scheme) as look:
        look.page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
        assert look.page.evaluate(CONTRAST) >= 4.5


CONTRAST = """() => {
  const light = text => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map(c => c / 255)
      .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const surface = one => {
    for (; one; one = one.parentElement) {
      const back = getComputedStyle(one).backgroundColor;
      if (!/, 0\\)$/.test(back)) return back;
    }
  };
  const words = [...document.querySelectorAll("body *")].filter(one => !one.closest("svg") &&
    [...one.childNodes].some(part => part.nodeType === 3 && part.textContent.trim()));
  return Math.min(...words.map(one => {
    const both = [light(getComputedStyle(one).color), light(surface(one))].sort((a, b) => a - b);
    return (both[1] + 0.05) / (both[0] + 0.05);
  }));
}"""


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_the_interactive_plane_runs_under_the_policy(chromium, tmp_path, size):
    path = tmp_path / "page.html"
    path.write_text(page_html(whole("column", moving())), encoding="utf-8")
    with looked_at(chromium, path, size=size, scheme="dark") as look:
        look.page.wait_for_selector(".ic-lives .ic-live svg")
        assert look.errors == look.requests == []
        assert look.overflow == 0
        assert look.page.locator(".ic-live .mark-symbol path").count() >= 9
        assert not look.page.locator(".ic-still svg").is_visible()
        look.page.locator(".ic-live .mark-symbol path").last.hover(force=True)
        assert look.errors == []


@pytest.mark.slow
def test_without_scripts_the_static_plane_is_shown(chromium, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page_html(whole("column", moving())), encoding="utf-8")
    with looked_at(chromium, path, scripts=False) as look:
        assert look.page.locator(".ic-still svg").is_visible()
        assert look.errors == []


@pytest.mark.slow
def test_the_policy_stops_a_script_that_is_not_ours(chromium, tmp_path):
    """The test of the test: a browser does hold the page to its policy."""
    path = tmp_path / "page.html"
    text = page_html(whole()).replace("</main>", "<script>document.title = 'taken'</script></main>")
    path.write_text(text, encoding="utf-8")
    with looked_at(chromium, path) as look:
        assert look.page.title() == "column"
        assert any("Content Security Policy" in error for error in look.errors)


@pytest.mark.slow
def test_a_page_prints(chromium, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page_html(whole()), encoding="utf-8")
    with looked_at(chromium, path, scheme="dark") as look:
        assert look.page.pdf(format="A4")[:4] == b"%PDF"
        look.page.emulate_media(media="print")
        back = look.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert back == "rgb(255, 255, 255)"
        assert not look.page.locator("nav").is_visible()

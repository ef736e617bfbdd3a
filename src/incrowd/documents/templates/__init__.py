"""Templates of pictures and pages: the seam to Jinja2. Whatever is put into one is escaped."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from incrowd.documents.lettering import coordinate, one_line
from incrowd.documents.words import number, printable_text


def render(template: str, **values: object) -> str:
    """Fill a template with these values; they are escaped."""
    return _make_environment().get_template(template).render(**values)


def script_json(value: Mapping[str, Any]) -> Markup:
    """Write a value as JSON for a script element: nothing in it can end the element."""
    return Markup(json.dumps(value, cls=ScriptSafe, sort_keys=True))  # noqa: S704  it is escaped


def mark_as_escaped(text: str) -> Markup:
    """Mark a text of this package, such as an SVG, as escaped already."""
    return Markup(text)  # noqa: S704  no name or figure of a table is put in unescaped


class ScriptSafe(json.JSONEncoder):
    r"""JSON that can stand inside a script element of a page.

    Column names are in it, and a name may hold `</script>`. Outside texts JSON has none of the
    letters that are escaped, so that what it says stays the same.

    >>> json.dumps("</script><!-- &", cls=ScriptSafe)
    '"\\u003c/script\\u003e\\u003c!-- \\u0026"'
    """

    def encode(self, o: Any) -> str:
        """Write the value as JSON, with the letters of `_STEERING` escaped."""
        return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", super().encode(o))


_STEERING = re.compile("[<>&'\u2028\u2029]")


@cache
def _make_environment() -> Environment:
    """The Jinja environment of our templates: everything is escaped, unknown names are errors."""
    made = Environment(
        loader=PackageLoader("incrowd.documents", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": number,
        "ours": mark_as_escaped,
        "coordinate": coordinate,
        "plain": one_line,
        "printable": printable_text,
        "script_safe": script_json,
    }
    return made

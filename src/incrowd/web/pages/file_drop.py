"""A place to drop a file on, or to choose one by keyboard; it goes into the private folder."""

from collections.abc import Callable
from typing import Any

from nicegui.element import Element

from incrowd.web import uploads


class FileDrop(Element, component="file_drop.js"):
    """The place for files of one purpose; `sent` is called when they are in the private folder."""

    def __init__(
        self, purpose: str, words: str, sent: Callable[[], Any], *, multiple: bool = False
    ) -> None:
        super().__init__()
        size = uploads.size_words(uploads.MOST)
        self.props.update(
            {
                "purpose": purpose,
                "words": words,
                "hint": f"or drop {'them' if multiple else 'it'} here, up to {size}",
                "multiple": multiple,
                "most": uploads.MOST,
                "limit": uploads.refusal_words(uploads.too_large_error(uploads.MOST)),
            }
        )
        self.on("sent", sent, [])

"""Texts that are decoded piece by piece."""

import codecs
from collections.abc import Callable, Iterator

from incrowd.errors import InputError
from incrowd.io.text import decode, marked_encoding


def decode_head(head: bytes, encoding: str | None) -> bytes:
    """A text's start in UTF-8, less a letter cut off at its end; `InputError` if a byte misfits."""
    for cut in range(min(4, len(head))):
        try:
            text = decode(head[: len(head) - cut], encoding)
        except InputError:
            continue
        if not text.guessed:
            return text.data
    return decode(head, encoding).data


def decoder_of(
    head: bytes, encoding: str | None, notes: list[str]
) -> Callable[[Iterator[bytes]], Iterator[bytes]]:
    """A function that decodes pieces of a text with this start, by `encoding` or a mark, to UTF-8.

    Without either, it takes them for UTF-8 or, with a note in `notes`, for Latin-1.
    """
    named = encoding or marked_encoding(head)
    if named is None:
        return lambda pieces: _decode_by_guess(pieces, notes)
    if encoding is not None:
        decode(b"", encoding)
    return lambda pieces: _transcode(pieces, named)


def _transcode(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """The pieces of a text, decoded from `encoding` to UTF-8; `InputError` if one does not fit."""
    found = codecs.lookup(encoding).name
    name = "utf-8-sig" if found == "utf-8" else found
    decoder = codecs.getincrementaldecoder(name)()
    before = 0
    for piece, last in mark_last(pieces):
        if name == "utf-8-sig" and before and _is_plain(piece, decoder):
            before += len(piece)
            yield piece
            continue
        try:
            text = decoder.decode(piece, last)
        except UnicodeError:
            text = None
        if text is None:
            raise InputError(
                f"the text is not {encoding}: a byte after byte {before:,} does not fit",
                remedy="name its encoding",
            )
        before += len(piece)
        yield text.encode()


def _is_plain(piece: bytes, decoder: codecs.IncrementalDecoder) -> bool:
    """Whether a piece is ASCII, not empty, and the decoder holds no part of a letter before it."""
    return bool(piece) and piece.isascii() and not decoder.getstate()[0]


def mark_last(pieces: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each piece with False, then an empty piece with True, which marks the end."""
    for piece in pieces:
        yield piece, False
    yield b"", True


def _decode_by_guess(pieces: Iterator[bytes], notes: list[str]) -> Iterator[bytes]:
    """A text's pieces in UTF-8, read as Latin-1 if its first byte beyond ASCII does not fit UTF-8.

    A note in `notes` then says so. `InputError` if a later byte does not fit UTF-8.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    plain, latin, before = True, False, 0
    for piece, last in mark_last(pieces):
        if before and _is_plain(piece, decoder):
            before += len(piece)
            yield piece
            continue
        pending = decoder.getstate()[0]
        try:
            text = piece.decode("latin-1") if latin else decoder.decode(piece, last)
        except UnicodeDecodeError as error:
            place = error.start
            text = None
        if text is None:
            whole = pending + piece
            if not plain or not whole[:place].isascii():
                number = before - len(pending) + place + 1
                raise InputError(
                    f"the text starts as UTF-8, but byte {number:,} is not",
                    remedy="name its encoding",
                )
            latin, text = True, whole.decode("latin-1")
            notes.append(
                "the text is not UTF-8 and was read as latin-1; name its encoding if that is wrong"
            )
        plain = plain and text.isascii()
        before += len(piece)
        yield text.encode()

"""Keys that whoever releases a table holds: of signatures and of pseudonyms."""

import os

from incrowd.io import files


def signing_key(path: str | None) -> str | None:
    """The path of the key that signs certificates: this one, else the environment's, else None."""
    return path or os.environ.get("INCROWD_SIGNING_KEY") or None


def pseudonym_key(path: str | None) -> bytes | None:
    """The key of pseudonyms from this file, or from the environment; None if neither has one."""
    if path is not None:
        return files.read_document(path).rstrip(b"\r\n")
    key = os.environ.get("INCROWD_KEY")
    return key.encode() if key else None

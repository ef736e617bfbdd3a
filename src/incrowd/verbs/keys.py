"""Keys that sign certificates, in files."""

import os

from incrowd.io import files
from incrowd.io.reading import AnyPath
from incrowd.release.signing import KeyFiles, public_fingerprint
from incrowd.release.signing import new_keys as make


def new_keys(path: AnyPath) -> KeyFiles:
    """A new private key in this file, the public one beside it with `.pub` behind its name.

    Neither replaces a file that is there.
    """
    private, public = os.fspath(path), f"{os.fspath(path)}.pub"
    secret, shown = make()
    files.refuse_there(private, public)
    files.write_new(private, secret, mode=0o600)
    files.write_new(public, shown, mode=0o644)
    return KeyFiles(private, public, public_fingerprint(shown))

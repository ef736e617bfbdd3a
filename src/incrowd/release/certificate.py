"""The certificate of a release: what was asked, what was reached, and of which rows.

It holds no cell value and no seed of the shuffle (the seed would undo it).
"""

import hashlib
import json
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, Self

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from incrowd.errors import InputError
from incrowd.table.column import Kind
from incrowd.table.digest import frame_digest
from incrowd.values import STRICT

SCHEMA: Literal["incrowd.certificate/1"] = "incrowd.certificate/1"


class _Part(BaseModel):
    model_config = ConfigDict(**STRICT, frozen=True)


class Digest(_Part):
    """SHA-256 of a release: of the bytes of a file, or of the cells of a frame."""

    of: Literal["file", "frame"]
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Attested(_Part):
    """A model with the value asked for and the value reached."""

    name: str
    column: str | None = None
    asked: float
    reached: float
    ok: bool
    confidence: float | None = None
    """How likely it is that what is reached holds for all classes together; None: it is counted."""


class Spread(_Part):
    """How a sensitive column was spread over the people of the table as it was read.

    Positions follow the column's own order, 0 is the missing. The labels themselves are not here:
    `places` gives the position of each label that the release shows, labels in code-point order.
    """

    people: tuple[int, ...]
    places: tuple[int, ...]
    maps: tuple[tuple[int, ...], ...] | None = None


class LeftOut(_Part):
    """Records that were left out of the release."""

    records: int
    share: float
    for_missing: int
    """Those of them that were left out because a quasi-identifying value is missing."""


class Seed(_Part):
    """Where randomness came from: the search's seed, and how the order of rows was drawn."""

    search: int | None
    """None if the search draws: its seed is not written anywhere."""
    order: Literal["system", "given", "kept"]
    given: bool = False
    """Whether a seed was given, and so whether whoever has it can repeat what was drawn."""


class Opposed(_Part):
    """The world that a release was held against."""

    digests: tuple[Digest, ...]
    """Of each of its tables."""
    columns: tuple[str, ...]
    """Its public columns, under the names of the release."""
    rows: int
    people: int
    """Different individuals."""


class Signature(_Part):
    """Who says what a certificate says: see `signing`."""

    algorithm: Literal["ed25519"]
    public_key: str = Field(pattern="^[0-9a-f]{64}$")
    """The 32 bytes of the key that it can be verified with, in hexadecimal."""
    value: str = Field(pattern="^[0-9a-f]{128}$")


class Certificate(_Part):
    """What was asked of a release, what it reaches, and how it was made."""

    schema_: Literal["incrowd.certificate/1"] = Field(default=SCHEMA, alias="schema")
    created: str
    """ISO 8601 time."""
    versions: dict[str, str]
    policy: dict[str, Any]
    policy_sha256: str
    digest: Digest
    models: tuple[Attested, ...]
    loss: dict[str, float]
    search: str
    optimal: bool
    why: str
    suppressed: LeftOut
    records_in: int
    records_out: int
    people: int
    """Different people in the release; records, if the policy has no unit column."""
    classes: int
    blank: bool = False
    """Whether blank texts were read as missing values, as in text files."""
    seed: Seed
    spread: dict[str, Spread] = {}
    """By sensitive column: what t-closeness was measured against."""
    unchanged: dict[str, float] = {}
    """By column whose values leave as they are: distinct values over cells with a value, 0..1."""
    world: Opposed | None = None
    """What models of a world were counted in: they say nothing of other worlds."""
    assumptions: tuple[str, ...]
    kinds: dict[str, Kind] = {}
    """By sensitive column: what its values were read as, and so which spellings are one value."""
    rows_sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    """SHA-256 of the rows whatever they are stored in: see `digest_of_rows`."""
    signature: Signature | None = None
    """None if nobody signed it: then it proves nothing about its origin."""

    @model_validator(mode="after")
    def _untouched(self) -> Self:
        if digest_of_policy(self.policy) != self.policy_sha256:
            raise ValueError("the policy is not the one that the certificate was made for")
        return self

    def to_json(self) -> str:
        """The certificate as a JSON document."""
        return json.dumps(self.model_dump(mode="json", by_alias=True), indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Certificate":
        """The certificate of this JSON document; `InputError` if it is none or was changed."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            found = [(fault["type"], ".".join(map(str, fault["loc"]))) for fault in error.errors()]
        kind, place = found[0]
        many = f"{len(found)} faults, first" if len(found) > 1 else "a fault"
        why = f"is not valid ({many} at {place or 'policy'!r})"
        if kind in {"json_invalid", "model_type"}:
            why = "is none: it is not a JSON document as `anonymize` writes them"
        raise InputError(
            f"the certificate {why}",
            remedy="use the file that was written with the release, unchanged",
        )


def digest_of_policy(policy: Mapping[str, Any]) -> str:
    """SHA-256 of a policy as a certificate shows it, over its canonical JSON."""
    return sha256_of(policy)


def digest_of_bytes(content: bytes) -> Digest:
    """The digest of a file's content."""
    return Digest(of="file", sha256=hashlib.sha256(content).hexdigest())


def digest_of_frame(rows: pl.DataFrame) -> Digest:
    """The digest of a frame: its column names and the text of its cells, in their order."""
    return Digest(of="frame", sha256=frame_digest(rows))


def versions() -> dict[str, str]:
    """The versions of what computed the release."""
    found = {"python": platform.python_version()}
    for package in ("incrowd", "numpy", "numba", "polars"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def sha256_of(value: Any) -> str:
    """SHA-256 over canonical JSON: keys sorted, no blanks."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()

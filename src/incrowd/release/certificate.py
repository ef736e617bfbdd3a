"""The certificate of a release: no cell value, and no seed of the shuffle, which would undo it."""

import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from incrowd.errors import InputError, boundary
from incrowd.table.column import Kind
from incrowd.values import STRICT
from incrowd.verify.alone import Alone
from incrowd.verify.crowds import NumberedCells
from incrowd.verify.verdict import Signed
from incrowd.verify.verify import Reference

SCHEMA: Literal["incrowd.certificate/1"] = "incrowd.certificate/1"


class _Entry(BaseModel):
    model_config = ConfigDict(**STRICT, frozen=True)


class Digest(_Entry):
    """SHA-256 of a file's bytes, a frame's cells, or a table's rows in whatever order."""

    of: Literal["file", "frame", "table"]
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Attested(_Entry):
    """A model with its threshold and the achieved value."""

    name: str
    column: str | None = None
    asked: float
    reached: float
    ok: bool
    confidence: float | None = None
    """The confidence that the achieved value holds for all classes; None if it was counted."""


class Distribution(_Entry):
    """The distribution of a sensitive column over the people that classes are compared with.

    Positions follow the column's own order, 0 is the missing. The labels themselves are not here:
    `places` gives the position of each label that the release shows, labels in code-point order.
    """

    people: tuple[int, ...]
    places: tuple[int, ...]
    maps: tuple[tuple[int, ...], ...] | None = None
    of: Literal["original", "release"] = "original"
    """Whose people: those of the release, and no value that it does not show. Certificates of
    earlier versions count the original table, and so tell what was left out."""

    @classmethod
    def without_labels(
        cls, reference: Reference, cells: NumberedCells, of: Literal["original", "release"]
    ) -> "Distribution":
        """Make the entry of a reference; `cells` are the column, `of` says whom it counts."""
        return cls(
            people=tuple(reference.people.tolist()),
            places=tuple(reference.places(cells.labels.to_list()).tolist()),
            maps=None if reference.maps is None else tuple(map(tuple, reference.maps.tolist())),
            of=of,
        )


class LeftOut(_Entry):
    """Records that were left out of the release."""

    records: int
    share: float
    for_missing: int
    """Those of them left out for a missing quasi-identifier."""

    @classmethod
    def of(cls, whole: int, leaving: int, for_missing: int) -> Self:
        """Count what a release of `leaving` records leaves out of the whole."""
        gone = whole - leaving
        return cls(records=gone, share=gone / max(whole, 1), for_missing=for_missing)


class Seed(_Entry):
    """Where randomness came from: the search's seed, and how the order of rows was drawn."""

    search: int | None
    """None if the search draws at random: that seed stays secret."""
    order: Literal["system", "given", "kept"]
    given: bool = False
    """Whether the user gave a seed: anyone who has it can repeat the draws."""


class AloneShares(_Entry):
    """Shares of people whom unchanged columns single out, counted and rounded as in `Alone`."""

    columns: dict[str, float]
    """By column that leaves unchanged."""
    together: float
    """For whoever knows all of them."""
    unaccepted: float
    """For whoever knows all that the policy does not accept."""
    limit: float
    """The largest share that the policy allows."""

    @classmethod
    def of(cls, alone: Alone) -> Self:
        """Make the certificate's entry on columns that leave unchanged."""
        return cls(**{name: getattr(alone, name) for name in cls.model_fields})


class CertifiedWorld(_Entry):
    """The world that a release was compared with."""

    digests: tuple[Digest, ...]
    """SHA-256 of each of its tables."""
    columns: tuple[str, ...]
    """Its public columns, under the names of the release."""
    rows: int
    people: int
    """Different individuals."""


class Signature(_Entry):
    """The signature of a certificate."""

    algorithm: Literal["ed25519"]
    public_key: str = Field(pattern="^[0-9a-f]{64}$")
    """The 32 bytes of the key that it can be verified with, in hexadecimal."""
    value: str = Field(pattern="^[0-9a-f]{128}$")


class Certificate(_Entry):
    """What a release promises, what it achieves, and how it was made."""

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
    """People in the release; records if the policy has no unit column."""
    classes: int
    blank: bool = False
    """Whether blank texts were read as missing values, as in text files."""
    seed: Seed
    spread: dict[str, Distribution] = {}
    """By sensitive column: the reference distribution of t-closeness."""
    unchanged: dict[str, float] = {}
    """By column whose values leave as they are: distinct values over cells with a value, 0..1."""
    alone: AloneShares | None = None
    """Whom unchanged columns single out; None without such columns, and in older certificates."""
    world: CertifiedWorld | None = None
    """The world of k-map and delta-presence: they say nothing about other worlds."""
    assumptions: tuple[str, ...]
    kinds: dict[str, Kind] = {}
    """By sensitive column: the type of its values, which decides what spellings are equal."""
    rows_sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    """SHA-256 of the rows, independent of the file format: see `rows_digest`."""
    engine: str | None = None
    """What counted the written rows, if they were not in memory: duckdb, postgresql, spark."""
    signature: Signature | None = None
    """None if unsigned: then nothing proves who made it."""

    @model_validator(mode="after")
    def _refuse_another_policy(self) -> Self:
        """Refuse a certificate whose policy does not have its digest."""
        if sha256_of(self.policy) != self.policy_sha256:
            raise ValueError("the certificate's digest does not match its policy")
        return self

    def to_json(self) -> str:
        """The certificate as a JSON document."""
        said = self.model_dump(mode="json", by_alias=True, exclude=self.omitted_fields)
        return json.dumps(said, indent=2, allow_nan=False)

    @property
    def omitted_fields(self) -> set[str]:
        """The fields that `to_json` leaves out: those that earlier versions lack, where None."""
        return {name for name in ("engine", "alone") if getattr(self, name) is None}

    @classmethod
    def from_json(cls, text: str | bytes) -> "Certificate":
        """Read a certificate from JSON; `InputError` if it is none, or its policy was changed."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            found = [(fault["type"], ".".join(map(str, fault["loc"]))) for fault in error.errors()]
        kind, place = found[0]
        many = f"{len(found)} faults, first" if len(found) > 1 else "a fault"
        why = f"is not valid ({many} at {place or 'policy'!r})"
        if kind in {"json_invalid", "model_type"}:
            why = "is not a JSON document that `anonymize` writes"
        raise InputError(
            f"the certificate {why}", remedy="use the certificate file of the release, unchanged"
        )


def versions() -> dict[str, str]:
    """The versions of what computed the release, by package; unknown if not installed."""
    found = {"python": platform.python_version()}
    for package in ("incrowd", "numpy", "numba", "polars"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def sha256_of(value: Any) -> str:
    """SHA-256 over canonical JSON (keys sorted, no blanks), in hexadecimal."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


_PURPOSE = b"incrowd certificate\n"
"""Prefix of the signed bytes: no signature of another kind of document fits a certificate."""


@dataclass(frozen=True)
class KeyFiles:
    """A new pair of keys."""

    private: str
    """The private key file, which only its owner can read."""
    public: str
    """The public key file, which others verify with."""
    fingerprint: str
    """SHA-256 of the public key's 32 bytes in hexadecimal, as `check` names the key."""


def new_keys() -> tuple[bytes, bytes]:
    """Make a new private key and its public key (PEM); `InputError` without cryptography."""
    keys, forms = _load_extra("asymmetric.ed25519"), _load_extra("serialization")
    private = keys.Ed25519PrivateKey.generate()
    secret = private.private_bytes(
        forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()
    )
    shown = private.public_key().public_bytes(
        forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo
    )
    return secret, shown


def sign(certificate: Certificate, private_key: bytes) -> Certificate:
    """Copy a certificate, signed anew with this private key (PEM); `InputError` if it is none."""
    key = _read_key("private", private_key)
    plain = Certificate.from_json(certificate.model_copy(update={"signature": None}).to_json())
    signature = Signature(
        algorithm="ed25519",
        public_key=_raw_key(key.public_key()).hex(),
        value=key.sign(signed_bytes(plain)).hex(),
    )
    return plain.model_copy(update={"signature": signature})


def refuse_unusable_key(private_key: bytes) -> None:
    """Raise `InputError` if the key cannot sign."""
    _read_key("private", private_key)


def signed_bytes(certificate: Certificate) -> bytes:
    """Write the bytes to sign: the whole certificate except its signature.

    Fields never set are left out: signatures stay valid when later versions add fields.
    """
    said = certificate.model_dump(
        mode="json", by_alias=True, exclude_unset=True, exclude={"signature"}
    )
    text = json.dumps(
        said, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return _PURPOSE + text.encode()


def who_signed(certificate: Certificate, trusted: Sequence[bytes] = ()) -> Signed | None:
    """Verify who signed; None if nobody did, `InputError` if a `trusted` key (PEM) is none."""
    known = {public_fingerprint(key) for key in trusted}
    signature = certificate.signature
    if signature is None:
        return None
    raw = bytes.fromhex(signature.public_key)
    fingerprint = _fingerprint(raw)
    valid = _is_valid_signature(raw, bytes.fromhex(signature.value), signed_bytes(certificate))
    return Signed(fingerprint, valid, fingerprint in known if trusted else None)


def public_fingerprint(key: bytes) -> str:
    """The fingerprint of a public key (PEM); `InputError` if it is none."""
    return _fingerprint(_raw_key(_read_key("public", key)))


def _is_valid_signature(raw: bytes, value: bytes, content: bytes) -> bool | None:
    """Whether the value signs the content; None if the package for it is missing."""
    try:
        keys = _load_extra("asymmetric.ed25519")
    except InputError:
        return None
    try:
        keys.Ed25519PublicKey.from_public_bytes(raw).verify(value, content)
    except Exception:  # noqa: BLE001  a signature that does not fit, or bytes that are no key
        return False
    return True


def _read_key(kind: Literal["private", "public"], key: bytes) -> Any:
    """Read an Ed25519 key from PEM; `InputError` if it is none."""
    forms, keys = _load_extra("serialization"), _load_extra("asymmetric.ed25519")
    unreadable = InputError(
        f"this is not a {kind} Ed25519 key (PEM, without a password)",
        remedy=(
            "make keys with incrowd keys new FILE: FILE is the private key, FILE.pub the public key"
        ),
    )
    read = None
    with boundary(unreadable):
        if kind == "private":
            read = forms.load_pem_private_key(key, password=None)
        else:
            read = forms.load_pem_public_key(key)
    if not isinstance(read, getattr(keys, f"Ed25519{kind.title()}Key")):
        raise unreadable
    return read


def _raw_key(public: Any) -> bytes:
    """The 32 bytes of a public key."""
    forms = _load_extra("serialization")
    return bytes(public.public_bytes(forms.Encoding.Raw, forms.PublicFormat.Raw))


def _fingerprint(raw: bytes) -> str:
    """The SHA-256 of the 32 bytes of a public key, in hexadecimal."""
    return hashlib.sha256(raw).hexdigest()


def _load_extra(name: str) -> Any:
    """Import a module of the package cryptography; `InputError` if that extra is not installed."""
    absent = InputError(
        "the package cryptography is missing, which signatures need", remedy="install incrowd[sign]"
    )
    with boundary(absent):
        return import_module(f"cryptography.hazmat.primitives.{name}")

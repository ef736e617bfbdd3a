"""Signatures of certificates: who says so. Ed25519, through `cryptography`, known here only.

What is signed are the canonical bytes of the whole certificate but for the signature itself: a line
that says what it is, then JSON with sorted keys and no blanks.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from incrowd.errors import InputError, boundary
from incrowd.release.certificate import Certificate, Signature
from incrowd.verify.verdict import Signed

_PURPOSE = b"incrowd certificate\n"
"""Before what is signed, so that a signature of something else is not one of a certificate."""


@dataclass(frozen=True)
class KeyFiles:
    """A new pair of keys."""

    private: str
    """The file of the key that signs, which only its owner can read."""
    public: str
    """The file of the key that others verify with."""
    fingerprint: str
    """SHA-256 of the public key's 32 bytes, in hexadecimal: what `check` calls the key."""


def new_keys() -> tuple[bytes, bytes]:
    """A new private key and its public key, as PEM texts."""
    keys, forms = _keys(), _forms()
    private = keys.Ed25519PrivateKey.generate()
    secret = private.private_bytes(
        forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()
    )
    shown = private.public_key().public_bytes(
        forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo
    )
    return secret, shown


def signed(certificate: Certificate, private_key: bytes) -> Certificate:
    """The certificate with a signature by this private key (PEM)."""
    key = _private(private_key)
    plain = Certificate.from_json(certificate.model_copy(update={"signature": None}).to_json())
    signature = Signature(
        algorithm="ed25519",
        public_key=_raw(key.public_key()).hex(),
        value=key.sign(canonical(plain)).hex(),
    )
    return plain.model_copy(update={"signature": signature})


def refuse_no_key(private_key: bytes) -> None:
    """Refuse what cannot sign."""
    _private(private_key)


def canonical(certificate: Certificate) -> bytes:
    """The bytes that are signed: all that the certificate says but its signature.

    What a document does not say is left out, so that an older certificate stays what it was when
    later versions know more fields.
    """
    said = certificate.model_dump(
        mode="json", by_alias=True, exclude_unset=True, exclude={"signature"}
    )
    text = json.dumps(
        said, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return _PURPOSE + text.encode()


def who_signed(certificate: Certificate, trusted: Sequence[bytes] = ()) -> Signed | None:
    """Whose signature a certificate carries, None if it has none; `trusted` are PEM texts."""
    known = {public_fingerprint(key) for key in trusted}
    signature = certificate.signature
    if signature is None:
        return None
    raw = bytes.fromhex(signature.public_key)
    fingerprint = _fingerprint(raw)
    valid = _valid(raw, bytes.fromhex(signature.value), canonical(certificate))
    return Signed(fingerprint, valid, fingerprint in known if trusted else None)


def public_fingerprint(key: bytes) -> str:
    """The fingerprint of a public key (PEM)."""
    forms, found = _forms(), None
    with boundary(_unreadable("public")):
        found = forms.load_pem_public_key(key)
    if not isinstance(found, _keys().Ed25519PublicKey):
        raise _unreadable("public")
    return _fingerprint(_raw(found))


def _valid(raw: bytes, value: bytes, content: bytes) -> bool | None:
    try:
        keys = _keys()
    except InputError:
        return None
    try:
        keys.Ed25519PublicKey.from_public_bytes(raw).verify(value, content)
    except Exception:  # noqa: BLE001  a signature that does not fit, or bytes that are no key
        return False
    return True


def _private(key: bytes) -> Any:
    forms, found = _forms(), None
    with boundary(_unreadable("private")):
        found = forms.load_pem_private_key(key, password=None)
    if not isinstance(found, _keys().Ed25519PrivateKey):
        raise _unreadable("private")
    return found


def _unreadable(kind: str) -> InputError:
    return InputError(
        f"that is no {kind} Ed25519 key that can be read (PEM, without a password)",
        remedy="make keys with incrowd keys new FILE; FILE is the private one, FILE.pub the public",
    )


def _raw(public: Any) -> bytes:
    forms = _forms()
    return bytes(public.public_bytes(forms.Encoding.Raw, forms.PublicFormat.Raw))


def _fingerprint(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _keys() -> Any:
    with boundary(_absent()):
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415  an extra
    return ed25519


def _forms() -> Any:
    with boundary(_absent()):
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415  an extra
    return serialization


def _absent() -> InputError:
    return InputError("signatures need the package cryptography", remedy="install incrowd[sign]")

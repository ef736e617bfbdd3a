"""Results as documents for other programs: versioned, one schema per command, kept stable."""

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.policy.draft import Draft
    from incrowd.release.release import Release
    from incrowd.release.verdict import Check, Verdict
    from incrowd.risk.risk import Risk


def dumps(document: Mapping[str, Any]) -> str:
    """The document as JSON text; what is not a finite number becomes null.

    >>> dumps({"k": 5.0, "l": float("inf")})
    '{"k": 5, "l": null}'
    """
    return json.dumps(plain(document), ensure_ascii=False, allow_nan=False)


def risk_document(risk: "Risk") -> dict[str, Any]:
    """`incrowd.risk/1`: how exposed the people in a table are."""
    return risk.as_dict()


def release_document(
    release: "Release", paths: Mapping[str, str], reading: float = 0.0
) -> dict[str, Any]:
    """`incrowd.anonymize/1`: what was released; `reading` seconds went before."""
    seconds = dict(release.seconds)
    seconds["read"] += reading
    return {
        "schema": "incrowd.anonymize/1",
        "search": release.search,
        "optimal": release.optimal,
        "why": release.why,
        "k": release.k,
        "classes": release.classes,
        "records": release.records,
        "people": release.certificate.people,
        "suppressed": release.suppressed,
        "left_out": release.policy.dropped,
        "models": [_verdict(model) for model in release.models],
        "loss": release.loss,
        **({} if release.levels is None else {"levels": release.levels}),
        "seconds": seconds,
        "notes": release.notes,
        "release": paths.get("release"),
        "certificate": paths.get("certificate"),
    }


def check_document(check: "Check") -> dict[str, Any]:
    """`incrowd.check/1`: whether a release keeps its policy."""
    return {
        "schema": "incrowd.check/1",
        "ok": check.ok,
        "models": [_verdict(model) for model in check.models],
        "digest": check.digest,
        "digest_ok": check.digest_ok,
        "notes": check.notes,
    }


def draft_document(draft: "Draft", toml: str, path: str | None) -> dict[str, Any]:
    """`incrowd.init/1`: what each column seems to be, why, and the policy that says so."""
    shares = dict(draft.risky)
    return {
        "schema": "incrowd.init/1",
        "columns": {
            name: {
                "role": column.role.value,
                "hierarchy": column.hierarchy.name if column.hierarchy else None,
                "reasons": [draft.reasons[name], *_also(draft.hierarchies.get(name))],
                "review": name in draft.review,
                "distinct": shares.get(name),
            }
            for name, column in draft.policy.columns.items()
        },
        "policy": toml,
        "written": path,
    }


def _also(reason: str | None) -> list[str]:
    return [] if reason is None else [reason]


def _verdict(model: "Verdict") -> dict[str, Any]:
    column = {} if model.column is None else {"column": model.column}
    figures = {"asked": model.asked, "reached": model.reached, "ok": model.ok}
    return {"name": model.name, **column, **figures}


def plain(value: Any) -> Any:
    """The value as JSON has it: whole numbers without a fraction, nothing infinite."""
    match value:
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _ if hasattr(value, "tolist"):
            return plain(value.tolist())
        case float():
            return _number(value)
        case bool() | int() | None:
            return value
    return str(value)


def _number(value: float) -> float | None:
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value

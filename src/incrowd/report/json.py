"""Results as documents for other programs: versioned, one schema per command, kept stable."""

import json
import math
from collections.abc import Mapping
from typing import Any


def dumps(document: Mapping[str, Any]) -> str:
    """The document as JSON text; what is not a finite number becomes null.

    >>> dumps({"k": 5.0, "l": float("inf")})
    '{"k": 5, "l": null}'
    """
    return json.dumps(plain(document), ensure_ascii=False, allow_nan=False)


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

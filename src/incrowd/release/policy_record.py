"""A policy as a certificate records it: without the cell values that it lists, and folders."""

import json
from collections.abc import Mapping
from pathlib import PureWindowsPath
from typing import Any

from incrowd.errors import InputError, boundary
from incrowd.policy import codec
from incrowd.policy.policy import IMPROVING, Policy
from incrowd.recoding.show import SHOWS
from incrowd.release.certificate import sha256_of

_LISTED = ("rows", "values")


def redact(policy: Policy) -> dict[str, Any]:
    """The policy in plain values, but lists of cells as number and digest, paths as file names."""
    if policy.time_limit is None:  # recorded as ever, so that digests stay the same
        policy = policy.model_copy(update={"time_limit": IMPROVING})
    redacted: dict[str, Any] = without_cells(codec.plain_values(policy))
    return redacted


def without_cells(value: Any, key: str = "") -> Any:
    """A plain value, found under `key` of a policy, without its lists of cells and its folders.

    Lists of cells become their number and digest, paths the file's name.

    >>> without_cells({"columns": {"sex": {"hierarchy": {"name": "tree", "rows": [["f", "*"]]}}}})
    ... # doctest: +ELLIPSIS
    {'columns': {'sex': {'hierarchy': {'name': 'tree', 'rows': {'number': 1, 'sha256': '...'}}}}}
    """
    match value:
        case dict():
            return {inner: without_cells(item, inner) for inner, item in value.items()}
        case list() if key in _LISTED:
            listed = without_cells(value)
            return {"number": len(listed), "sha256": sha256_of(listed)}
        case list():
            return [without_cells(item) for item in value]
        case str() if key == "path":
            return PureWindowsPath(value).name
        case bool() | int() | float() | str():
            return value
    return str(value)


def as_text(policy: Mapping[str, Any]) -> str:
    """Write a redacted policy as TOML, for people.

    >>> print(as_text({"version": 1, "models": [{"name": "k-anonymity", "k": 5}],
    ...                "columns": {"age": {"role": "quasi"}}}), end="")
    version = 1
    <BLANKLINE>
    [[models]]
    name = "k-anonymity"
    k = 5
    <BLANKLINE>
    [columns.age]
    role = "quasi"
    """
    return codec.dumps(policy, header=())


def promise_in(policy: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a policy that a recipient of the release can check.

    It excludes how the release is found (search, loss, hierarchies, weights, limits) and columns
    that do not leave, except the unit, which decides what is counted.
    """
    columns = {
        name: column["role"]
        for name, column in policy["columns"].items()
        if column["role"] not in {"drop", "identifier"} or column.get("action") == "pseudonym"
    }
    rest = {key: policy.get(key) for key in ("missing", "missing_values", "models")}
    if (shown := SHOWS.get(str(policy.get("show")))) is not None and shown.exact:
        rest |= {key: policy.get(key) for key in ("show", "class_column")}
    own = {n: c["missing_values"] for n, c in policy["columns"].items() if c.get("missing_values")}
    if own := {name: listed for name, listed in own.items() if name in columns}:
        rest["own_missing_values"] = own
    return {"columns": columns, **rest}


def restore_flat_policy(policy: Mapping[str, Any]) -> Policy:
    """Read a certificate's policy with flat hierarchies instead; `InputError` if unreadable."""
    with boundary(InputError("the policy in the certificate cannot be read")):
        columns = {
            name: column | ({"hierarchy": "flat"} if "hierarchy" in column else {})
            for name, column in policy["columns"].items()
        }
        return Policy.model_validate_json(json.dumps({**policy, "columns": columns}))


def restore_policy(policy: Mapping[str, Any]) -> Policy | None:
    """Read a certificate's policy; None if a hierarchy lacks rows, `InputError` if unreadable."""
    with boundary(InputError("the policy in the certificate cannot be read")):
        for column in policy["columns"].values():
            tree = column.get("hierarchy", {})
            named = tree if isinstance(tree, dict) else {"name": tree}
            if named.get("name") == "file" or any(key in named for key in _LISTED):
                return None
        return Policy.model_validate_json(json.dumps(policy))

"""Certificates: whole, round trip, no changes unnoticed."""

import hashlib
import json

import polars as pl
import pytest
from pydantic import ValidationError

from incrowd.errors import InputError
from incrowd.release.certificate import (
    Certificate,
    sha256_of,
    versions,
)
from incrowd.release.policy_record import without_cells
from incrowd.table.cells import frame_digest

POLICY = {"columns": {"age": {"role": "quasi"}}, "models": [{"name": "k-anonymity", "k": 2}]}


def certificate(**changes):
    known = {
        "created": "2024-01-01T00:00:00+00:00",
        "versions": versions(),
        "policy": without_cells(POLICY),
        "policy_sha256": sha256_of(without_cells(POLICY)),
        "digest": {"of": "file", "sha256": hashlib.sha256(b"rows").hexdigest()},
        "models": [{"name": "k-anonymity", "asked": 2, "reached": 3, "ok": True}],
        "loss": {"gcp": 0.25},
        "search": "lattice",
        "optimal": True,
        "why": "looked at all",
        "suppressed": {"records": 1, "share": 0.1, "for_missing": 0},
        "records_in": 10,
        "records_out": 9,
        "people": 9,
        "classes": 3,
        "seed": {"search": 0, "order": "system"},
        "assumptions": ["Nobody knows more."],
    }
    return Certificate.model_validate(known | changes)


def test_a_certificate_comes_back_from_json():
    made = certificate()
    text = made.to_json()
    assert json.loads(text)["schema"] == "incrowd.certificate/1"
    assert Certificate.from_json(text) == made
    assert {"incrowd", "python", "numpy", "numba", "polars"} <= set(made.versions)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("policy", {"models": []}),
        ("schema", "incrowd.certificate/2"),
        ("digest", {"of": "file", "sha256": "abc"}),
        ("records_in", "canary"),
        ("more", 1),
    ],
)
def test_changes_are_noticed(place, value):
    document = json.loads(certificate().to_json())
    document[place] = value
    with pytest.raises(InputError, match="certificate is not valid") as caught:
        Certificate.from_json(json.dumps(document))
    assert "canary" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", b"\xff"])
def test_what_is_no_certificate_is_refused(text):
    with pytest.raises(InputError, match="certificate is not a JSON document"):
        Certificate.from_json(text)


def test_certificates_are_frozen():
    with pytest.raises(ValidationError):
        certificate().search = "other"


def test_listed_values_are_named_by_digest_only():
    rows = [["canary", "*"]]
    policy = {"columns": {"a": {"hierarchy": {"name": "tree", "rows": rows}}}}
    shown = without_cells(policy)
    assert "canary" not in json.dumps(shown)
    assert shown["columns"]["a"]["hierarchy"]["rows"]["number"] == 1
    assert policy["columns"]["a"]["hierarchy"]["rows"] is rows


def test_the_digest_of_a_policy_ignores_the_order_of_keys():
    assert sha256_of({"a": 1, "b": 2}) == sha256_of({"b": 2, "a": 1})
    assert sha256_of({"a": 1}) != sha256_of({"a": 2})


def test_the_digest_of_a_frame_tells_cells_apart():
    frames = [
        pl.DataFrame({"a": ["x", "y"]}),
        pl.DataFrame({"b": ["x", "y"]}),
        pl.DataFrame({"a": ["y", "x"]}),
        pl.DataFrame({"a": ["xy", ""]}),
        pl.DataFrame({"a": ["xy", None]}),
        pl.DataFrame({"a": ["xy"]}),
        pl.DataFrame({"a": ["x"], "b": ["y"]}),
        pl.DataFrame({"a": []}, schema={"a": pl.String}),
        pl.DataFrame(),
    ]
    digests = {frame_digest(frame) for frame in frames}
    assert len(digests) == len(frames)
    assert frame_digest(frames[0]) == frame_digest(frames[0].clone())

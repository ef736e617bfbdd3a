"""Signed certificates: whoever changes one is found out, and a stranger's key is not trusted."""

import copy
import json
import stat
import sys
from pathlib import Path

import polars as pl
import pytest

import incrowd
from incrowd.cli.main import perform
from incrowd.errors import InputError
from incrowd.policy.policy import Policy
from incrowd.release import certificate as signing
from incrowd.release.certificate import Certificate, sha256_of

POLICY = """version = 1
[[models]]
name = "k-anonymity"
k = 3
[[models]]
name = "t-closeness"
column = "ill"
t = 0.9
[columns.age]
role = "quasi"
[columns.ill]
role = "sensitive"
"""
TABLE = {"age": [20 + i % 17 for i in range(60)], "ill": ["abc"[i * i % 7 % 3] for i in range(60)]}
RELEASE, PAPER = "release.csv", "release.csv.certificate.json"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("INCROWD_SIGNING_KEY", raising=False)
    pl.DataFrame(TABLE).write_csv("table.csv")
    Path("policy.toml").write_text(POLICY)
    assert perform(["keys", "new", "mine", "--quiet"]) == 0
    assert perform(["keys", "new", "other", "--quiet"]) == 0


def anonymize(*more):
    return perform(["anonymize", "table.csv", "-p", "policy.toml", "-o", RELEASE, "--quiet", *more])


def check(capsys, *more):
    capsys.readouterr()
    code = perform(["check", RELEASE, "-p", "policy.toml", "--certificate", PAPER, "--json", *more])
    return code, json.loads(capsys.readouterr().out)


def places(value, path=()):
    """The path of every leaf of a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in inside:
        if isinstance(inner, dict | list) and inner:
            yield from places(inner, (*path, key))
        else:
            yield (*path, key)


def changed(document, path):
    made = copy.deepcopy(document)
    place = made
    for key in path[:-1]:
        place = place[key]
    old = place[path[-1]]
    match old:
        case bool():
            place[path[-1]] = not old
        case int() | float():
            place[path[-1]] = old + 1
        case str():
            place[path[-1]] = old[:-1] + ("0" if old[-1:] != "0" else "1")
        case _:
            place[path[-1]] = {"x": 1} if old == {} else ["x"]
    return made


def test_keys_are_made_once_and_kept_to_their_owner(capsys):
    assert stat.S_IMODE(Path("mine").stat().st_mode) == 0o600
    before = Path("mine").read_bytes(), Path("mine.pub").read_bytes()
    assert perform(["keys", "new", "mine"]) == 3
    Path("fresh.pub").write_text("taken")
    assert perform(["keys", "new", "fresh"]) == 3
    assert not Path("fresh").exists()
    assert (Path("mine").read_bytes(), Path("mine.pub").read_bytes()) == before
    capsys.readouterr()
    assert perform(["keys", "new", "third", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["fingerprint"] == signing.public_fingerprint(Path("third.pub").read_bytes())
    assert "PRIVATE" not in json.dumps(document)


def test_a_signed_certificate_says_by_whom(capsys):
    assert anonymize("--sign", "mine") == 0
    mine = signing.public_fingerprint(Path("mine.pub").read_bytes())

    code, found = check(capsys)
    assert code == 0
    assert found["signature"] == {"fingerprint": mine, "valid": True, "trusted": None}
    assert any(mine in note for note in found["notes"])

    code, found = check(capsys, "--trusted-key", "other.pub", "--trusted-key", "mine.pub")
    assert code == 0
    assert found["signature"]["trusted"] is True

    code, found = check(capsys, "--trusted-key", "other.pub")
    assert code == 1
    assert found["signature"] == {"fingerprint": mine, "valid": True, "trusted": False}


def test_an_unsigned_certificate_proves_nothing_about_its_origin(capsys):
    assert anonymize() == 0
    code, found = check(capsys)
    assert code == 0
    assert found["signature"] is None
    assert any("unsigned: it does not prove who made it" in note for note in found["notes"])
    assert check(capsys, "--trusted-key", "mine.pub")[0] == 1
    perform(["check", RELEASE, "--certificate", PAPER])
    assert "unsigned" in capsys.readouterr().out


@pytest.mark.slow
def test_trust_without_a_certificate_is_not_met():
    assert anonymize("--sign", "mine") == 0
    assert perform(["check", RELEASE, "-p", "policy.toml", "--trusted-key", "mine.pub"]) == 1


def test_the_environment_may_name_the_key(monkeypatch, capsys):
    monkeypatch.setenv("INCROWD_SIGNING_KEY", "mine")
    assert anonymize() == 0
    assert check(capsys, "--trusted-key", "mine.pub")[0] == 0


def test_whatever_is_changed_breaks_the_signature():
    assert anonymize("--sign", "mine") == 0
    document = json.loads(Path(PAPER).read_text())
    tried = 0
    for path in places(document):
        if path[0] == "policy_sha256":
            continue
        forged = changed(document, path)
        if path[0] == "policy":
            forged["policy_sha256"] = sha256_of(forged["policy"])
        try:
            certificate = Certificate.from_json(json.dumps(forged))
        except InputError:
            continue  # it is no certificate any more
        tried += 1
        assert signing.who_signed(certificate).valid is False, path
    assert tried > 30


def test_what_is_left_out_or_put_in_breaks_the_signature():
    assert anonymize("--sign", "mine") == 0
    document = json.loads(Path(PAPER).read_text())
    for name in ("spread", "blank", "kinds", "rows_sha256", "world"):
        fewer = {key: value for key, value in document.items() if key != name}
        assert signing.who_signed(Certificate.from_json(json.dumps(fewer))).valid is False
    shuffled = dict(sorted(document.items(), reverse=True))
    assert signing.who_signed(Certificate.from_json(json.dumps(shuffled, indent=7))).valid


def test_a_signature_of_another_certificate_is_found_out(capsys):
    assert anonymize("--sign", "mine") == 0
    first = json.loads(Path(PAPER).read_text())
    assert anonymize("--sign", "mine") == 0
    second = json.loads(Path(PAPER).read_text())
    second["signature"] = first["signature"]
    Path(PAPER).write_text(json.dumps(second))
    code, found = check(capsys)
    assert code == 1
    assert found["signature"]["valid"] is False
    assert not found["ok"]


def test_python_signs_and_trusts_too():
    policy = Policy.loads(POLICY)
    release = incrowd.anonymize(pl.DataFrame(TABLE), policy, sign=Path("mine").read_bytes())
    trusted = [Path("mine.pub").read_bytes()]
    found = incrowd.check(release.frame, policy, release.certificate, trusted_keys=trusted)
    assert found.ok
    assert found.signature.trusted
    again = Certificate.from_json(release.certificate.to_json())
    assert signing.who_signed(again).valid
    assert not incrowd.check(
        release.frame, policy, release.certificate, trusted_keys=["other.pub"]
    ).ok


@pytest.mark.parametrize("key", ["policy.toml", "mine.pub", "table.csv"])
def test_what_is_no_private_key_signs_nothing(key):
    assert anonymize("--sign", key) == 3
    assert not Path(RELEASE).exists()


@pytest.mark.parametrize("key", ["mine", "policy.toml"])
def test_what_is_no_public_key_is_refused(key):
    assert anonymize("--sign", "mine") == 0
    code = perform(["check", RELEASE, "--certificate", PAPER, "--trusted-key", key])
    assert code == 3


def test_the_key_is_not_overwritten():
    before = Path("mine").read_bytes()
    code = perform(["anonymize", "table.csv", "-p", "policy.toml", "-o", "mine", "--sign", "mine"])
    assert code == 2
    assert Path("mine").read_bytes() == before


def test_without_the_extra_its_name_is_said(monkeypatch, capsys):
    assert anonymize("--sign", "mine") == 0
    for name in list(sys.modules):
        if name.startswith("cryptography"):
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    assert anonymize("--sign", "mine") == 3
    assert "incrowd[sign]" in capsys.readouterr().err
    assert check(capsys)[1]["signature"]["valid"] is None
    assert perform(["check", RELEASE, "--certificate", PAPER, "--trusted-key", "mine.pub"]) == 3
    assert perform(["keys", "new", "fresh"]) == 3

"""Names of columns are names, whatever they look like: Polars takes some for patterns."""

import polars as pl
import pytest

import incrowd
from incrowd.errors import PolicyError
from incrowd.models import KAnonymity
from incrowd.policy.policy import Column, Policy

NAMES = ("^(a+)+$", "^.*$", "*", "{b}", "[c]", "`d`", "100 %", "it's", '"q"')


@pytest.fixture
def frame():
    return pl.DataFrame(
        {name: [i % (2 + j % 3) for i in range(48)] for j, name in enumerate(NAMES)}
    )


@pytest.fixture
def asked():
    return Policy(columns={name: Column(role="quasi") for name in NAMES}, models=(KAnonymity(2),))


@pytest.mark.parametrize("kind", ["frame", "csv", "parquet"])
def test_tables_with_odd_names_are_measured_and_released(frame, asked, tmp_path, kind):
    source = frame
    if kind != "frame":
        source = tmp_path / f"table.{kind}"
        frame.write_csv(source) if kind == "csv" else frame.write_parquet(source)
    assert incrowd.risk(source, quasi=NAMES).records == 48
    assert incrowd.discover(source, NAMES).records == 48
    target = None if kind == "frame" else tmp_path / f"release.{kind}"
    release = incrowd.anonymize(source, asked, target, seed=1)
    shown = release.frame if target is None else target
    assert incrowd.check(shown, asked, release.certificate).ok
    compared = incrowd.compare(source, shown, policy=asked, models=False)
    assert compared.releases


def test_a_policy_may_be_the_path_of_its_file(frame, asked, tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text(asked.dumps(), encoding="utf-8")
    for given in (path, str(path)):
        assert incrowd.anonymize(frame, given, seed=1).frame.height == 48
        assert incrowd.risk(frame, policy=given).records == 48
    with pytest.raises(PolicyError, match=r"the policy .*nofile.toml.* cannot be read"):
        incrowd.anonymize(frame, str(tmp_path / "nofile.toml"))
    with pytest.raises(PolicyError, match="a policy cannot be a dict"):
        incrowd.anonymize(frame, {"k": 5})


def test_a_risk_reads_missing_marks_as_the_policy_says():
    rows = pl.DataFrame({"age": ["1", "NA", "-8", "1"], "sex": ["f", "f", "f", "f"]})
    columns = {"age": Column(role="quasi", missing_values=("-8",)), "sex": Column(role="quasi")}
    asked = Policy(columns=columns, models=(KAnonymity(2),), missing_values=("", "NA"))
    plain = incrowd.risk(rows, quasi=["age", "sex"])
    read = incrowd.risk(rows, policy=asked)
    assert plain.classes == 3
    assert read.classes == 2

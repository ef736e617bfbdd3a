"""No password of an address is shown, whatever its scheme, and messages stay readable."""

import pytest

import incrowd
from incrowd.cli.main import perform
from incrowd.engines.addresses import is_address
from incrowd.errors import EXAMPLE_ADDRESS, InputError, PolicyError, hide_credentials

PASSWORD = "pass-canary-0815"
ADDRESSES = [
    f"PostgreSQL://me:{PASSWORD}@host/db",
    f"POSTGRES://me:{PASSWORD}@host/db?table=a.b.c",
    f"mysql://me:{PASSWORD}@host/db",
    f"mysql+pymysql://me:{PASSWORD}@host/db?table=t",
    f"mongodb+srv://me:{PASSWORD}@host/db",
    f"https://{PASSWORD}@host/table.csv",
    f"mssql://host/db?user=me&password={PASSWORD}",
    f"postgresql://host/db?sslpassword={PASSWORD}",
    f"snowflake://host/db?authenticator=x&token={PASSWORD}&more=1",
    f"host=there dbname=db user=me password={PASSWORD}",
    f"host=there password='two {PASSWORD}' user=me",
    f"Server=there;Database=db;Uid=me;Pwd={PASSWORD};",
    f"oracle://me:with/slash@and {PASSWORD}@host/db",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_error_shows_a_password(address):
    for text in (address, f"no such file: {address!r}; name another", f"({address})"):
        assert PASSWORD not in hide_credentials(text)
        error = InputError(text, remedy=text)
        assert PASSWORD not in f"{error} {error!r} {error.message} {error.remedy}"


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("words", [["risk"], ["check"], ["init", "x.csv", "-o"], ["anonymize"]])
def test_no_command_shows_a_password(address, words, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert perform([*words, address]) != 0
    assert perform([*words, address, "--json", f"--nonsense={address}"]) != 0
    said = capfd.readouterr()
    assert PASSWORD not in said.out + said.err


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_exception_shows_a_password(address):
    policy = incrowd.quick(["a"], quasi=["a"], k=2)
    for call in (
        lambda: incrowd.anonymize(address, policy),
        lambda: incrowd.anonymize("x.csv", policy, address),
        lambda: incrowd.check(address, policy),
    ):
        with pytest.raises(incrowd.IncrowdError) as caught:
            call()
        assert PASSWORD not in f"{caught.value} {caught.value!r}"


def test_a_scheme_may_be_written_in_capitals():
    assert is_address("PostgreSQL://me@host/db?table=t")
    assert not is_address("mysql://me@host/db?table=t")


def test_the_help_on_addresses_stays_readable(capfd):
    assert perform(["risk", "postgresql://host/db", "-q", "age"]) == PolicyError.exit_code
    assert f"write {EXAMPLE_ADDRESS}, names as they are stored" in " ".join(
        capfd.readouterr().err.split()
    )


@pytest.mark.parametrize("target", ["s3://bucket/release.csv", "GS://bucket/release.csv"])
def test_a_target_elsewhere_is_refused_with_what_to_do(target, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("age\n1\n1\n")
    assert perform(["anonymize", "table.csv", "-q", "age", "-k", "2", "-o", target]) == 2
    said = " ".join(capfd.readouterr().err.split())
    assert f"not {target[:2].lower()}:// addresses" in said
    assert "write to a file, then copy it there" in said
    assert "folder" not in said
    with pytest.raises(PolicyError, match="writes files of this machine"):
        incrowd.anonymize("table.csv", incrowd.quick(["age"], quasi=["age"], k=2), target)


def test_a_source_elsewhere_is_refused_with_what_to_do(capfd):
    assert perform(["risk", "mysql://host/db?table=t", "-q", "age"]) == PolicyError.exit_code
    said = " ".join(capfd.readouterr().err.split())
    assert "incrowd does not read mysql:// addresses" in said

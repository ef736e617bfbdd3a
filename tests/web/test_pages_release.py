"""The Release page: signing, attacking, comparing, and a session that makes the same again."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from incrowd.cli.main import perform
from page_server import WAIT, opened
from web.test_pages import nothing_wrong, people

pytestmark = pytest.mark.slow
"""A server and a browser are started."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table and two pairs of keys."""
    made = tmp_path_factory.mktemp("release")
    people(300).write_csv(made / "people.csv")
    for name in ("ours", "theirs"):
        assert perform(["keys", "new", str(made / name), "--quiet"]) == 0
    return made


@pytest.fixture
def tab(chromium, pages, folder):
    with opened(chromium, pages.begin(folder, "people.csv"), "/release") as one:
        one.page.get_by_role("button", name="Make the release").wait_for(timeout=WAIT)
        yield one
        nothing_wrong(one)


def make(tab, name):
    """Make a release of this name: another one may be shown already."""
    tab.page.get_by_label("File of the release").fill(name)
    tab.press("Make the release")
    tab.sees(f"{name} is written, and was read again.")
    tab.quiet()


def choose(tab, label, name):
    tab.page.get_by_role("combobox", name=label, exact=True).fill(name)
    tab.page.get_by_role("option", name=name, exact=True).click()


def answered(tab, words, answer):
    """Wait until the tag beside these words says this."""
    place = tab.page.locator(".bar", has_text=words).last
    place.get_by_text(answer, exact=True).wait_for(timeout=WAIT)


def test_a_signed_release_is_trusted_by_who_has_the_public_key(tab, folder):
    tab.page.get_by_label("Private key to sign with").fill(str(folder / "ours"))
    make(tab, "signed.csv")
    tab.next("Check")
    tab.page.get_by_text("Key, original and policy").click()
    choose(tab, "Public key that you trust", "ours.pub")
    tab.press("Check it")
    tab.sees("Every promise is kept, counted anew from the file.")
    answered(tab, "The signature is right", "yes")
    answered(tab, "You trust the key that signed", "yes")
    choose(tab, "Public key that you trust", "theirs.pub")
    tab.press("Check it")
    tab.sees("The check does not pass.")
    answered(tab, "You trust the key that signed", "no")


def test_a_downloaded_session_makes_the_same_bytes_again(tab, folder, tmp_path):
    make(tab, "again.csv")
    release, certificate = folder / "again.csv", folder / "again.csv.certificate.json"
    made = release.read_bytes()
    tab.press("Same as: policy file, command, Python")
    with tab.page.expect_download() as saved:
        tab.press("Download session")
    saved.value.save_as(tmp_path / "session.zip")
    with zipfile.ZipFile(tmp_path / "session.zip") as packed:
        packed.extractall(tmp_path)
    (script,) = tmp_path.glob("*/command.sh")
    release.unlink()
    certificate.unlink()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run(["sh", script], check=True, env=os.environ | {"PATH": path}, timeout=300)
    assert release.read_bytes() == made
    assert certificate.exists()


def test_attacking_and_comparing_show_a_document(tab):
    make(tab, "shown.csv")
    for heading, words in (
        ("Attacks", "Attack it"),
        ("Compare before and after", "Compare before and after"),
    ):
        card = tab.page.locator(f'section[aria-label="{heading}"]')
        card.get_by_role("button", name=words).click()
        document = card.locator(".document")
        document.wait_for(timeout=WAIT)
        assert document.locator("table").count() >= 1
        assert len(document.inner_text()) > 100

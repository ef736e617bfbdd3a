"""Files that a browser hands over: a table to work on, and what somebody else wants checked."""

import json
import shlex
import signal
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import incrowd
from incrowd.cli.main import perform
from incrowd.policy.draft import to_toml
from incrowd.verbs.draft import draft
from page_server import PHONE, STARTED, WAIT, opened, served
from web.test_pages import nothing_wrong, people, shown_as

pytestmark = pytest.mark.slow
"""A server and a browser are started."""

DROP = """async ([name, text]) => {
  const held = new DataTransfer();
  held.items.add(new File([text], name));
  const place = document.querySelector('.drop');
  for (const kind of ['dragenter', 'dragover', 'drop'])
    place.dispatchEvent(
      new DragEvent(kind, { dataTransfer: held, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def places(tmp_path):
    """A folder that the page sees, one that it does not see, and one for private files."""
    found = {name: tmp_path / name for name in ("here", "there", "scratch")}
    for folder in found.values():
        folder.mkdir()
    return found


def copies(places):
    """The files in private folders that were handed over."""
    found = places["scratch"].rglob("uploads/*/*")
    return sorted(path.name for path in found)


def hand_over(tab, *files, words="Choose a file"):
    tab.page.get_by_label(words).set_input_files([str(file) for file in files])


def comes_true(condition):
    """Whether something is true at last, on a machine that may do other work."""
    until = time.monotonic() + STARTED
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def gone(places):
    return comes_true(lambda: not list(places["scratch"].glob("incrowd-ui-*")))


def test_a_table_from_elsewhere_is_released_into_the_folder(chromium, places, monkeypatch):
    people(300).write_csv(places["there"] / "people.csv")
    here, scratch = places["here"], str(places["scratch"])
    with served(folder=here, TMPDIR=scratch) as server, opened(chromium, server) as tab:
        hand_over(tab, places["there"] / "people.csv")
        tab.sees("300 records, 4 columns")
        tab.sees("This is a private copy.")
        tab.sees("The release goes into the folder here, and stays.")
        assert copies(places) == ["people.csv"]
        tab.go("/release")
        tab.press("Make the release")
        tab.sees("The release keeps its policy")
        tab.press("Same as: policy file, command, Python")
        tab.sees("Put your own people.csv beside policy.toml")
        command = shlex.split(shown_as(tab, "Command"))
        policy = shown_as(tab, "Policy")
        assert "incrowd-ui-" not in tab.page.content()
        tab.press("Close")
        monkeypatch.chdir(places["there"])
        again(command, policy)
        tab.go("/")
        tab.press("Another table")
        tab.sees("A table from elsewhere")
        assert copies(places) == []
        nothing_wrong(tab)
    assert gone(places)
    for file in here.iterdir():
        assert b"incrowd-ui-" not in file.read_bytes()


def again(command, policy):
    """The command that the page shows makes the same release, beside the table and the policy."""
    Path("policy.toml").write_text(policy, encoding="utf-8")
    target = Path(command[command.index("-o") + 1])
    made = target.read_bytes()
    target.unlink()
    assert perform([*command[1:], "--quiet"]) == 0
    assert target.read_bytes() == made


def test_a_table_is_dropped_on_a_phone_and_deleted_after_a_signal(chromium, places):
    scratch = str(places["scratch"])
    with served(folder=places["here"], TMPDIR=scratch) as server:
        with opened(chromium, server, size=PHONE, scheme="dark") as tab:
            tab.sees("or drop it here, up to 2 GB")
            text = people(200).write_csv()
            tab.page.evaluate(DROP, ["../<b>people</b>.csv", text])
            tab.sees("200 records, 4 columns")
            assert tab.overflow <= 0
            assert copies(places) == ["b_.csv"]
            nothing_wrong(tab)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(STARTED) == 0
        assert gone(places)


def test_a_file_can_be_chosen_by_keyboard_alone(chromium, pages, places):
    with opened(chromium, pages.begin(places["here"])) as tab:
        tab.page.on("filechooser", lambda _: None)  # the browser asks us, from before the key on
        tab.quiet()
        chooser = tab.page.get_by_label("Choose a file")
        chooser.focus()
        with tab.page.expect_file_chooser() as asked:
            tab.page.keyboard.press("Enter")
        (places["there"] / "broken.parquet").write_bytes(b"PAR1 this is no table")
        asked.value.set_files(str(places["there"] / "broken.parquet"))
        tab.page.locator(".note.bad").wait_for(timeout=WAIT)
        words = tab.page.locator(".note.bad").inner_text()
        assert "broken.parquet" in words
        assert "incrowd-ui-" not in words
        nothing_wrong(tab)


def test_a_large_file_is_refused_with_the_limit(chromium, pages, places):
    people(20).write_csv(places["here"] / "few.csv")
    people(2_000).write_csv(places["there"] / "many.csv")
    with opened(chromium, pages.begin(places["here"], "few.csv", most=1_000)) as tab:
        tab.sees("20 records")
        tab.press("Another table")
        hand_over(tab, places["there"] / "many.csv")
        alert = tab.page.get_by_role("alert")
        alert.get_by_text("The file is larger than 1000 bytes").wait_for()
        assert "into the folder that the page shows" in alert.inner_text()
        nothing_wrong(tab)


@pytest.mark.parametrize("how", ["broken off", "server ended"])
def test_half_a_file_does_not_stay(chromium, places, how):
    """The browser goes away, or the server, while a file is under way."""
    scratch = str(places["scratch"])
    with served(folder=places["here"], TMPDIR=scratch) as server:
        with opened(chromium, server) as tab:
            tab.sees("A table from elsewhere")
            (cookie,) = tab.page.context.cookies()
        host = urlsplit(server.origin).netloc
        lines = [
            "POST /uploads/table HTTP/1.1",
            f"Host: {host}",
            f"Origin: {server.origin}",
            f"Cookie: {cookie['name']}={cookie['value']}",
            "X-File-Name: half.csv",
            "Content-Length: 9000000",
        ]
        name, _, port = host.partition(":")
        with socket.create_connection((name, int(port)), 10) as wire:
            wire.sendall(("\r\n".join(lines) + "\r\n\r\n").encode() + b"x" * 4_000_000)
            assert comes_true(lambda: copies(places) == ["half.csv"])
            if how == "server ended":
                server.process.send_signal(signal.SIGTERM)
                assert server.process.wait(STARTED) == 0
        assert comes_true(lambda: copies(places) == [])
    assert gone(places)


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """A folder with a release, its certificate, the keys, the original and the policy."""
    folder = tmp_path_factory.mktemp("signed")
    rows = people(300)
    rows.write_csv(folder / "people.csv")
    text = to_toml(draft(folder / "people.csv"))
    (folder / "policy.toml").write_text(text, encoding="utf-8")
    for name in ("ours", "theirs"):
        incrowd.new_keys(folder / name)
    policy = incrowd.read_policy(folder / "policy.toml")
    incrowd.anonymize(
        folder / "people.csv", policy, folder / "out.csv", sign=folder / "ours", seed=1
    )
    return folder


def answer(tab, words):
    """The tag beside these words."""
    place = tab.page.locator(".bar", has_text=words).last
    place.wait_for(timeout=WAIT)
    return place.locator(".tag").inner_text()


def test_a_release_of_somebody_else_is_checked_with_all_that_comes_with_it(
    chromium, pages, places, signed
):
    proof = signed / "out.csv.certificate.json"
    with opened(chromium, pages.begin(places["here"]), "/check") as tab:
        tab.sees("Drop files from anywhere")
        tab.press("Check it")
        tab.sees("Choose a release first.")
        hand_over(tab, signed / "out.csv", proof, words="Choose a release and its certificate")
        tab.page.get_by_role("combobox", name="Certificate").wait_for()
        tab.quiet()
        expect_chosen(tab, "Release", "out.csv (handed over)")
        expect_chosen(tab, "Certificate", f"{proof.name} (handed over)")
        tab.press("Check it")
        tab.sees("Every promise is kept, counted anew from the file.")
        assert answer(tab, "The certificate belongs to this file") == "yes"
        assert answer(tab, "The signature is right") == "yes"
        assert answer(tab, "You trust the key") == "no key given"
        assert "loss.gcp" in claimed(tab)
        tab.page.get_by_text("Key, original and policy").click()
        for name, words, label in (
            ("ours.pub", "Choose a key", "Public key that you trust"),
            ("people.csv", "Choose a table", "Original table"),
            ("policy.toml", "Choose a policy", "Policy file"),
        ):
            hand_over(tab, signed / name, words=words)
            expect_chosen(tab, label, f"{name} (handed over)")
        tab.press("Check it")
        tab.page.locator(".bar", has_text="You trust the key").get_by_text("yes").wait_for()
        assert "loss.gcp" not in claimed(tab)
        hand_over(tab, signed / "theirs.pub", words="Choose a key")
        expect_chosen(tab, "Public key that you trust", "theirs.pub (handed over)")
        tab.press("Check it")
        tab.sees("The check does not pass.")
        assert answer(tab, "You trust the key") == "no"
        tab.page.reload()
        expect_chosen(tab, "Release", "out.csv (handed over)")
        nothing_wrong(tab)


def expect_chosen(tab, label, name):
    """Wait until a field shows a file."""
    place = tab.page.get_by_role("combobox", name=label, exact=True)
    place.wait_for()
    tab.page.wait_for_function("([e, v]) => e.value === v", arg=[place.element_handle(), name])


def claimed(tab):
    """What the certificate says and nobody counted again."""
    heading = tab.page.get_by_role("heading", name="Not counted again")
    heading.wait_for()
    return heading.locator("xpath=following-sibling::p[1]").inner_text()


def test_broken_files_are_told_in_the_librarys_words(chromium, pages, places, signed):
    there = places["there"]
    proof = json.loads((signed / "out.csv.certificate.json").read_text(encoding="utf-8"))
    (there / "other.json").write_text("{", encoding="utf-8")
    proof["classes"] = 1
    (there / "forged.json").write_text(json.dumps(proof), encoding="utf-8")
    with opened(chromium, pages.begin(places["here"]), "/check") as tab:
        words = "Choose a release and its certificate"
        hand_over(tab, signed / "out.csv", there / "other.json", words=words)
        expect_chosen(tab, "Certificate", "other.json (handed over)")
        tab.press("Check it")
        tab.page.locator(".note.bad").wait_for(timeout=WAIT)
        told = tab.page.locator(".note.bad").inner_text()
        assert "certificate" in told
        assert "incrowd-ui-" not in told
        hand_over(tab, there / "forged.json", words=words)
        expect_chosen(tab, "Certificate", "forged.json (handed over)")
        tab.press("Check it")
        tab.sees("The check does not pass.")
        assert answer(tab, "The signature is right") == "no"
        nothing_wrong(tab)

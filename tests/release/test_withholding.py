"""What each audience is told of a few people: the holder all of it, others nothing."""

import io
import json
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import incrowd
from incrowd.documents.json import release_document
from incrowd.documents.release import release_text
from incrowd.web import jobs
from incrowd.web.work import releases, what_if
from incrowd.web.work.state import WorkerState
from incrowd.withholding import public_bound, public_loss, public_words

ALONE = 3
"""People who share their age with nobody, and are left out."""


def _people():
    """A crowd, and three people far from it; three others have no age."""
    ages = [20 + i % 4 for i in range(60)] + [None] * 3 + [91, 95, 99]
    ill = [f"illness {i % 5}" for i in range(len(ages))]
    return pl.DataFrame({"age": ages, "ill": ill})


POLICY = incrowd.Policy.model_validate(
    {
        "columns": {
            "age": {
                "role": "quasi",
                "hierarchy": {"name": "intervals", "width": 4},
                "highest": 1,
            },
            "ill": {"role": "sensitive"},
        },
        "models": [{"name": "k-anonymity", "k": 3}],
        "suppression": 0.1,
        "search": "lattice",
    }
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("withholding")
    table = folder / "people.csv"
    _people().write_csv(table)
    job = jobs.MakeRelease(
        table=jobs.TableFile(str(table), folder=str(folder)),
        policy=POLICY.dumps(),
        target=str(folder / "release.csv"),
        report=str(folder / "report.html"),
        seed=1,
    )
    page = releases.make_release(WorkerState(), job, lambda *_: None)
    release = incrowd.anonymize(table, POLICY, seed=1)
    assert release.suppressed == ALONE
    return job, page, release


def _text(shown):
    console = Console(width=300, record=True, file=io.StringIO())
    console.print(shown)
    return " ".join(console.export_text().split())


def test_the_holder_is_told_counts_and_losses_as_they_are(made):
    *_, release = made
    text = _text(release_text(release, {}, details=True))
    assert f"left out {ALONE} records" in text
    document = release_document(release, {})
    assert document["suppressed"] == ALONE
    assert document["loss"] == release.loss
    assert f"{release.loss['gcp']:.4f}".rstrip("0") in text


def test_a_certificate_has_losses_of_two_digits(made):
    job, *_ = made
    said = json.loads(Path(f"{job.target}.certificate.json").read_text())
    assert all(len(f"{loss:g}".partition(".")[2]) <= 2 for loss in said["loss"].values())
    assert not re.search(r"\d\.\d{3}", said["why"])
    assert said["suppressed"]["records"] == ALONE


def test_a_report_has_no_share_of_few_records_and_no_exact_loss(made):
    job, _, release = made
    report = incrowd.report(release, original=job.table.source)
    facts, page = report.facts, Path(job.report).read_text()
    assert facts.exposure.risk.unique is None
    assert facts.exposure.risk.unique_share is None
    assert facts.alternatives.loss == public_loss(release.loss["gcp"], left_out=ALONE)
    assert all(one.loss == round(one.loss, 2) for one in facts.alternatives.looked)
    assert f"{release.loss['gcp']:.4f}" not in page
    assert "none of fewer than 5 records but those left out" in page
    (age,) = [one for one in facts.columns if one.name == "age"]
    assert age.values_before == len(set(_people()["age"])) - 1


def test_the_page_withholds_counts_of_few_records(made):
    job, page, _ = made
    assert page.suppressed is None
    asked = jobs.AskWhatIf(table=job.table, policy=job.policy)
    answer = what_if.answer_quickly(WorkerState(), asked, lambda *_: None)
    assert answer.suppressed is None
    assert answer.before.uniques is None


@given(st.floats(0.0, 1e6) | st.floats(0.9, 1.0), st.integers(1, 9))
def test_a_rounded_loss_is_near_and_a_rounded_bound_stays_below(loss, left_out):
    near = public_loss(loss, left_out=left_out)
    assert abs(near - loss) <= max(0.01, loss / 10)
    assert (near == 0) == (loss == 0)
    assert (near == 1) == (loss == 1) or loss > 1
    assert public_bound(loss, left_out=left_out) <= loss
    assert public_loss(loss, left_out=0) == public_bound(loss, left_out=0) == loss


def test_words_keep_limits_that_the_policy_names_and_all_digits_if_nobody_is_left_out():
    words = "no class loses more than 0.1234 (limit 0.1250), and k = 5 is the highest possible"
    assert public_words(words, left_out=0) == words
    assert public_words(words, left_out=1) == words.replace("0.1234", "about 0.12")

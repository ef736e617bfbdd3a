"""Reports: facts that agree with counts written out, nothing of few people, nothing broken."""

import io
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import incrowd
from incrowd.documents.page import Paragraphs, PictureBlock
from incrowd.documents.release import check_text, release_text
from incrowd.documents.report.danger import attacks_section
from incrowd.documents.report.facts import AttackFact, AttackFacts
from incrowd.errors import InputError, PolicyError
from incrowd.verbs import report_played
from incrowd.verbs.report import write_report
from incrowd.withholding import public_counts, public_share

QUASI = ["age", "zip", "sex"]


def people(n=120, **more):
    rows = {
        "age": [20 + i * 7 % 40 for i in range(n)],
        "zip": [f"021{i % 4}{i % 3}" for i in range(n)],
        "sex": ["f" if i % 3 else "m" for i in range(n)],
        "illness": [f"illness {(i * i + i // 7) % 6}" for i in range(n)],
        "name": [f"person {i}" for i in range(n)],
    }
    return pl.DataFrame(rows | more)


def policy(frame, **more):
    given = {"quasi": QUASI, "sensitive": "illness", "k": 5, "search": "mondrian"}
    return incrowd.quick(frame.columns, **(given | more))


@pytest.fixture(scope="module")
def made():
    frame = people()
    release = incrowd.anonymize(frame, policy(frame), seed=1)
    return frame, release, incrowd.report(release, original=frame)


def test_figures_are_those_of_the_rows(made):
    frame, release, report = made
    facts = report.facts
    sizes = Counter(release.frame.select(QUASI).iter_rows())
    before = Counter(frame.select(QUASI).iter_rows())
    assert facts.risk.k == min(sizes.values()) == release.k
    assert facts.risk.classes == len(sizes)
    assert facts.risk.average == pytest.approx(len(sizes) / frame.height)
    assert facts.exposure.of == "original"
    assert facts.exposure.risk.unique_share == pytest.approx(
        sum(n == 1 for n in before.values()) / frame.height
    )
    for i, one in enumerate(facts.exposure.pairs):
        for j, other in enumerate(facts.exposure.pairs):
            held = Counter(frame.select([one, other] if i != j else [one]).iter_rows())
            alone = sum(n for n in held.values() if n == 1)
            shown = public_share(alone / frame.height, frame.height)
            assert facts.exposure.unique[i][j] == (pytest.approx(shown) if shown else shown)


def test_sizes_add_up_and_the_line_stands_at_k(made):
    _, release, report = made
    sizes = report.facts.sizes
    assert sizes.labels[sizes.mark].startswith("5")
    assert not any(sizes.after[: sizes.mark])
    held = Counter(release.frame.select(QUASI).iter_rows()).values()
    last = int(sizes.labels[-1].split()[0])
    share = sum(n for n in held if n >= last) / sum(held)
    assert sizes.after[-1] is None or sizes.after[-1] == pytest.approx(share)


def test_l_of_every_class(made):
    _, release, report = made
    (found,) = [one for one in report.facts.diversity if one.measure.startswith("l-")]
    worst = []
    for _, rows in release.frame.group_by(QUASI):
        worst.append(rows.height / max(Counter(rows["illness"].to_list()).values()))
    assert found.worst_after == pytest.approx(min(worst))
    assert found.asked is None


def test_a_run_and_a_check_agree(made):
    frame, release, report = made
    again = incrowd.report(release.frame, None, release.policy, release.certificate, original=frame)
    assert report.facts.counted == "run"
    assert again.facts.counted == "file"
    assert again.facts.risk == report.facts.risk
    assert again.facts.sizes == report.facts.sizes
    assert again.facts.diversity == report.facts.diversity
    assert again.facts.exposure == report.facts.exposure
    assert again.facts.utility.columns == report.facts.utility.columns


def test_the_page_has_its_sections_in_order(made):
    html = made[2].html
    wanted = "verdict data exposed before attacks columns utility alternatives limits papers"
    assert re.findall(r'<section id="(\w+)"', html) == wanted.split()
    assert len(html.encode()) <= 2_000_000
    assert "default-src &#39;none&#39;" in html or "default-src 'none'" in html


def test_without_the_original_it_says_what_is_missing(made):
    _, release, _ = made
    report = incrowd.report(release.frame, None, release.policy, release.certificate)
    assert set(report.facts.absent) == {"exposed", "before", "utility", "columns"}
    assert report.facts.exposure.of == "release"
    assert report.facts.utility is None
    assert report.html.count("--original FILE") >= 4


def test_a_release_of_another_tool():
    frame = people().drop("name")
    banded = frame.with_columns(
        pl.format("{}-{}", pl.col("age") // 20 * 20, pl.col("age") // 20 * 20 + 19).alias("age"),
        pl.lit("*").alias("zip"),
    )
    asked = policy(banded)
    report = incrowd.report(banded, None, asked, original=frame)
    held = Counter(banded.select(QUASI).iter_rows()).values()
    assert report.facts.verdict.ok == (min(held) >= 5)
    assert report.facts.risk.k == min(held)
    assert report.facts.certificate is None
    assert report.facts.alternatives is None
    assert any("no certificate" in said for said in report.facts.limits)
    assert not any("order of records" in said for said in report.facts.limits)
    (zips,) = [one for one in report.facts.columns if one.name == "zip"]
    assert zips.suppressed == frame.height


def test_a_release_that_fails_is_reported_as_failing():
    frame = people().drop("name")
    report = incrowd.report(frame, None, policy(frame), original=frame)
    assert not report.facts.verdict.ok
    assert "does NOT keep its policy" in report.html
    assert "keeps its policy" not in report.html.replace("NOT keep its policy", "")


def test_nothing_left_after_suppression():
    frame = people().drop("name")
    report = incrowd.report(frame.clear(), None, policy(frame), original=frame)
    assert not report.facts.verdict.ok
    assert report.facts.risk is None
    assert "no records" in report.html


def test_one_column():
    frame = people().select("sex")
    asked = incrowd.quick(["sex"], quasi=["sex"], k=5, search="mondrian")
    release = incrowd.anonymize(frame, asked, seed=1)
    report = incrowd.report(release, original=frame)
    assert report.facts.exposure.pairs == ("sex",)
    assert report.facts.diversity == ()
    assert report.facts.verdict.ok


@pytest.mark.slow
def test_three_hundred_columns_fold():
    frame = people(60)
    many = frame.with_columns(pl.lit(i % 7).alias(f"more {i}") for i in range(290))
    asked = policy(many, keep=[f"more {i}" for i in range(290)])
    release = incrowd.anonymize(many, asked, seed=1)
    report = incrowd.report(release, original=many)
    assert len(report.html.encode()) <= 2_000_000
    assert "All 295 columns and their roles" in report.html
    assert report.html.count("<details") > 290


@pytest.mark.slow
def test_many_quasi_identifiers():
    frame = pl.DataFrame({f"q{i}": [j * (i + 1) % 5 for j in range(80)] for i in range(40)})
    asked = incrowd.quick(frame.columns, quasi=frame.columns, k=5, search="mondrian")
    release = incrowd.anonymize(frame, asked, seed=1)
    report = incrowd.report(release, original=frame)
    assert len(report.facts.exposure.pairs) == 16
    assert len(report.facts.exposure.contributions) == 40
    assert "of 40" in report.html


HOSTILE = [
    "</script><script>alert(1)</script>",
    "א" * 40,
    "x" * 3000,
    "{{ 7 * 7 }}",
    "line\nbreak\x1b[2J",
    "<img src=x onerror=alert(1)>",
]


def test_hostile_names_do_nothing():
    rows = {name: [f"v{i % 3}" for i in range(30)] for name in HOSTILE}
    frame = pl.DataFrame(rows)
    asked = incrowd.quick(
        frame.columns, quasi=HOSTILE[:4], sensitive=HOSTILE[4:], k=5, search="lattice"
    )
    release = incrowd.anonymize(frame, asked, seed=1)
    report = incrowd.report(release, original=frame, show_values=True)
    page = re.sub(r"<script>.*?</script>", "", report.html, flags=re.DOTALL)
    assert "alert(1)</script>" not in page
    assert "<img src" not in page
    assert "\x1b" not in page
    assert "{{ 7 * 7 }}" in page
    assert len(report.html.encode()) <= 2_000_000


def test_an_original_without_the_columns_is_refused(made):
    frame, release, _ = made
    with pytest.raises(InputError, match="lacks 1 column of the release: zip"):
        incrowd.report(release, original=frame.drop("zip"))


def test_an_original_that_does_not_fit_is_told(made):
    frame, release, _ = made
    other = frame.with_columns(pl.lit("elsewhere").alias("illness"))
    promised = release.policy, release.certificate
    report = incrowd.report(release.frame, None, *promised, original=other)
    assert not report.facts.verdict.ok
    assert any("original" in note for note in report.facts.verdict.notes)


def test_labels_of_another_table_are_told(made):
    frame, release, _ = made
    strange = release.frame.with_columns(pl.lit("nowhere").alias("zip"))
    report = incrowd.report(strange, None, release.policy, original=frame)
    (zips,) = [one for one in report.facts.columns if one.name == "zip"]
    assert zips.exact is None
    assert report.facts.utility is None or any(
        one.unreadable for one in report.facts.utility.columns if one.name == "zip"
    )


def test_large_tables_are_attacked_by_their_own_rows(made, monkeypatch):
    frame, release, _ = made
    monkeypatch.setattr(report_played, "ATTACKED", 10)
    report = incrowd.report(release, original=frame)
    assert any("released rows alone" in note for note in report.facts.attacks.notes)
    assert "released rows alone" in report.html


def test_large_tables_are_compared_by_samples(made, monkeypatch):
    frame, release, _ = made
    monkeypatch.setattr(report_played, "COMPARED", 50)
    utility = incrowd.report(release, original=frame).facts.utility
    assert utility.notes[0] == "Compared are samples of 50 records of each table."
    assert utility.losses == release.certificate.loss
    assert utility.risk is None


def test_pictures_name_values_only_if_asked(made):
    frame, release, report = made
    shown = incrowd.report(release, original=frame, show_values=True)
    assert "illness 3" not in report.html
    assert "illness 3" in shown.html
    assert "person 1" not in shown.html


def test_the_page_is_written_as_a_whole_or_not_at_all(made, tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("the report of yesterday")
    monkeypatch.setattr(
        "incrowd.io.files.write_bytes", lambda *_: (_ for _ in ()).throw(InputError("no room"))
    )
    with pytest.raises(InputError):
        write_report(made[2], target)
    assert target.read_text() == "the report of yesterday"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("target", ["-", "nowhere/report.html"])
def test_targets_that_cannot_be(made, target):
    with pytest.raises((PolicyError, InputError)):
        incrowd.report(made[1], target)


def test_the_release_is_not_overwritten(tmp_path):
    people().write_csv(tmp_path / "people.csv")
    with pytest.raises(PolicyError, match="overwrite"):
        incrowd.report(str(tmp_path / "people.csv"), tmp_path / "people.csv", policy(people()))
    assert Path(tmp_path / "people.csv").read_text().startswith("age,")


@given(st.lists(st.integers(0, 30), max_size=12))
def test_no_small_count_is_shown_or_can_be_told(counts):
    found = public_counts(counts)
    assert all(count is None or count == 0 or count >= 5 for count in found)
    hidden = [count for count, one in zip(counts, found, strict=True) if one is None]
    assert len(hidden) != 1 or sum(count > 0 for count in counts) == 1
    assert all(one is None or one == count for count, one in zip(counts, found, strict=True))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_no_share_of_few_records_reaches_the_facts(seed):
    frame = people(60).drop("name").sample(fraction=1.0, shuffle=True, seed=seed)[: 30 + seed % 30]
    report = incrowd.report(frame, None, policy(frame), original=frame)
    facts, n = report.facts, frame.height
    shares = [cell for line in facts.exposure.unique for cell in line]
    shares += [one.alone for one in facts.exposure.contributions]
    shares += [facts.risk.unique_share, facts.risk.above, *facts.sizes.before, *facts.sizes.after]
    shares += [share for one in facts.diversity for share in one.after]
    assert all(s is None or s == 0 or s * n >= 4.99 for s in shares)


def _text(shown):
    console = Console(width=300, record=True, file=io.StringIO())
    console.print(shown)
    return " ".join(console.export_text().split())


def _attack_facts(breaking, others):
    """Attacks that break a limit but gain little, and others that gain much."""
    common = {
        "scenario": "Somebody looks.",
        "column": None,
        "knows": ("age",),
        "success": 0.2,
        "low": 0.1,
        "high": 0.3,
        "baseline": 0.1,
        "trials": 100,
        "bound": False,
    }
    few = [AttackFact(kind=f"quiet-{i}", gain=0.01, breaks=True, **common) for i in range(breaking)]
    many = [AttackFact(kind=f"loud-{i}", gain=0.9, **common) for i in range(others)]
    return AttackFacts(attacks=(*many, *few), broken=breaking, notes=())


def test_every_attack_that_breaks_a_limit_is_drawn_and_drawn_first(made):
    *_, report = made
    for breaking in (1, 8, 20):
        facts = replace(report.facts, attacks=_attack_facts(breaking, others=30))
        section = attacks_section(facts)
        (picture,) = [block.picture for block in section.blocks if isinstance(block, PictureBlock)]
        assert all("breaks a limit" in label for label in picture.labels[:breaking])
        assert sum("breaks a limit" in label for label in picture.labels) == breaking
        shown = " ".join(
            s for b in section.blocks if isinstance(b, Paragraphs) for s in b.sentences
        )
        assert f"{30 + breaking - len(picture.labels)} attacks" in shown


def test_an_attack_that_breaks_a_limit_is_marked_as_such():
    frame = people(40)
    told = frame.with_columns(illness=pl.col("sex"))
    release = incrowd.anonymize(told, policy(told), seed=1)
    found = incrowd.report(release, original=told).facts.attacks
    assert found.broken
    assert any(one.breaks for one in found.attacks)
    assert not any(one.breaks for one in found.attacks if one.kind == "control")


def test_it_says_counted_again_only_of_what_was_counted(tmp_path):
    frame = people(120, name=[f"person {i // 2}" for i in range(120)])
    asked = policy(frame, unit="name")
    made = incrowd.anonymize(frame, asked, tmp_path / "release.csv", seed=1)
    page = incrowd.report(tmp_path / "release.csv", certificate=made.certificate).html
    assert "not recounted" in page
    assert "counted again from the rows" not in page
    assert "The certificate says this" in page
    found = incrowd.check(tmp_path / "release.csv", certificate=made.certificate)
    assert found.ok
    assert not found.counted
    assert "by the word of the certificate" in _text(check_text(found))


def test_prec_is_named_as_what_is_kept():
    frame = people()
    release = incrowd.anonymize(frame, policy(frame, search="lattice", loss="precision"), seed=1)
    text = _text(release_text(release, {}, details=True))
    assert "information loss" not in text
    assert "information kept (precision, 1 = undamaged) most" in text
    assert "precision (kept, higher is better)" in text
    facts = incrowd.report(release, original=frame).facts
    assert facts.alternatives.loss == pytest.approx(1 - release.loss["precision"])

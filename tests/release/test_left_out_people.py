"""What leaves does not tell the sensitive values of people who were left out."""

import json

import numpy as np
import polars as pl
import pytest

import incrowd

DISTANCES = ("equal", "ordered", "hierarchical")
DISEASES = [["flu", "lung"], ["asthma", "lung"], ["ulcer", "gut"], ["colitis", "gut"], ["cut", "*"]]


def _patients(seed, records=120):
    """People of whom some are alone with their ages, and hold values that few or no others do."""
    draw = np.random.default_rng(seed)
    age = np.append(draw.integers(20, 30, records - 4), draw.integers(60, 99, 4))
    level = np.append(draw.integers(0, 4, records - 4), draw.integers(0, 6, 4))
    names = np.array(["flu", "asthma", "ulcer", "colitis", "cut", "rare"])
    order = draw.permutation(records)
    return pl.DataFrame({"age": age[order], "ill": names[level][order], "stage": level[order]})


def _policy(distance, t=0.35, **more):
    column = "stage" if distance == "ordered" else "ill"
    tree = {"name": "tree", "rows": [[*row, "*"] for row in [*DISEASES, ["rare", "*"]]]}
    ill = {"role": "sensitive"} | ({"hierarchy": tree} if distance == "hierarchical" else {})
    return incrowd.Policy.model_validate_json(
        json.dumps(
            {
                "version": 1,
                "suppression": 0.1,
                "columns": {
                    "age": {"role": "quasi", "widest": 6.0},
                    "ill": ill,
                    "stage": {"role": "sensitive"},
                },
                "models": [
                    {"name": "k-anonymity", "k": 4},
                    {"name": "t-closeness", "column": column, "t": t, "distance": distance},
                ],
            }
            | more
        )
    )


COLUMNS = {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}, "stage": {"role": "sensitive"}}


def _values_told(certificate, release):
    """What an attacker learns who subtracts a release from the counts of its certificate."""
    told = []
    for name, spread in certificate["spread"].items():
        shown = release[name].drop_nulls().cast(pl.String)
        labels = sorted(shown.unique().to_list())
        counts = dict(zip(shown.unique(), [0] * shown.n_unique(), strict=True))
        counts |= dict(shown.value_counts().iter_rows())
        people = np.array(spread["people"])
        for label, place in zip(labels, spread["places"], strict=True):
            people[place] -= counts[label]
        people[0] -= release[name].null_count()
        told += [(name, place) for place in np.flatnonzero(people)]
        told += [(name, "a value more")] * (len(people) - 1 - len(labels))
        for level in spread["maps"] or ():
            told += [(name, "a node more")] * (max(level) > len(labels))
    return told


@pytest.mark.slow
@pytest.mark.parametrize("distance", DISTANCES)
def test_a_certificate_minus_its_release_tells_nothing(distance):
    left_out = 0
    for seed in range(6):
        made = incrowd.anonymize(_patients(seed), _policy(distance), seed=seed)
        left_out += made.certificate.suppressed.records
        assert not _values_told(json.loads(made.certificate.to_json()), made.frame)
    assert left_out > 12


@pytest.mark.slow
@pytest.mark.parametrize("distance", DISTANCES)
def test_the_release_alone_gives_the_distance_that_its_certificate_says(distance):
    """So the figure itself says nothing of those who were left out."""
    for seed in range(3):
        made = incrowd.anonymize(_patients(seed), _policy(distance), seed=seed)
        found = incrowd.check(made.frame, _policy(distance))
        assert found.ok, found.notes
        assert found.models[1].reached == pytest.approx(made.models[1].reached, abs=1e-12)
        assert incrowd.check(made.frame, certificate=made.certificate).ok


@pytest.mark.parametrize("t", [0.0, 0.05, 0.15])
def test_releases_are_close_to_themselves_however_small_t_is(t):
    for seed in range(4):
        policy = _policy("equal", t, columns=COLUMNS)
        made = incrowd.anonymize(_patients(seed), policy, seed=seed)
        assert made.models[1].reached <= t + 1e-9


def _with_outlier(income, seed):
    """Incomes of people in a crowd, and of one who is far above them and is left out."""
    draw = np.random.default_rng(seed)
    return pl.DataFrame({"income": np.append(draw.integers(20, 60, 99), income)})


OUTLIER = incrowd.Policy.model_validate(
    {
        "columns": {"income": {"role": "quasi", "widest": 30.0}},
        "models": [{"name": "k-anonymity", "k": 4}],
        "suppression": 0.05,
    }
)


@pytest.mark.slow
def test_losses_do_not_tell_how_far_an_outlier_was(tmp_path):
    """Whoever solved an exact loss for the range of the column would know the income."""
    alike = 0
    for seed in range(5):
        made = {}
        for income in (400, 404):
            table, target = tmp_path / f"{income}.csv", tmp_path / f"release{income}.csv"
            _with_outlier(income, seed).write_csv(table)
            made[income] = incrowd.anonymize(table, OUTLIER, target, seed=seed)
            assert made[income].suppressed == 1
            found = incrowd.check(target, OUTLIER, made[income].certificate, original=table)
            assert found.ok, found.notes
            assert "loss.gcp" in found.recounted
        one, other = made.values()
        if one.frame.equals(other.frame):
            alike += 1
            left = [made.certificate.model_dump(exclude={"created"}) for made in (one, other)]
            assert left[0] == left[1]
            assert one.loss["gcp"] != other.loss["gcp"]
    assert alike > 2


def test_a_changed_loss_is_still_found_out(tmp_path):
    table, target = tmp_path / "table.csv", tmp_path / "release.csv"
    _with_outlier(400, 1).write_csv(table)
    made = incrowd.anonymize(table, OUTLIER, target, seed=1)
    said = made.certificate.loss
    for gcp, ok in ((said["gcp"], True), (made.loss["gcp"], True), (said["gcp"] + 0.01, False)):
        changed = made.certificate.model_copy(update={"loss": said | {"gcp": gcp}})
        found = incrowd.check(target, OUTLIER, changed, original=table)
        assert found.ok is ok, found.notes


def test_without_people_left_out_losses_keep_all_digits():
    frame = _with_outlier(45, 2)
    made = incrowd.anonymize(frame, OUTLIER, seed=2)
    assert made.suppressed == 0
    assert made.certificate.loss == made.loss


@pytest.mark.parametrize("search", ["auto", "lattice"])
def test_a_report_does_not_tell_how_far_an_outlier_was(search):
    alike = 0
    asked = OUTLIER
    if search == "lattice":
        steps = {"hierarchy": {"name": "intervals", "width": 10}, "highest": 2}
        income = {"income": {"role": "quasi", **steps}}
        asked = asked.model_validate(
            {"columns": income, "models": asked.models, "suppression": 0.05, "search": "lattice"}
        )
    for seed in range(2):
        tables = [_with_outlier(income, seed) for income in (400, 404)]
        made = [incrowd.anonymize(table, asked, seed=seed) for table in tables]
        assert [one.suppressed for one in made] == [1, 1]
        if made[0].frame.equals(made[1].frame):
            alike += 1
            pages = []
            for one, table in zip(made, tables, strict=True):
                report = incrowd.report(one, original=table)
                page = report.html.replace(one.certificate.created, "")
                pages.append(page.replace(report.facts.made, ""))
            assert pages[0] == pages[1]
    assert alike

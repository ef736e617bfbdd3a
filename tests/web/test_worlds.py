"""Worlds on the page: figures as counted by hand and as released, and the same bytes everywhere."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

import incrowd
from incrowd.errors import InfeasibleError, InputError, PolicyError
from incrowd.policy.policy import Policy
from incrowd.requests.reading import ReadingOptions
from incrowd.search import AgainstWorld
from incrowd.web import edits, jobs, same_as
from incrowd.web.jobs import TableFile, WorldFiles
from incrowd.web.session import PageSession
from incrowd.web.work import releases, tables, what_if, worlds
from incrowd.web.work.state import WorkerState
from page_levels import at_levels

TOML = """
version = 1

[[models]]
name = "{name}"
{setting}

[columns]
age = {{ role = "quasi", hierarchy = {{ name = "intervals", widths = [10, 30] }} }}
sex = {{ role = "quasi" }}
illness = {{ role = "sensitive" }}
"""


def tell(what, share, value=None):
    assert isinstance(what, str)
    assert 0 <= share <= 1
    assert value is None or value.name


def policy(name="k-map", setting="k = 4"):
    return TOML.format(name=name, setting=setting)


def register():
    """Everybody of a town: three people for every age and sex, and who they are."""
    rows = [(age, sex) for age in range(20, 50) for sex in "FM" for _ in range(3)]
    ages, sexes = zip(*rows, strict=True)
    return pl.DataFrame({"person": range(len(rows)), "age": ages, "sex": sexes})


@pytest.fixture
def table(tmp_path):
    """One man and one woman of every second age."""
    rows = [(age, sex, "abc"[age % 3]) for age in range(20, 50, 2) for sex in "FM"]
    frame = pl.DataFrame(rows, schema=["age", "sex", "illness"], orient="row")
    frame.write_csv(tmp_path / "people.csv")
    register().write_csv(tmp_path / "register.csv")
    return TableFile(str(tmp_path / "people.csv"), folder=str(tmp_path))


@pytest.fixture
def world(table):
    return WorldFiles((str(Path(table.folder) / "register.csv"),))


def fitting(shown):
    """How many people of the register fit each released line, with plain loops."""
    people = register()
    found = []
    for age, sex in shown.select("age", "sex").iter_rows():
        low, high = ends(age)
        found.append(
            sum(
                low <= a <= high and sex in {s, "*"}
                for a, s in people.select("age", "sex").iter_rows()
            )
        )
    return found


def ends(label):
    """The ages that a label stands for."""
    text = str(label)
    if text == "*":
        return 0, 200
    if text[0] != "[":
        return int(text), int(text)
    low, high = map(int, text[1:-1].split(","))
    return low, high - (text[-1] == ")")


def test_levels_by_hand_fit_as_many_people_of_the_world_as_counted(table, world):
    """Ten ages of three people each: 30 of one sex fit a line, and 5 of them are in the table."""
    found = at_levels(table, policy(), {"age": 1, "sex": 0}, world)
    assert found.world.people == 30
    assert found.world.highest == pytest.approx(1 / 30)
    assert found.world.presence == pytest.approx(5 / 30)
    assert (found.after.k, found.allowed, found.suppressed) == (5, True, 0)


@pytest.mark.parametrize(("k", "left_out"), [(3, 0), (4, 30)])
def test_a_line_that_fits_too_few_people_is_left_out(table, world, k, left_out):
    """Every record is alone in the table, and three people of the world have its values."""
    found = at_levels(table, policy(setting=f"k = {k}"), {"age": 0, "sex": 0}, world)
    assert found.suppressed == left_out
    assert found.allowed == (left_out == 0)
    assert found.before.k == 1


def test_what_may_not_leave_says_why(monkeypatch):
    """Too many records left out and overlaps are different reasons, and each is said as itself."""

    def reason(classes, left_out, overlap=False):
        monkeypatch.setattr(what_if, "overlaps_betray", lambda *_: overlap)
        outcome = SimpleNamespace(classes=range(classes), suppressed=left_out)
        return what_if._why_refused(SimpleNamespace(suppressible=2), outcome)

    assert reason(3, 2) is None
    assert reason(0, 2) == "no record is left"
    assert reason(3, 3) == "more records are left out than the policy allows"
    assert reason(3, 2, overlap=True).startswith("overlapping classes")


def test_a_quick_answer_keeps_the_model_and_a_search_is_the_release(table, world):
    state, text = WorkerState(), policy()
    quick = what_if.answer_quickly(state, jobs.AskWhatIf(table, text, world=world), tell)
    full = what_if.search_policy(state, jobs.SearchPolicy(table, text, world), tell)
    release = incrowd.anonymize(table.source, Policy.loads(text), **world.verb_arguments)
    assert quick.quick
    assert "world" in quick.how
    assert quick.world.people >= 4
    assert quick.allowed
    assert full.loss == pytest.approx(release.loss["gcp"])
    assert full.loss <= quick.loss + 1e-12
    assert full.world.people == release.models[0].reached == min(fitting(release.frame))
    assert full.world.instead
    assert full.risk == full.world.highest < full.after.highest


def test_delta_presence_is_answered_too(table, world):
    text = policy("delta-presence", "delta = 0.2")
    state = WorkerState()
    quick = what_if.answer_quickly(state, jobs.AskWhatIf(table, text, world=world), tell)
    full = what_if.search_policy(state, jobs.SearchPolicy(table, text, world), tell)
    release = incrowd.anonymize(table.source, Policy.loads(text), **world.verb_arguments)
    assert quick.world.presence <= 0.2
    assert full.world.presence == pytest.approx(release.models[0].reached)
    assert full.risk == full.after.highest


def test_a_world_that_no_model_counts_changes_nothing(table, world):
    text = policy("k-anonymity", "k = 4")
    with_it, without = (
        what_if.search_policy(WorkerState(), jobs.SearchPolicy(table, text, one), tell)
        for one in (world, WorldFiles())
    )
    assert with_it.world is None
    assert (with_it.loss, with_it.after) == (without.loss, without.after)
    release = incrowd.anonymize(table.source, Policy.loads(text), **world.verb_arguments)
    assert with_it.loss == pytest.approx(release.loss["gcp"])


def test_a_world_model_without_a_world_is_an_error_with_a_remedy(table):
    with pytest.raises(PolicyError, match="people of a world") as error:
        what_if.answer_quickly(WorkerState(), jobs.AskWhatIf(table, policy()), tell)
    assert "--world" in error.value.remedy


def test_a_world_of_too_few_people_is_proved_to_be_no_way(table, world):
    with pytest.raises(InfeasibleError) as error:
        what_if.answer_quickly(
            WorkerState(), jobs.AskWhatIf(table, policy(setting="k = 181"), world=world), tell
        )
    assert error.value.proved


def test_a_search_without_time_says_so(table, world, monkeypatch):
    monkeypatch.setattr(what_if, "QUICK", 0.0)
    monkeypatch.setattr(what_if, "BUDGET", 0.0)

    def nothing(*_):
        raise InfeasibleError("nothing found", proved=False)

    monkeypatch.setattr(AgainstWorld, "run", nothing)
    found = what_if.answer_quickly(
        WorkerState(), jobs.AskWhatIf(table, policy(), world=world), tell
    )
    assert found.why == "the table is too large for a quick answer"


def test_methods_that_know_no_world_say_why(table, world):
    job = jobs.Explore(
        table, policy(), world, searches=("auto", "crowd"), ks=(3,), suppressions=(0.0,)
    )
    ours, other = what_if.explore(WorkerState(), job, tell)
    assert ours.answer.world.people >= 3
    assert edits.models(ours.policy) == [{"name": "k-map", "k": 3}]
    assert other.answer is None
    assert "does not use the people of a world" in other.why


def test_a_changed_world_is_read_again(table, world):
    state, levels = WorkerState(), {"age": 3, "sex": 1}
    assert at_levels(table, policy(), levels, world, state).world.people == 180
    path = Path(world.files[0])
    register().head(120).write_csv(path)
    os.utime(path, ns=(1, 1))
    assert at_levels(table, policy(), levels, world, state).world.people == 120


def test_a_look_at_a_world_says_whom_it_holds(table, tmp_path):
    register().rename({"age": "years"}).drop("person").write_csv(tmp_path / "other.csv")
    other = WorldFiles((str(tmp_path / "other.csv"),))
    state = WorkerState()
    found = worlds.look_at_world(state, jobs.LookAtWorld(table, policy(), other), tell)
    assert (found.people, found.shared, found.lacking) == (180, ("sex",), ("age",))
    named = WorldFiles(other.files, rename=(("age", "years"),))
    found = worlds.look_at_world(state, jobs.LookAtWorld(table, policy(), named), tell)
    assert (found.shared, found.lacking) == (("age", "sex"), ())
    assert worlds.list_columns(state, jobs.ListWorldColumns(policy(), other.files), tell) == (
        ("years", "sex"),
    )


def test_wrong_worlds_are_refused_in_the_librarys_words(table, world, tmp_path):
    pl.DataFrame({"colour": ["red"]}).write_csv(tmp_path / "strange.csv")

    def look(files, world_id=None):
        return worlds.look_at_world(
            WorkerState(), jobs.LookAtWorld(table, policy(), WorldFiles(files, world_id)), tell
        )

    with pytest.raises(InputError, match="none of the quasi-identifying columns"):
        look((str(tmp_path / "strange.csv"),))
    with pytest.raises(PolicyError, match="need an id column"):
        look((*world.files, *world.files))
    with pytest.raises(PolicyError, match="has no column 'nobody'"):
        look(world.files, "nobody")
    with pytest.raises(InputError, match="does not exist"):
        look((str(tmp_path / "none.csv"),))


def test_several_tables_of_a_world_are_joined_by_their_people(table, tmp_path):
    people = register()
    people.select("person", "age").write_csv(tmp_path / "ages.csv")
    people.select("person", "sex").write_csv(tmp_path / "sexes.csv")
    parts = WorldFiles((str(tmp_path / "ages.csv"), str(tmp_path / "sexes.csv")), "person")
    assert at_levels(table, policy(), {"age": 1, "sex": 0}, parts).world.people == 30


@pytest.mark.slow
def test_a_release_is_made_checked_attacked_and_reported_with_its_world(table, world, tmp_path):
    state, target = WorkerState(), str(tmp_path / "release.csv")
    report = str(tmp_path / "report.html")
    job = jobs.MakeRelease(
        table=table, policy=policy(), target=target, seed=7, report=report, world=world
    )
    made = releases.make_release(state, job, tell)
    assert [(one.name, one.ok) for one in made.verdicts] == [("k-map", True)]
    shown = pl.read_csv(target, infer_schema=False)
    assert made.verdicts[0].reached == min(fitting(shown))
    assert f"--world {Path(world.files[0]).name}" in Path(report).read_text(encoding="utf-8")
    check = jobs.CheckRelease(release=target, certificate=made.certificate, world=world)
    assert releases.check_release(state, check, tell).ok
    attack = jobs.AttackRelease(release=target, table=table, policy=policy(), world=world)
    assert "world" in releases.attack_release(state, attack, tell).html


def test_a_release_never_takes_the_place_of_the_world(table, world):
    before = Path(world.files[0]).read_bytes()
    job = jobs.MakeRelease(table=table, policy=policy(), target=world.files[0], seed=7, world=world)
    with pytest.raises(PolicyError, match="would be overwritten"):
        releases.make_release(WorkerState(), job, tell)
    assert Path(world.files[0]).read_bytes() == before


def test_models_of_a_world_are_checked_without_their_world(table):
    """Somebody may still choose one: until then the policy is not refused."""
    tables.check_policy(WorkerState(), jobs.CheckPolicy(table, policy()), tell)


# What the session and "Same as" do with it


@pytest.fixture
def session(table, tmp_path):
    """A world that has another name for a column, and several rows for nobody."""
    register().rename({"age": "years"}).write_csv(tmp_path / "the town's register.csv")
    found = PageSession(tmp_path)
    found.open(table.source)
    file = str(tmp_path / "the town's register.csv")
    found.change(policy(), WorldFiles((file,), "person", (("age", "years"),)))
    return found


@pytest.mark.slow
def test_the_page_the_command_and_python_write_the_same_bytes(session, tmp_path, monkeypatch):
    session.report = str(tmp_path / "report.html")
    folder = tmp_path / "unpacked"
    folder.mkdir()
    for name, text in same_as.files_by_name(session).items():
        (folder / name).write_text(text, encoding="utf-8")
    releases.make_release(WorkerState(), session.release_job(), tell)
    ours = _taken(session)
    found = {**os.environ, "PATH": os.pathsep.join([sys.exec_prefix + "/bin", os.environ["PATH"]])}
    told = {"capture_output": True, "text": True}
    done = subprocess.run(["sh", "command.sh"], check=False, cwd=folder, env=found, **told)
    assert done.returncode == 0, done.stderr
    assert _taken(session) == ours
    monkeypatch.chdir(folder)
    runpy.run_path("session.py", run_name="__main__")
    assert _taken(session) == ours


def _taken(session):
    target = Path(session.target)
    paper = Path(f"{target}.certificate.json")
    certificate = json.loads(paper.read_text())
    rows = target.read_bytes()
    for path in (target, paper, Path(session.report)):
        path.unlink()
    return rows, {key: certificate[key] for key in ("digest", "loss", "policy", "world")}


def test_the_command_and_python_name_the_world(session):
    (file,) = session.world.files
    command = same_as.shell_command(session)
    assert "--world-id person --rename age=years" in command
    assert "register.csv' --world-id" in command
    text = same_as.python_program(session)
    compile(text, "session.py", "exec")
    assert f"world=[{json.dumps(file)}]" in text
    assert 'rename={"age": "years"}' in text
    assert file in same_as.files_by_name(session)["README.txt"]


def test_a_world_is_undone_with_its_models_and_forgotten_with_its_table(session, tmp_path):
    world, text = session.world, session.policy
    session.change(edits.without_world(text), WorldFiles())
    assert edits.models(session.policy) == [{"name": "k-anonymity", "k": 4}]
    session.undo()
    assert (session.policy, session.world) == (text, world)
    session.redo()
    assert not session.world.files
    session.undo()
    session.open(session.source, ReadingOptions(delimiter=","))
    assert session.world == world
    session.open(tmp_path / "other.csv")
    assert not session.world.files


def test_the_page_swaps_k_for_the_model_that_the_library_names():
    anonymous = Policy.loads(policy("k-anonymity", "k = 4")).models[0]
    assert (anonymous.name, anonymous.as_world_model().name) == (edits.OF_TABLE, edits.OF_WORLD)


def test_k_counts_the_table_or_the_world():
    text = policy()
    assert (edits.k_model(text), edits.k_of(text)) == ("k-map", 4)
    assert edits.models(edits.with_k(text, 9)) == [{"name": "k-map", "k": 9}]
    swapped = edits.with_k_model(text, "k-anonymity")
    assert edits.models(swapped) == [{"name": "k-anonymity", "k": 4}]
    both = edits.with_model(swapped, {"name": "k-map", "k": 7})
    assert edits.k_model(both) == "k-anonymity"
    assert edits.models(edits.without_world(both)) == edits.models(swapped)
    assert edits.models(edits.with_k_model(both, "k-map")) == [{"name": "k-map", "k": 4}]
    shares = policy("delta-presence", "delta = 0.5")
    assert edits.models(edits.without_world(shares)) == [{"name": "k-anonymity", "k": 5}]

"""A draft as a conversation: answers change it as an edited file would be."""

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import incrowd
from incrowd.cli.ask import ask_about_columns
from incrowd.cli.main import app
from incrowd.errors import PolicyError
from incrowd.policy import codec
from incrowd.policy.draft import to_toml
from incrowd.policy.draft_answers import ColumnAnswer, apply_answers
from incrowd.table.column import Role
from survey_table import survey


@pytest.fixture(scope="module")
def drafted():
    return incrowd.draft(survey(800).select("age", "sex", "hh_inc", "smoke", "wgt", "edu"))


def talk(drafted, *answers):
    said, left = [], list(answers)
    found = ask_about_columns(
        drafted, said.append, lambda: left.pop(0) if left else None, lambda name: f"{name}!"
    )
    return found, "".join(said)


def test_enter_takes_the_draft(drafted):
    found, _ = talk(drafted, *[""] * 20)
    assert apply_answers(drafted, found).policy == drafted.policy


def test_answers_are_roles_by_their_first_letters(drafted):
    found, _ = talk(drafted, "", "keep", "s", "", "qu", *[""] * 9)
    policy = apply_answers(drafted, found).policy
    assert policy.role("sex") is Role.KEEP
    assert policy.role("smoke") is Role.QUASI
    assert not any("smoke" in model.columns for model in policy.models)


def test_a_question_mark_explains_and_nonsense_is_asked_again(drafted):
    found, said = talk(drafted, "?", "purple", "drop", *[""] * 9)
    assert "age!" in said
    assert "no role" in said
    assert found["age"].role is Role.DROP


@pytest.mark.parametrize("stop", [["q"], ["", "quit"], []])
def test_whoever_stops_gets_nothing(drafted, stop):
    assert talk(drafted, *stop)[0] is None


def test_marks_may_be_refused(drafted):
    kept = apply_answers(drafted, {"hh_inc": ColumnAnswer(Role.SENSITIVE, reads_missing=False)})
    assert drafted.policy.columns["hh_inc"].missing_values == ("-8",)
    assert kept.policy.columns["hh_inc"].missing_values == ()


def test_the_result_is_that_of_a_file_edited_by_hand(drafted):
    changed = apply_answers(
        drafted, {"smoke": ColumnAnswer(Role.DROP), "age": ColumnAnswer(Role.QUASI)}
    )
    place = ("columns", "smoke")
    number = [m.columns for m in drafted.policy.models].index(("smoke",))
    by_hand = codec.edit(to_toml(drafted), {place: {"role": "drop"}, ("models", number): None})
    assert codec.loads(by_hand) == changed.policy


def test_it_works_through_a_pipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    survey(400).select("age", "sex", "smoke").write_csv("people.csv")
    runner = CliRunner()
    args = ["init", "people.csv", "--ask", "-o", "policy.toml"]
    assert runner.invoke(app, args, input="\ndrop\n\n").exit_code == 0
    assert incrowd.read_policy("policy.toml").role("sex") is Role.DROP
    Path("policy.toml").unlink()
    assert runner.invoke(app, args, input="\nq\n").exit_code == 0
    assert not Path("policy.toml").exists()


def test_a_column_is_explained(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    survey(400).select("age", "hh_inc", "smoke").write_csv("people.csv")
    said = CliRunner().invoke(app, ["init", "people.csv", "--explain", "hh_inc"])
    assert "financial information" in said.output
    assert "seems to mean missing" in said.output
    wrong = CliRunner().invoke(app, ["init", "people.csv", "--explain", "hhinc"])
    assert isinstance(wrong.exception, PolicyError)


def test_a_frame_of_labels_is_read():
    frame = pl.DataFrame({"v1": [1, 2, 8] * 20, "v2": list(range(20, 50)) * 2})
    found = incrowd.draft(
        frame, labels={"v1": "Smokes", "v2": "Age"}, value_labels={"v1": {"8": "Refused"}}
    )
    assert found.policy.role("v1") is Role.SENSITIVE
    assert found.policy.columns["v1"].missing_values == ("8",)
    assert found.policy.role("v2") is Role.QUASI

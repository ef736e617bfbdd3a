"""Changes that pages make to a policy file, and the pictures that answer to a click."""

import xml.etree.ElementTree as ET

import pytest

from incrowd.errors import PolicyError
from incrowd.policy.policy import Policy
from incrowd.web import edits
from incrowd.web.pages import drawings
from incrowd.web.pages.drawings import Spot

TEXT = """\
version = 1
suppression = 0.0 # nobody

[[models]]
name = "k-anonymity"
k = 5

[[models]]
name = "l-diversity"
column = "diagnosis"
l = 2

[columns.age]
# a reason
role = "quasi"
hierarchy = "intervals"

[columns.zip]
role = "quasi"

[columns.diagnosis]
role = "sensitive"
"""


def test_k_is_changed_in_place_and_added_if_it_lacks():
    assert edits.k_of(edits.with_k(TEXT, 9)) == 9
    without = edits.without_model(TEXT, 0)
    assert edits.k_of(without) is None
    assert edits.k_of(edits.with_k(without, 7)) == 7


def test_the_last_model_stays():
    one = edits.without_model(TEXT, 0)
    with pytest.raises(PolicyError, match="needs a model"):
        edits.without_model(one, 0)


@pytest.mark.parametrize("role", ["keep", "drop", "identifier", "quasi", "sensitive", "unit"])
@pytest.mark.parametrize("column", ["age", "zip", "diagnosis"])
def test_a_role_takes_its_models_and_settings_with_it(column, role):
    text = edits.with_role(TEXT, column, role)
    policy = Policy.loads(text)
    assert policy.columns[column].role == role
    protected = {name for model in policy.models for name in model.columns}
    assert protected == set(policy.sensitive)
    assert "# nobody" in text
    assert "# a reason" in text


def test_models_of_one_kind_and_column_replace_each_other():
    text = edits.with_model(TEXT, {"name": "l-diversity", "column": "diagnosis", "l": 3})
    assert [model.get("l") for model in edits.models(text)] == [None, 3]


def test_cuts_come_and_go():
    cuts = edits.with_cut_toggled(edits.with_cut_toggled([], 40.0), 20.0)
    assert cuts == [20, 40]
    text = edits.with_column(TEXT, "age", {"hierarchy": {"name": "intervals", "cuts": cuts}})
    assert edits.cuts_of(text, "age") == [20, 40]
    assert Policy.loads(text).columns["age"].hierarchy.cuts == (20, 40)
    assert edits.with_cut_toggled(cuts, 20.0) == [40]


def test_pictures_are_well_formed_whatever_names_hold():
    name = "<script>alert(1)</script>\"'&"
    spots = [Spot(name, 0.5, 0.1, n, chosen=n == 1, pinned=n == 2) for n in range(5)]
    root = ET.fromstring(drawings.plane_svg(spots))
    assert not [part for part in root.iter() if part.tag.endswith("script")]
    points = [part for part in root.iter() if part.get("data-n")]
    assert sorted(int(part.get("data-n")) for part in points) == list(range(5))
    assert {part.get("aria-label") for part in points} == {name}


def test_a_withheld_count_is_no_bar():
    root = ET.fromstring(drawings.histogram_svg([0, 10, 20], [7, None, 9], [10]))
    kinds = [part.get("class") for part in root.iter() if part.tag.endswith("rect")]
    assert kinds.count("bin") == 2
    assert kinds.count("few") == 1
    assert [part.get("aria-pressed") for part in root.iter() if part.get("data-n")] == [
        "false",
        "true",
        "false",
    ]

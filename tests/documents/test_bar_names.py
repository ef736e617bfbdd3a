"""Bars of categories are called by their ranks; only what comes last may keep its name."""

import pytest

from incrowd.documents.bar_names import bar_names


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["missing", "other values", "missing"], ["value 1", "other values", "missing"]),
        (["flu", "missing", "other values"], ["value 1", "value 2", "other values"]),
        (["flu", "missing", "missing"], ["value 1", "value 2", "missing"]),
        (["other values", "other values"], ["value 1", "other values"]),
        (["other values", "flu", "missing"], ["value 1", "value 2", "missing"]),
        (["missing", "other values", "flu"], ["value 1", "value 2", "value 3"]),
        (["missing"], ["missing"]),
        (["other values"], ["other values"]),
        ([], []),
    ],
)
def test_a_category_called_like_a_bar_is_not_named(labels, names):
    assert list(bar_names(labels, "category", values=False)) == names
    assert list(bar_names(labels, "category", values=True)) == labels

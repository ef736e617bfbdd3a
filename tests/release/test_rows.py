"""From what a search found to what becomes of each record."""

import polars as pl

import incrowd


def test_a_value_that_its_cell_hides_is_not_shown_as_it_is():
    """A column of one value that fewer than k hold: its only cell has no end."""
    frame = pl.DataFrame({"a": [7, 7, 7], "d": [None, 20.25, None]})
    policy = incrowd.Policy(
        columns={name: incrowd.Column(role="quasi") for name in "ad"},
        models=(incrowd.KAnonymity(2),),
        search=incrowd.search.Cuts(),
        missing="matches-anything",
        suppression=0.5,
    )
    release = incrowd.anonymize(frame, policy)
    assert "20.25" not in release.frame["d"].cast(pl.String).drop_nulls().to_list()
    assert incrowd.check(release.frame, policy, release.certificate, original=frame).ok

"""The quick estimate of what columns cost, against its definition written out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from incrowd.policy.draft_models import K, choose_models
from incrowd.policy.joint import column_costs, mean_spans


def slow_spans(rows):
    """The same cuts, on lists of rows."""
    columns = range(len(rows[0]))
    wide = [max(r[j] for r in rows) - min(r[j] for r in rows) for j in columns]
    if len(rows) >= 2 * K:
        for j in sorted(columns, key=lambda j: (-wide[j], j)):
            middle = float(np.median([r[j] for r in rows]))
            for low in ([r for r in rows if r[j] < middle], [r for r in rows if r[j] <= middle]):
                if wide[j] > 0 and K <= len(low) <= len(rows) - K:
                    high = [r for r in rows if r not in low]
                    return slow_spans(low) + slow_spans(high)
    return np.array([w * len(rows) for w in wide])


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=60
    )
)
def test_spans_are_those_of_the_definition(rows):
    places = np.array(rows, dtype=np.float64) / 4
    expected = slow_spans([tuple(row) for row in places.tolist()]) / len(rows)
    assert np.allclose(mean_spans(places), expected)


def test_a_column_of_nothing_costs_nothing():
    rng = np.random.default_rng(1)
    places = np.column_stack([rng.random(200), rng.random(200), np.zeros(200)])
    found = {cost.column: cost for cost in column_costs(places, ["a", "b", "none"])}
    assert found["none"].gain == 0.0
    assert min(found["a"].gain, found["b"].gain) > found["none"].gain


def test_without_sensitive_columns_k_is_all():
    models, unasked = choose_models([], {}, None)
    assert [model.name for model in models] == ["k-anonymity"]
    assert unasked == {}

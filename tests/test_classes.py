import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive.classes
from incrowd.classes import classes_of
from strategies import problem_of, tables


@given(tables(sensitive=2, units=True), st.data())
def test_classes_agree_with_the_naive_twin(table, data):
    _, quasi, values, unit = table
    problem = problem_of(table, [], None)
    rows = problem.tally.rows
    class_of = np.array(
        data.draw(st.lists(st.integers(-1, 3), min_size=rows, max_size=rows)), dtype=np.int32
    )
    people = list(range(len(quasi[0]))) if unit is None else unit
    slow = naive.classes.classes(class_of[problem.tally.row_of].tolist(), people, values)

    fast = classes_of(problem.tally, class_of, 4, problem.sensitive)

    for c in range(4):
        expected = slow.get(c, {"records": 0, "people": set(), "values": {}})
        assert fast.records[c] == expected["records"]
        assert fast.people[c] == len(expected["people"])
        for j in range(2):
            histogram = fast.histograms[f"s{j}"]
            here = slice(histogram.start[c], histogram.start[c + 1])
            found = dict(
                zip(histogram.code[here].tolist(), histogram.count[here].tolist(), strict=True)
            )
            assert found == {v: len(p) for (i, v), p in expected["values"].items() if i == j}

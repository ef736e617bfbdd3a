"""Queries as text: what is read, and where errors are said to be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.io.files import read_workload
from incrowd.loss.queries_workload import Condition, Query, parse


def test_a_query_with_everything():
    text = '\n# by age\nCOUNT WHERE age BETWEEN 20 AND 30.5 AND sex = \'F\' GROUP BY zip, "a ""b"\n'
    (query,) = parse(text).queries
    assert query == Query(
        (Condition("age", "between", (20.0, 30.5), 13), Condition("sex", "=", ("F",), 41)),
        ("zip", 'a "b'),
        3,
    )


@pytest.mark.parametrize(
    ("text", "relation", "values"),
    [
        ("age >= -3", ">=", (-3.0,)),
        ("age<1e3", "<", (1000.0,)),
        ("town IN ('it''s', 'B')", "in", ("it's", "B")),
        ("town is missing", "missing", ()),
        ("work-class = ''", "=", ("",)),
    ],
)
def test_conditions(text, relation, values):
    (query,) = parse(f"count where {text}  # why").queries
    (condition,) = query.where
    assert (condition.relation, condition.values, condition.place) == (relation, values, 13)


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("SELECT", 1, "here should be COUNT"),
        ("COUNT sex", 7, "WHERE or GROUP BY"),
        ("COUNT WHERE", 12, "the name of a column"),
        ("COUNT WHERE age 5", 17, "BETWEEN, IN, IS MISSING or one of"),
        ("COUNT WHERE age BETWEEN 1 OR 2", 27, "here should be AND"),
        ("COUNT WHERE age = secret", 19, "a number, or a value in single quotes"),
        ("COUNT WHERE age = 'secret", 19, "a quote that does not end"),
        ("COUNT WHERE age = 12secret", 19, "no part of a query"),
        ("COUNT WHERE age IN ('secret'", 29, "here should be )"),
        ("COUNT WHERE age = 'secret' OR sex = 'F'", 28, "AND, GROUP BY or the end"),
        ("COUNT GROUP BY age sex", 20, "a comma or the end of the line"),
        ("COUNT GROUP BY age, age", 21, "grouped by already"),
        ("COUNT GROUP age", 13, "here should be BY"),
        ("COUNT ; DROP", 7, "no part of a query"),
    ],
)
def test_errors_say_line_and_column_and_no_value(text, place, said):
    with pytest.raises(InputError) as caught:
        parse(f"COUNT\n{text}", "mine.txt")
    assert caught.value.message.startswith(f"mine.txt, line 2, column {place}: ")
    assert said in caught.value.message
    assert "secret" not in str(caught.value)


def test_a_text_without_queries_is_refused():
    with pytest.raises(InputError, match="holds no query"):
        parse("# nothing\n\n")


def test_conditions_do_not_show_their_values():
    assert "secret" not in repr(parse("COUNT WHERE town = 'secret'"))


names = st.text(st.characters(blacklist_characters="\n", codec="utf-8"), min_size=1, max_size=6)
values = st.one_of(st.floats(allow_nan=False, allow_infinity=False), names)


def written(value):
    return repr(value) if isinstance(value, float) else "'" + value.replace("'", "''") + "'"


@given(names, st.lists(values, min_size=1, max_size=3), names)
def test_whatever_is_quoted_is_read_back(column, listed, group):
    quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in (column, group)]
    text = f"COUNT WHERE {quoted[0]} IN ({', '.join(map(written, listed))}) GROUP BY {quoted[1]}"
    (query,) = parse(text).queries
    assert query.where[0].column == column
    assert query.where[0].values == tuple(listed)
    assert query.group_by == (group,)


def test_a_workload_is_read_from_a_file(tmp_path):
    path = tmp_path / "queries.txt"
    path.write_bytes("\ufeffCOUNT GROUP BY sex\r\nCOUNT\r\n".encode())
    assert [query.line for query in read_workload(path).queries] == [1, 2]
    path.write_bytes(b"COUNT \xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_workload(path)

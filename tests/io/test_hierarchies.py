import gzip
import re
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.tree
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import (
    Dates,
    File,
    Flat,
    Intervals,
    Ordered,
    Prefix,
    Regions,
    Suggested,
    Tree,
)
from incrowd.hierarchy.hierarchy import texts
from incrowd.io.hierarchies import (
    _find_delimiter,
    find_hierarchy_files,
    parse_option,
    read_tree,
    resolve,
)
from incrowd.models import KAnonymity
from incrowd.policy.codec import dumps
from incrowd.policy.policy import Column, Policy
from incrowd.table.column import Domain, Kind

NONE = Domain(Kind.TEXT, texts([]))
ARX = Path(__file__).parents[2] / "../shared/data/arx/hierarchies"
ROWS = (("a", "x, y", "*"), ("b", "z", "*"))


@pytest.mark.parametrize(
    "content",
    [
        b"a;x, y;*\nb;z;*\n",
        b"a;x, y;*\r\nb;z;*",
        b'a,"x, y",*\nb,z,*\n',
        b"a\tx, y\t*\n\nb\tz\t*\n",
        b"\xef\xbb\xbfa;x, y;*\nb;z;*\n",
    ],
)
def test_files_of_any_make(tmp_path, content):
    plain, packed = tmp_path / "x.csv", tmp_path / "x.csv.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    assert read_tree(plain).rows == ROWS
    assert read_tree(packed).rows == ROWS


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_a_file_may_be_encoded_as_a_table_may(tmp_path, encoding):
    path = tmp_path / "price.csv"
    path.write_bytes("5 €;cheap;*\n500 €;dear;*\n".encode(encoding))
    assert [row[0] for row in read_tree(path).rows] == ["5 €", "500 €"]


def test_a_quote_that_is_not_closed(tmp_path):
    path = tmp_path / "town.csv"
    path.write_text('Bern;"secret;*\nGenf;CH;*\n')
    with pytest.raises(InputError, match="an open quote") as caught:
        read_tree(path)
    assert "secret" not in str(caught.value)


def test_latin_1(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes("Zürich;CH\nGenève;CH\n".encode("latin-1"))
    assert read_tree(path).rows[0] == ("Zürich", "CH")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\r\n", "is empty"),
        (b"canary;x;*\nb;*\nc;*\n", r"2 lines with a different number of fields .* at line 2"),
        (b"a;x;*\n\n;canary;*\n", r"1 line .* empty field .* at line 3"),
        (b"a;;*\n", r"1 line .* empty field .* at line 1"),
        (b"canary;x;*\nb;x;*\ncanary;y;*\n", r"1 line .* second parent .* field 1 .* at line 3"),
        (b"a;canary;p;*\nb;canary;q;*\n", r"1 line .* second parent .* field 2 .* at line 2"),
    ],
)
def test_bad_files_are_refused_by_line_without_values(tmp_path, content, message):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_tree(path)
    assert "canary" not in str(caught.value)


entry = st.sampled_from(["a", "b", "c", "ä", '"x;y"', '""', "", " ", "*", "q"])
line_of = st.lists(entry, min_size=1, max_size=4).map(";".join)
even_line = st.tuples(entry, st.sampled_from(["p", "q"]), st.just("*")).map(";".join)
line_ends = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.one_of(line_of, even_line, even_line), line_ends), max_size=6))
def test_files_are_read_or_refused_as_the_naive_twin_does(tmp_path_factory, lines):
    text = "".join(chain.from_iterable(lines))
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(text.encode())
    expected = naive.tree.read(text, _find_delimiter(text))
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            read_tree(path)
    else:
        tree = read_tree(path, "rest")
        assert tree.rows == expected
        twin = Tree(expected, other="rest")
        assert tree == twin
        found, built = (one.build(NONE, "x") for one in (tree, twin))
        assert found.maps.tolist() == built.maps.tolist()
        assert [*map(list, found.labels)] == [*map(list, built.labels)]
        policies = [
            Policy(columns={"x": Column(role="quasi", hierarchy=one)}, models=(KAnonymity(2),))
            for one in (tree, twin)
        ]
        assert dumps(policies[0]) == dumps(policies[1])


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"hierarchy file .* does not exist"):
        read_tree(tmp_path / "x.csv")
    (tmp_path / "x.csv.gz").write_bytes(b"not compressed")
    with pytest.raises(InputError, match=r"'x.csv.gz' cannot be read"):
        read_tree(tmp_path / "x.csv.gz")


def test_files_are_resolved_from_their_folder(tmp_path):
    (tmp_path / "x.csv").write_text("a;x, y;*\nb;z;*\n")
    assert resolve(File("x.csv", other="rest"), tmp_path) == Tree(ROWS, other="rest")
    assert resolve(Flat(), tmp_path) == Flat()


def test_files_are_found_by_column(tmp_path):
    for name in (
        "adult_age.csv",
        "x_home_age.csv.gz",
        "zip.csv",
        "old_zip.csv",
        "sex.txt",
        "y_a.csv",
    ):
        (tmp_path / name).write_text("a;*\n")
    found = find_hierarchy_files(tmp_path, ["age", "home_age", "zip", "sex", "b"])
    assert {column: path.name for column, path in found.items()} == {
        "age": "adult_age.csv",
        "home_age": "x_home_age.csv.gz",
        "zip": "zip.csv",
    }


def test_doubtful_folders_are_refused(tmp_path):
    for name in ("a_age.csv", "b_age.csv"):
        (tmp_path / name).write_text("a;*\n")
    with pytest.raises(InputError, match="2 files could be the hierarchy of 'age'"):
        find_hierarchy_files(tmp_path, ["age"])
    with pytest.raises(InputError, match="does not exist"):
        find_hierarchy_files(tmp_path / "nowhere", ["age"])


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("x=age.csv", File("age.csv")),
        ("x=folder/age.csv.gz", File("folder/age.csv.gz")),
        ("x=file:ages", File("ages")),
        ("x=prefix", Prefix()),
        ("x=prefix:3,1", Prefix(steps=(3, 1))),
        ("x=intervals", Intervals()),
        ("x=intervals:5", Intervals(width=5)),
        ("x=intervals:5,10", Intervals(widths=(5, 10))),
        ("x=cuts:18,65", Intervals(cuts=(18, 65))),
        ("x=quantiles:8", Intervals(quantiles=8)),
        ("x=dates:month,year", Dates(steps=("month", "year"))),
        ("x=ordered:low,high", Ordered(("low", "high"))),
        ("x=flat", Flat()),
        ("x=regions", Regions()),
        ("x=auto", Suggested()),
    ],
)
def test_options(text, spec):
    assert parse_option(text) == ("x", spec)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("age", "COLUMN=WHAT"),
        ("=prefix", "COLUMN=WHAT"),
        ("age=", "COLUMN=WHAT"),
        ("age=prefx", "did you mean 'prefix'"),
        ("age=zzz", "choose one of auto, codes, cuts"),
        ("age=intervals:five", "must be numbers"),
        ("age=intervals:-5", "'width' must be above 0"),
        ("age=intervals:5,7", "multiple of the one before"),
        ("age=auto:3", "takes no parameters"),
        ("age=dates:week", "cannot be 'dates'"),
    ],
)
def test_bad_options(text, message):
    with pytest.raises(PolicyError, match=message):
        parse_option(text)


@pytest.mark.skipif(not ARX.is_dir(), reason="needs the ARX hierarchies in ../shared/data")
def test_arx_files():
    columns = ["age", "education", "marital-status", "native-country", "occupation", "race"]
    columns += ["salary-class", "sex", "workclass", "AGE", "RAMNTALL"]
    shapes = {}
    for column, path in find_hierarchy_files(ARX, columns).items():
        hierarchy = read_tree(path).build(NONE, column)
        shapes[column] = (len(hierarchy.leaves), hierarchy.levels, hierarchy.ordered)
    assert shapes == {
        "age": (100, 5, True),
        "education": (16, 4, False),
        "marital-status": (7, 3, False),
        "native-country": (41, 3, False),
        "occupation": (14, 3, False),
        "race": (5, 2, False),
        "salary-class": (2, 2, False),
        "sex": (2, 2, False),
        "workclass": (8, 3, False),
        "AGE": (100, 5, True),
        "RAMNTALL": (5676, 5, True),
    }


@pytest.mark.slow
@pytest.mark.skipif(not ARX.is_dir(), reason="needs the ARX hierarchies in ../shared/data")
def test_an_arx_file_of_many_leaves():
    hierarchy = read_tree(ARX / "cup_hierarchy_ZIP.csv.gz").build(NONE, "ZIP")
    assert (len(hierarchy.leaves), hierarchy.levels, hierarchy.ordered) == (100_000, 6, False)


def test_the_guide_lists_options_that_work():
    guide = Path(__file__).parents[2] / "docs/guide/hierarchies.md"
    listed = re.search(r"with its parameters:\n(.*?)\.\n", guide.read_text("utf-8"), re.DOTALL)[1]
    options = re.findall(r"`([^`]+)`", listed)
    assert len(options) >= 13
    for option in options:
        assert parse_option(f"x={option}")[0] == "x"

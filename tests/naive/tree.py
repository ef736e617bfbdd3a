"""Trees as rows of texts: read line by line, checked entry by entry, sorted as Python sorts."""

import csv
import io
from itertools import pairwise


def read(text, delimiter):
    """The rows of a hierarchy file, or what is wrong with it and the first line where it is so."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lines = [(reader.line_num, tuple(fields)) for fields in reader if fields]
    except csv.Error:
        return "an open quote"
    if not lines:
        return "is empty"
    wrong = {
        "different number": [n for n, row in lines if len(row) != len(lines[0][1])],
        "empty field": [n for n, row in lines if "" in row],
    }
    for level in range(1, len(lines[0][1])):
        parent = {}
        wrong[f"field {level}"] = [
            n
            for n, row in lines
            if row[level:] and parent.setdefault(row[level - 1], row[level]) != row[level]
        ]
    for what, numbers in wrong.items():
        if numbers:
            return f"{len(numbers)} lines? with .*{what}.* at line {numbers[0]}\\)"
    rows = tuple(row for _, row in lines)
    if again := reused(rows):
        return f"{len(again)} lines? with .*another node.* at line {lines[again[0]][0]}\\)"
    return rows


def reused(rows):
    """The rows with a name that is that of another node, not right above it."""
    levels = list(zip(*rows, strict=True))
    if len(set(levels[-1])) == 1:
        levels = levels[:-1]
    highest = {name: level for level, names in enumerate(levels) for name in names}
    return sorted(
        {
            i
            for level, (names, parents) in enumerate(pairwise(levels))
            for i, (name, parent) in enumerate(zip(names, parents, strict=True))
            if name != parent and highest[name] > level
        }
    )


def paths(rows, labels, other):
    """The path of each leaf to one top, those that the tree lacks under `other`; what is wrong."""
    height = max(map(len, rows))
    found, torn = {}, []
    for i, row in enumerate(rows, start=1):
        path = (*row, *[row[-1]] * (height - len(row)))
        if found.setdefault(row[0], path) != path:
            torn.append(i)
    if torn:
        return rf"lists {len(torn)} values? twice .* at row {torn[0]}\)"
    if height == 1 or len({path[-1] for path in found.values()}) > 1:
        found = {leaf: (*path, "*") for leaf, path in found.items()}
    if other is not None:
        _add_others(found, labels, other)
    for level in range(2, len(next(iter(found.values())))):
        parent, first = {}, {}
        for i, path in enumerate(found.values(), start=1):
            if parent.setdefault(path[level - 1], path[level]) != path[level]:
                first.setdefault(path[level - 1], i)
        if first:
            return rf"level {level - 1} .* {len(first)} nodes? .* leaf {min(first.values())}\)"
    return found


def _add_others(found, labels, other):
    """Put labels without a path under the node of their name, or else under `other`."""
    groups = {}
    for path in found.values():
        inner = path[1:-1]
        for level, name in enumerate(inner):
            groups.setdefault(name, (name,) * level + inner[level:])
    *_, top = next(iter(found.values()))
    for label in labels:
        rest = (other,) * (len(next(iter(found.values()))) - 2)
        found.setdefault(label, (label, *groups.get(label, rest), top))


def depth_first(found):
    """The rows of texts in their order: nodes as they first appear, from the top down."""
    levels = [list(dict.fromkeys(level)) for level in zip(*found.values(), strict=True)]
    place = [{name: i for i, name in enumerate(names)} for names in levels]

    def order(row):
        return [place[level][row[level]] for level in range(len(row) - 1, -1, -1)]

    return sorted(found.values(), key=order)

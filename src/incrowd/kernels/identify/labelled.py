"""What a set of columns costs, from rows that carry the label of their class.

Rows stay in the order of the table, so that columns are read from front to back; `labels` are the
numbers of their classes, `number` of them. A class and a code of each column more together are a
*cell*: their product where there is room for all of them, a place in a hash table otherwise.

What a class costs is what it lacks to being told apart, as in `stripped`, added up while it grows
row by row. A class that costs nothing, as a row alone, never will again: its rows are left out.

`digits` are columns, each with one more than its largest code; cells number less than 2^62.
`rule` is the weights of the rows (empty where each weighs 1), the number of the measure, and a
limit. `scratch` is room for cells, for what they cost, for the cell of each row, for the cells that
are there, and a hash table; the first and the last are zero, and are so again afterwards. `kind` is
the number of a measure (see `stripped`).

Shapes: rows and labels (rows,), rows ascending and each once; codes (columns, rows of the table);
digits (columns, 2) in the order of the set.
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit

Rule: TypeAlias = tuple[Counts, int, int]
Scratch: TypeAlias = tuple[Counts, Counts, Codes, Codes, Counts]

_BLOCK = 4096
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_HALF = np.uint64(32)


@jit
def count_cells(number: int, digits: Counts) -> int:
    """Return how many cells there may be: `number` times the domains of the columns."""
    for j in range(len(digits)):
        number *= digits[j, 1]
    return number


@jit
def append_columns(rows: Codes, codes: Codes, digits: Counts, keys: Counts | Codes) -> None:
    """Append columns to the keys of `rows` as last digits, in place; fast for rows without gaps."""
    size = len(rows)
    together = rows[size - 1] - rows[0] == size - 1
    for j in range(len(digits)):
        line, domain = codes[digits[j, 0]], keys.dtype.type(digits[j, 1])
        if together:
            part = line[rows[0] : rows[0] + size]
            for i in range(size):
                keys[i] = keys[i] * domain + part[i]
        else:
            for i in range(size):
                keys[i] = keys[i] * domain + line[np.uint32(rows[i])]


@jit
def fill_cells_of_rows(
    rows: Codes, labels: Codes, codes: Codes, digits: Counts, table: Counts, where: Codes
) -> None:
    """Fill `where` with the cell of each row, of its label and its codes.

    With an empty `table` a cell is its number among all that there may be; otherwise it is a slot
    of the hash table `table`, where a slot holds 1 + that number.
    """
    keys = np.empty(_BLOCK if len(table) else 0, dtype=np.int64)
    mask = np.uint64(len(table) - 1)
    for begin in range(0, len(rows), _BLOCK):
        end = min(begin + _BLOCK, len(rows))
        if len(table) == 0:
            where[begin:end] = labels[begin:end]
            append_columns(rows[begin:end], codes, digits, where[begin:end])
            continue
        keys[: end - begin] = labels[begin:end]
        append_columns(rows[begin:end], codes, digits, keys[: end - begin])
        for i in range(begin, end):
            key = keys[i - begin] + 1
            slot = ((np.uint64(key) * _FACTOR) >> _HALF) & mask
            while table[slot] != 0 and table[slot] != key:
                slot = (slot + _ONE) & mask
            table[slot] = key
            where[i] = slot


@jit
def add_row_to_cell(cell: np.int64, weight: np.int64, kind: int) -> tuple[np.int64, np.int64]:
    """Return what one row more adds to the cost of a cell, and the state of the cell with it.

    `cell` is its state, `weight` that of the row. The state of an empty cell is 0. For kind 1 it is
    the weight so far, for 0 that it holds a row; for others 1 + its weight, 1 or 2, with a single
    row, and 3 when it has more.
    """
    if kind == 1:
        return cell * weight, cell + weight
    if kind == 0:
        return np.int64(cell > 0), np.int64(1)
    if cell == 0:
        return cell, weight + 1
    return weight + (cell - 1 if cell < 3 else 0), np.int64(3)


@jit
def split_cost(
    rows: Codes,
    labels: Codes,
    number: int,
    codes: Codes,
    digits: Counts,
    rule: Rule,
    scratch: Scratch,
) -> np.int64:
    """Return what the classes cost once split by columns, or some sum above the rule's limit."""
    weights, kind, limit = rule
    cells, _, where, _, table = scratch
    most = count_cells(number, digits)
    if most <= len(cells):
        table = table[:0]
    cost, done = np.int64(0), 0
    while done < len(rows) and cost <= limit:
        end = min(done + _BLOCK, len(rows))
        fill_cells_of_rows(rows[done:end], labels[done:end], codes, digits, table, where[done:end])
        for i in range(done, end):
            cell = np.uint32(where[i])
            weight = weights[np.uint32(rows[i])] if len(weights) else np.int64(1)
            more, then = add_row_to_cell(cells[cell], weight, kind)
            cells[cell] = then
            cost += more
        done = end
    if most < done:  # clear whichever is shorter: all cells, or those of the rows
        cells[:most] = 0
        return cost
    for i in range(done):
        cells[np.uint32(where[i])] = 0
        if len(table):
            table[np.uint32(where[i])] = 0
    return cost


@jit
def cheap_cells(costs: Counts, seen: Codes, spare: int) -> tuple[int, int]:
    """Return a bound, 2^n - 1, and the sum, `spare` at most, of `seen` cells that cost no more."""
    sums = np.zeros(64, dtype=np.int64)
    for f in range(len(seen)):
        cost = costs[seen[f]]
        if cost <= spare:
            rank, rest = 0, cost
            while rest:
                rank += 1
                rest >>= 1
            sums[rank] += cost
    rank, lost = 0, 0
    while rank < 62 and lost + sums[rank + 1] <= spare and 1 << (rank + 1) <= spare:
        rank += 1
        lost += sums[rank]
    return (1 << rank) - 1, lost


@jit
def split_labelled(
    rows: Codes,
    labels: Codes,
    number: int,
    codes: Codes,
    digits: Counts,
    rule: Rule,
    scratch: Scratch,
) -> tuple[int, int, np.int64, int]:
    """Split the classes by columns, in place, and leave out cheap ones.

    The classes left out cost no more than the rule's limit together. Returned are how many rows
    stay, how many classes, what these cost, and what the others cost. The rows that stay and their
    labels come first in `rows` and `labels`.
    """
    weights, kind, limit = rule
    cells, costs, where, seen, table = scratch
    if count_cells(number, digits) <= len(cells):
        table = table[:0]
    fill_cells_of_rows(rows, labels, codes, digits, table, where)
    found, total = 0, np.int64(0)
    for i in range(len(rows)):
        cell = np.uint32(where[i])
        if cells[cell] == 0:
            seen[found] = cell
            found += 1
            costs[cell] = 0
        weight = weights[np.uint32(rows[i])] if len(weights) else np.int64(1)
        more, then = add_row_to_cell(cells[cell], weight, kind)
        cells[cell] = then
        costs[cell] += more
        total += more
    bound, lost = cheap_cells(costs, seen[:found], limit)
    classes, kept = 0, 0
    for f in range(found):
        cell = np.uint32(seen[f])
        dear = costs[cell] > bound
        classes += int(dear)
        cells[cell] = classes if dear else 0
    for i in range(len(rows)):
        label = cells[np.uint32(where[i])]
        rows[kept] = rows[i]
        labels[kept] = label - 1
        kept += int(label > 0)
    for f in range(found):
        cells[np.uint32(seen[f])] = 0
        if len(table):
            table[np.uint32(seen[f])] = 0
    return kept, classes, total - lost, lost


@jit
def add_needed_columns(
    rows: Codes, codes: Codes, digits: Counts, more: Counts, rule: Rule, scratch: Scratch
) -> tuple[np.int64, int]:
    """Add those columns of `more`, in turn, with which the cost is still above the limit.

    Returned are what the columns of `digits` cost (without any, the limit plus 1), and how many
    columns were added. These come first in `more` then, over what stood there. `rows` is
    overwritten, too. If the columns of `digits` cost no more than the limit, nothing is added.
    """
    weights, kind, limit = rule
    labels = np.zeros(len(rows), dtype=np.int32)
    kept, number, total, added = len(rows), 1, np.int64(limit + 1), 0
    every = (weights, kind, 0)
    for j in range(len(digits)):
        kept, number, total, _ = split_labelled(
            rows[:kept], labels[:kept], number, codes, digits[j : j + 1], every, scratch
        )
    if total <= limit:
        return total, 0
    for j in range(len(more)):
        here, there, one = rows[:kept], labels[:kept], more[j : j + 1]
        if split_cost(here, there, number, codes, one, rule, scratch) > limit:
            kept, number, _, _ = split_labelled(here, there, number, codes, one, every, scratch)
            more[added] = more[j]
            added += 1
    return total, added

"""Classes with levels of their own, checked and moved record by record over plain lists."""

from collections import defaultdict


def shown(columns, codes, levels):
    """What a row shows: per column the run of leaves of its node, or "*" on the highest level."""
    cells = []
    for column, code, level in zip(columns, codes, levels, strict=True):
        if level == column.hierarchy.height:
            cells.append("*")
            continue
        nodes = column.hierarchy.maps[level].tolist()
        leaves = [leaf for leaf, node in enumerate(nodes) if node == nodes[code]]
        cells.append((min(leaves), max(leaves)))
    return tuple(cells)


def paid(problem, codes, levels):
    """What a record pays for its cells."""
    total = sum(column.weight for column in problem.columns)
    return sum(
        column.weight / total * float(problem.loss.cell_costs(column)[level][code])
        for column, code, level in zip(problem.columns, codes, levels, strict=True)
    )


def faults(problem, class_of, levels):
    """All that is wrong with classes of a tally's rows at these levels, model by model apart.

    Of equal rows some may be left out, for the sensitive values that they hold; those that stay are
    together.
    """
    rows = problem.tally.quasi.T.tolist()
    wrong = []
    by_codes, cells = defaultdict(set), defaultdict(set)
    for codes, number in zip(rows, class_of.tolist(), strict=True):
        if number >= 0:
            by_codes[tuple(codes)].add(number)
            cells[number].add(shown(problem.columns, codes, levels[:, number].tolist()))
    wrong += ["equal rows apart" for numbers in by_codes.values() if len(numbers) > 1]
    wrong += ["a class shows two things" for there in cells.values() if len(there) > 1]
    for j, column in enumerate(problem.columns):
        used = {int(levels[j, number]) for number in cells}
        wrong += [f"level {h}" for h in used if not column.lowest <= h <= column.top]
    return wrong


def released(problem, levels, least):
    """Records in classes of at least `least` records at these levels, and what they pay."""
    classes = defaultdict(list)
    rows = zip(problem.tally.quasi.T.tolist(), problem.tally.counts.tolist(), strict=True)
    for codes, count in rows:
        classes[shown(problem.columns, codes, levels)].append((codes, count))
    kept = [rows for rows in classes.values() if sum(count for _, count in rows) >= least]
    records = sum(count for rows in kept for _, count in rows)
    return records, sum(n * paid(problem, codes, levels) for rows in kept for codes, n in rows)


def moves(problem, class_of, levels, node, least):
    """The rows that move to the classes of a level vector, {row: what its new class shows}.

    And the rows for which that is certain: where two classes of the vector want rows of one class,
    whichever comes first has its way, and neither is told here.
    """
    rows, counts = problem.tally.quasi.T.tolist(), problem.tally.counts.tolist()
    homes = class_of.tolist()
    sizes, cell_of = defaultdict(int), {}
    for codes, count, home in zip(rows, counts, homes, strict=True):
        sizes[home] += count
        if home >= 0:
            cell_of[home] = shown(problem.columns, codes, levels[:, home].tolist())
    slots = defaultdict(lambda: defaultdict(list))
    for i, (codes, home) in enumerate(zip(rows, homes, strict=True)):
        now = 1.0 if home < 0 else paid(problem, codes, levels[:, home].tolist())
        if paid(problem, codes, node) < now - 1e-9:
            slots[shown(problem.columns, codes, node)][home].append(i)
    torn = {h for h in sizes if h >= 0 and sum(h in slot for slot in slots.values()) > 1}
    contested = {i for slot in slots.values() if torn & set(slot) for h in slot for i in slot[h]}
    moved = {}
    for cell, slot in slots.items():
        goes = [i for home, here in slot.items() for i in _let_go(home, here, sizes, counts, least)]
        if cell in cell_of.values() or sum(counts[i] for i in goes) >= least:
            moved |= {i: cell for i in goes if i not in contested}
    return moved, set(range(len(rows))) - contested


def _let_go(home, rows, sizes, counts, least):
    """The rows that a class lets go: all of it, or what it has beyond `least` records."""
    asked = sum(counts[i] for i in rows)
    room = asked if home < 0 or asked == sizes[home] else sizes[home] - least
    goes = []
    for i in rows:
        if counts[i] <= room:
            room -= counts[i]
            goes.append(i)
    return goes

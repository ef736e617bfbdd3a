"""A tally made with dictionaries and sets."""


def fold(columns, unit=None, weights=None):
    """Distinct rows in order, with counts, people at home in one row, shared pairs and weights.

    A record without a unit (0) is a person of its own.
    """
    records = list(zip(*columns, strict=True))
    rows = sorted(set(records))
    row_of = [rows.index(record) for record in records]
    counts = [row_of.count(i) for i in range(len(rows))]
    people = [("named", p) if p else ("own", i) for i, p in enumerate(unit or [0] * len(records))]
    homes = {}
    for person, row in zip(people, row_of, strict=True):
        homes.setdefault(person, set()).add(row)
    alone = [0] * len(rows)
    shared = set()
    for (_, person), home in homes.items():
        if len(home) == 1:
            alone[min(home)] += 1
        else:
            shared |= {(row, person) for row in home}
    sums = [
        sum(w for w, r in zip(weights or [], row_of, strict=False) if r == i)
        for i in range(len(rows))
    ]
    return {
        "rows": rows,
        "row_of": row_of,
        "counts": counts,
        "people": alone,
        "shared": shared,
        "weights": sums if weights else None,
    }

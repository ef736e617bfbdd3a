"""Hierarchies as dictionaries and lists of rows: generalize by looking up, decode by scanning."""

from fractions import Fraction


def rows_of(hierarchy):
    """One row per leaf: its label on every level."""
    return [
        [labels[hierarchy.maps[h, code] - 1] for h, labels in enumerate(hierarchy.labels)]
        for code in range(1, len(hierarchy.leaves) + 1)
    ]


def decode(rows, label):
    """The codes of all leaves that show this label on some level; 0 with the top's label."""
    found = {code for code, row in enumerate(rows, start=1) if label in row}
    return found | ({0} if rows and rows[0][-1] == label else set())


def between(leaves, low, high):
    """The codes of the sorted leaves that lie between two of them."""
    return {code for code, leaf in enumerate(leaves, start=1) if low <= leaf <= high}


def is_hierarchy(rows):
    """Sweeney Section 3.1: each level is a function of the one below, one value on top."""
    for below, above in zip(range(len(rows[0]) - 1), range(1, len(rows[0])), strict=True):
        parent = {}
        if any(parent.setdefault(row[below], row[above]) != row[above] for row in rows):
            return False
    return len({row[-1] for row in rows}) == 1


def cell(value, width, origin=0.0):
    """The ends of the interval of fixed width that holds a value, exactly."""
    step, start = Fraction(str(width)), Fraction(str(origin))
    number = (Fraction(value) - start) // step
    low, high = start + number * step, start + (number + 1) * step
    if value >= float(high):
        return high, high + step
    return (low, high) if value >= float(low) else (low - step, low)


def cut(value, cuts):
    """The label of the listed interval that holds a value."""
    low = max((c for c in cuts if c <= value), default=None)
    high = min((c for c in cuts if c > value), default=None)
    if low is None:
        return "*" if high is None else f"< {high:g}"
    return f"≥ {low:g}" if high is None else f"[{low:g}, {high:g})"


def masked(code, shown, width):
    """A code of which only the first characters are shown."""
    if len(code) < shown:
        return code
    return "".join(code[i] if i < min(shown, len(code)) else "*" for i in range(width))


def period(date, step):
    """What a level of dates shows of a date."""
    decade, half = date.year // 10 * 10, date.year // 5 * 5
    return {
        "day": date.isoformat()[:10],
        "month": f"{date.year:04d}-{date.month:02d}",
        "quarter": f"{date.year:04d}-Q{(date.month + 2) // 3}",
        "year": f"{date.year:04d}",
        "5 years": f"[{half:04d}, {half + 5:04d})",
        "10 years": f"[{decade:04d}, {decade + 10:04d})",
    }[step]


def climb(rows, value, level):
    """The label of a value in a tree written as rows; shorter rows repeat their last entry."""
    row = next(row for row in rows if row[0] == value)
    return row[min(level, len(row) - 1)]


def icd_groups(code, chapters, blocks):
    """Category, block and chapter of a diagnosis, by going through the published ranges."""
    category = code[:3].upper()

    def lies_in(ranges):
        return [one for one in ranges if one[:3] <= category <= one[4:]]

    chapter = lies_in(chapters)
    if not chapter:
        return None
    return category, (lies_in(blocks) or chapter)[0], chapter[0]

"""Datafly over lists of records, with k-anonymity alone (Sweeney Section 4.1)."""

from collections import Counter

from naive.search import classes_at


class Datafly:
    """One table with what is asked of it; `highest` are the levels that columns may go up to."""

    def __init__(self, trees, quasi, k, most, *, lowest, highest):
        self.trees, self.quasi, self.k, self.most = trees, quasi, k, most
        self.lowest, self.highest = lowest, highest

    def run(self, sets, likelihood, preference, joint):
        """Levels and what each record shows, None if it is suppressed; (None, None) if nothing."""
        everything = list(range(len(self.trees)))
        views = [
            (
                [j for j in columns if likelihood[j] > 0],
                [a * b for a, b in zip(likelihood, preference, strict=True)],
            )
            for columns in (sets or [everything])
        ]
        union = sorted({j for columns, _ in views for j in columns})
        if joint:
            union = everything
            views.append((everything, preference))
        levels = list(self.lowest)
        while True:
            shown = classes_at(self.trees, self.quasi, levels)
            raised = self.due(shown, views, levels)
            if raised is None:
                out = self.suppressed(shown, [columns for columns, _ in views], union)
                if len(out) <= self.most and len(out) < len(shown):
                    return levels, [None if i in out else cell for i, cell in enumerate(shown)]
                raised = self.next_column(shown, union, preference, levels)
            if raised is None:
                return None, None
            levels[raised] += 1

    def due(self, shown, views, levels):
        """The column that goes up because too many fail in a view; None if there is no such."""
        for columns, weights in views:
            if len(self.failing(shown, columns, set())) > min(self.k, self.most):
                raised = self.next_column(shown, columns, weights, levels)
                if raised is not None:
                    return raised
        return None

    def next_column(self, shown, columns, weights, levels):
        free = [j for j in sorted(columns) if levels[j] < self.highest[j]]
        distinct = {j: len({cell[j] for cell in shown}) for j in free}
        ranked = sorted(free, key=lambda j: (-weights[j] * distinct[j], -distinct[j], j))
        return ranked[0] if ranked else None

    def failing(self, shown, columns, out):
        """The records that fewer than k show the same as in these columns, of those not out."""
        parts = {i: tuple(shown[i][j] for j in columns) for i in range(len(shown)) if i not in out}
        sizes = Counter(parts.values())
        return {i for i, part in parts.items() if sizes[part] < self.k}

    def suppressed(self, shown, sets, union):
        """Steps 3 and 4."""
        out = self.settled(shown, sets, set())
        parts = [tuple(cell[j] for j in union) for cell in shown]
        sizes = Counter(parts)
        for part in sorted(sizes, key=lambda part: (sizes[part], part)):
            if 0 < len(out) < self.k:
                whole = {i for i in range(len(shown)) if parts[i] == part}
                out = self.settled(shown, sets, out | whole)
        return out

    def settled(self, shown, sets, out):
        while True:
            more = set(out)
            for columns in sets:
                more |= self.failing(shown, columns, more)
            if more == out:
                return out
            out = more

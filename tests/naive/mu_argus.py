"""mu-Argus over lists of records (Sweeney Figure 11)."""

from itertools import combinations

KINDS = ("most", "more", "identifying")
BLANK = None

NEVER = [
    {"identifying": 2},
    {"identifying": 3},
    {"identifying": 2, "more": 1},
    {"identifying": 2, "most": 1},
    {"identifying": 1, "more": 2},
    {"more": 3},
]
ONLY_IF_SEVERAL = [{"more": 2, "most": 1}, {"most": 2, "more": 1}, {"more": 2}]


def tested(kinds, which):
    """The combinations that are tested; Figure 12 by what is *not* tested."""
    found = [*combinations(range(len(kinds)), 2), *combinations(range(len(kinds)), 3)]
    if which == "paper":
        return found
    left_out = NEVER + (ONLY_IF_SEVERAL if kinds.count("identifying") < 2 else [])

    def sort(combination):
        inside = [kinds[j] for j in combination]
        return {kind: inside.count(kind) for kind in inside}

    return [combination for combination in found if sort(combination) not in left_out]


class MuArgus:
    """One table with what is asked of it; columns are (tree, codes, lowest, highest)."""

    def __init__(self, columns, unit, k, kinds, which):
        self.columns, self.unit, self.k, self.kinds = columns, unit, k, list(kinds)
        self.records = range(len(columns[0][1]))
        self.tested = tested(self.kinds, which)
        self.order = sorted(range(len(columns)), key=lambda j: (KINDS.index(self.kinds[j]), j))

    def people(self, records):
        return len({self.unit[i] for i in records})

    def shown(self, levels):
        """What each record shows, blank where the whole column is."""
        return [
            [
                BLANK if level == len(tree.maps) - 1 else int(tree.maps[level][codes[i]])
                for (tree, codes, _, _), level in zip(self.columns, levels, strict=True)
            ]
            for i in self.records
        ]

    def rare(self, shown):
        """The tested combinations that fewer than k people show, record by record."""
        found = []
        for cells in shown:
            mine = []
            for combination in self.tested:
                here = [cells[j] for j in combination]
                same = [i for i in self.records if [shown[i][j] for j in combination] == here]
                if BLANK not in here and self.people(same) < self.k:
                    mine.append(combination)
            found.append(mine)
        return found

    def first_levels(self, least):
        """Step 2, and the levels that are asked for."""
        levels = []
        for j, (tree, codes, lowest, highest) in enumerate(self.columns):
            level = lowest
            while level < highest:
                nodes = [int(tree.maps[level][code]) for code in codes]
                groups = [[i for i in self.records if nodes[i] == node] for node in set(nodes)]
                if all(self.people(group) >= self.k for group in groups):
                    break
                level += 1
            levels.append(max(level, least.get(j, 0)))
        return levels

    def generalized(self, least, rules, share):
        """Steps 3 to 5."""
        levels, rules = self.first_levels(least), list(rules)
        while True:
            rare = self.rare(self.shown(levels))
            if not any(rare):
                return levels
            if rules:
                j = rules.pop(0)
                levels[j] = min(levels[j] + 1, self.columns[j][3])
                continue
            often = {j: sum(j in c for mine in rare for c in mine) for j in self.order}
            free = [j for j in self.order if often[j] and levels[j] < self.columns[j][3]]
            if sum(map(bool, rare)) / len(rare) <= share or not free:
                return levels
            levels[max(free, key=lambda j: often[j])] += 1

    def blanked(self, levels):
        """Step 6, again and again until nothing changes."""
        shown = self.shown(levels)
        may = [j for j in self.order if self.columns[j][3] == len(self.columns[j][0].maps) - 1]
        while True:
            before = [list(cells) for cells in shown]
            for cells, mine in zip(shown, self.rare(before), strict=True):
                left = list(mine)
                while any(j in c for c in left for j in may):
                    worst = max(may, key=lambda j: sum(j in c for c in left))
                    cells[worst] = BLANK
                    left = [c for c in left if worst not in c]
            if shown == before:
                return shown

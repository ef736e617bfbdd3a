"""What sets may name, and what their labels stand for, leaf by leaf."""

from incrowd.hierarchy.labels import read_members

OTHERS = "others"


def members(paths, people, k):
    """What each leaf is shown as: itself, a node over it, or others.

    `paths` are the nodes over each leaf, from the lowest to the one below the top; `people` says
    how many hold each leaf.
    """
    shown = {leaf: leaf for leaf in paths if people[leaf] >= k}
    for level in range(max(map(len, paths.values()), default=0)):
        for node in {path[level] for path in paths.values()}:
            rare = [leaf for leaf in paths if leaf not in shown and paths[leaf][level] == node]
            if sum(people[leaf] for leaf in rare) >= k:
                shown |= dict.fromkeys(rare, node)
    rest = [leaf for leaf in paths if leaf not in shown]
    if 0 < sum(people[leaf] for leaf in rest) < k and shown:
        shown = _with_another(paths, people, shown)
    return {leaf: shown.get(leaf, OTHERS) for leaf in paths}


def _with_another(paths, people, shown):
    """Without the least held member that lies in no node that is shown, the first of several."""
    held = {}
    for leaf, member in shown.items():
        held[member] = held.get(member, 0) + people[leaf]
    order = list(paths)
    free = [
        (
            held[member],
            min(order.index(leaf) for leaf in paths if shown.get(leaf) == member),
            member,
        )
        for member in held
        if not any(
            node in held and node != member
            for leaf, own in shown.items()
            if own == member
            for node in paths[leaf]
        )
    ]
    gone = min(free)[2]
    return {leaf: member for leaf, member in shown.items() if member != gone}


def stands_for(labels, paths):
    """By label of a column: the leaves that it may stand for."""
    named = {}
    for label in labels:
        found = read_members(label)
        named[label] = [label] if found is None else list(found.values)
    every = {name for names in named.values() for name in names if name != "*"}
    under = {name: {leaf for leaf in paths if name in {leaf, *paths[leaf]}} for name in every}
    rest = set(paths) - set().union(*under.values()) if under else set(paths)
    found = {}
    for label, names in named.items():
        members = read_members(label)
        leaves = set(paths) if label == "*" else set().union(*(under[name] for name in names))
        found[label] = leaves | (rest if members is not None and members.others else set())
    return found

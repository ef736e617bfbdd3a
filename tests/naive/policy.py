"""Slow twins of what compiling a policy counts."""


def people_per_code(codes, unit, size):
    """A person counts once per code; a record without a unit is a person of its own."""
    people = [set() for _ in range(size)]
    for record, (code, person) in enumerate(zip(codes, unit, strict=True)):
        people[code].add(("person", person) if person else ("record", record))
    return [len(group) for group in people]

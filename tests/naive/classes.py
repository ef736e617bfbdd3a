"""Classes counted with dictionaries of sets."""


def classes(class_of, people, values):
    """Per class: records, people, and people per value of each sensitive column."""
    result = {}
    for i, (name, person) in enumerate(zip(class_of, people, strict=True)):
        if name < 0:
            continue
        found = result.setdefault(name, {"records": 0, "people": set(), "values": {}})
        found["records"] += 1
        found["people"].add(person)
        for j, column in enumerate(values):
            found["values"].setdefault((j, column[i]), set()).add(person)
    return result

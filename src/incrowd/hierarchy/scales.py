"""Categories whose order everybody knows: agreement, frequency, quality, schooling."""

from collections.abc import Sequence

from incrowd.hierarchy.ordered import Ordered

_LISTED = """
strongly disagree|disagree|tend to disagree|neither agree nor disagree|neutral|tend to agree|agree|\
strongly agree
never|very rarely|rarely|seldom|occasionally|sometimes|often|frequently|usually|very often|always
never|less than monthly|monthly|weekly|daily
very bad|very poor|bad|poor|fair|average|good|very good|excellent
none|very low|low|medium|moderate|middle|high|very high
very dissatisfied|dissatisfied|neutral|satisfied|very satisfied
not at all|a little|slightly|somewhat|moderately|quite a bit|a lot|very much|extremely
none|mild|moderate|severe|very severe
small|medium|large
no education|preschool|primary|1st-4th|5th-6th|7th-8th|9th|10th|11th|12th|lower secondary|\
secondary|upper secondary|hs-grad|high school|vocational|some-college|some college|assoc-voc|\
assoc-acdm|associate|tertiary|bachelors|bachelor|masters|master|prof-school|doctorate|phd
"""
_SCALES = tuple(_LISTED.strip().splitlines())


def scale_of(labels: Sequence[str]) -> Ordered | None:
    """The hierarchy of three categories or more in order; None unless one known scale has all.

    >>> scale_of(["often", "never", "sometimes"]).values
    ('never', 'sometimes', 'often')
    """
    plain = {label: label.strip().casefold() for label in labels}
    for scale in _SCALES:
        steps = {step: rank for rank, step in enumerate(scale.split("|"))}
        if len(plain) > 2 and all(text in steps for text in plain.values()):
            ranked = sorted(plain, key=lambda label: (steps[plain[label]], label))
            return Ordered(tuple(ranked), sizes=(2, 4) if len(ranked) > 4 else (2,))
    return None

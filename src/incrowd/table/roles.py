"""What a column is for."""

from enum import StrEnum


class Role(StrEnum):
    """What a column is for; every column of a table must have one."""

    QUASI = "quasi"
    """Others may know it and use it to find a person: it is generalized."""
    SENSITIVE = "sensitive"
    """What nobody should learn about a person: it leaves as it is, diverse within each class."""
    IDENTIFIER = "identifier"
    """Names the person: it is dropped or replaced by a pseudonym."""
    KEEP = "keep"
    """Leaves as it is."""
    DROP = "drop"
    """Does not leave."""
    UNIT = "unit"
    """Says which records belong to one person: classes count people, the column does not leave."""
    WEIGHT = "weight"
    """Sampling weight: leaves as it is."""


class Missing(StrEnum):
    """How an attacker reads a missing quasi-identifying value."""

    OWN_VALUE = "own-value"
    """A value like any other: a missing value is equal to a missing value only."""
    MATCHES_ANYTHING = "matches-anything"
    """It could be any value: a missing value is equal to every value."""
    SUPPRESS = "suppress"
    """Records with a missing quasi-identifying value are left out."""

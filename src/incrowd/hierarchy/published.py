"""Code lists with a published structure: diagnoses, industries, states, counties, months."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Literal, TypeAlias

from incrowd.hierarchy.hierarchy import Builder, Hierarchy
from incrowd.hierarchy.paths import Path
from incrowd.hierarchy.tree import build_by_groups
from incrowd.table.column import Domain
from incrowd.values import STRICT, dataclass

System: TypeAlias = Literal[
    "icd-10", "nace", "naics", "us-states", "us-counties", "months", "weekdays"
]


@dataclass(frozen=True, config=STRICT)
class CodeList(Builder):
    """Codes of a published list, under the groups that the list itself has.

    `icd-10`: category, block, chapter (I21.4, I21, I20-I25, I00-I99). `nace`: class, division,
    section. `naics`: six digits down to the sector. `us-states` (names, postal or FIPS codes) and
    `us-counties` (FIPS): division and region of the census. `months`: quarter, half of the year.
    `weekdays`: working days and the weekend. What is no such code stands under `*other*`.

    >>> from incrowd.hierarchy.hierarchy import texts
    >>> from incrowd.table.column import Kind
    >>> found = Domain(Kind.TEXT, texts(["I21.4", "I25", "E11.9"]))
    >>> [labels.tolist() for labels in CodeList("icd-10").build(found, "diagnosis").labels[1:4]]
    [['E11', 'I21', 'I25'], ['E10-E14', 'I20-I25'], ['E00-E90', 'I00-I99']]
    """

    system: System
    name: Literal["codes"] = "codes"

    def _build(self, domain: Domain, column: str) -> Hierarchy:
        """The hierarchy of a column of such codes, in the order of their groups."""
        what, remedy = f"a code of {self.system}", "use another hierarchy"
        return build_by_groups(domain, partial(path_of, self.system), column, what, remedy)


def path_of(system: System, label: str) -> Path | None:
    """The groups over a code, from the narrowest to the widest; None if it is no code.

    >>> path_of("us-states", "TX"), path_of("nace", "62.01"), path_of("months", "11")
    (('West South Central', 'South'), ('62', 'J'), ('Q4', 'H2'))
    """
    return _PATHS[system](label.strip())


def share_of(system: System, labels: Iterable[str]) -> float:
    """The share of these texts that are codes of the list; 0 if there are no texts."""
    found = [path_of(system, label) is not None for label in labels]
    return sum(found) / len(found) if found else 0.0


# Diagnoses: chapters and blocks of ICD-10 (WHO; the letters and ranges, no titles)

_LISTED_CHAPTERS = (
    "A00-B99 C00-D48 D50-D89 E00-E90 F00-F99 G00-G99 H00-H59 H60-H95 I00-I99 J00-J99 K00-K93 "
    "L00-L99 M00-M99 N00-N99 O00-O99 P00-P96 Q00-Q99 R00-R99 S00-T98 U00-U99 V01-Y98 Z00-Z99"
)
_CHAPTERS = _LISTED_CHAPTERS.split()
_LISTED_BLOCKS = (
    "A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A92-A99 B00-B09 "
    "B15-B19 B20-B24 B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B98 B99-B99 C00-C14 "
    "C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 C50-C50 C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 "
    "C76-C80 C81-C96 C97-C97 D00-D09 D10-D36 D37-D48 D50-D53 D55-D59 D60-D64 D65-D69 D70-D77 "
    "D80-D89 E00-E07 E10-E14 E15-E16 E20-E35 E40-E46 E50-E64 E65-E68 E70-E90 F00-F09 F10-F19 "
    "F20-F29 F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99-F99 G00-G09 G10-G14 "
    "G20-G26 G30-G32 G35-G37 G40-G47 G50-G59 G60-G64 G70-G73 G80-G83 G90-G99 H00-H06 H10-H13 "
    "H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 H49-H52 H53-H54 H55-H59 H60-H62 H65-H75 "
    "H80-H83 H90-H95 I00-I02 I05-I09 I10-I15 I20-I25 I26-I28 I30-I52 I60-I69 I70-I79 I80-I89 "
    "I95-I99 J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86 J90-J94 J95-J99 "
    "K00-K14 K20-K31 K35-K38 K40-K46 K50-K52 K55-K64 K65-K67 K70-K77 K80-K87 K90-K93 L00-L08 "
    "L10-L14 L20-L30 L40-L45 L50-L54 L55-L59 L60-L75 L80-L99 M00-M03 M05-M14 M15-M19 M20-M25 "
    "M30-M36 M40-M43 M45-M49 M50-M54 M60-M63 M65-M68 M70-M79 M80-M85 M86-M90 M91-M94 M95-M99 "
    "N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 N40-N51 N60-N64 N70-N77 N80-N98 N99-N99 "
    "O00-O08 O10-O16 O20-O29 O30-O48 O60-O75 O80-O84 O85-O92 O94-O99 P00-P04 P05-P08 P10-P15 "
    "P20-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P90-P96 Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 "
    "Q35-Q37 Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99 R00-R09 R10-R19 R20-R23 R25-R29 "
    "R30-R39 R40-R46 R47-R49 R50-R69 R70-R79 R80-R82 R83-R89 R90-R94 R95-R99 S00-S09 S10-S19 "
    "S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89 S90-S99 T00-T07 T08-T14 T15-T19 "
    "T20-T32 T33-T35 T36-T50 T51-T65 T66-T78 T79-T79 T80-T88 T90-T98 U00-U49 U82-U85 V01-V99 "
    "W00-X59 X60-X84 X85-Y09 Y10-Y34 Y35-Y36 Y40-Y84 Y85-Y89 Y90-Y98 Z00-Z13 Z20-Z29 Z30-Z39 "
    "Z40-Z54 Z55-Z65 Z70-Z76 Z80-Z99"
)
_BLOCKS = _LISTED_BLOCKS.split()
_ICD = re.compile(r"([A-Z]\d[0-9A-Z])(?:\.?[0-9A-Z]{1,4})?", re.IGNORECASE)


def _icd_path(label: str) -> Path | None:
    """Category, block and chapter of a diagnosis; None if it is no ICD-10 code."""
    found = _ICD.fullmatch(label)
    if found is None:
        return None
    category = found[1].upper()
    chapter = _range_of(category, _CHAPTERS)
    if chapter is None:
        return None
    return category, _range_of(category, _BLOCKS) or chapter, chapter


def _range_of(category: str, ranges: list[str]) -> str | None:
    """The range, such as I20-I25, that a category lies in; None if it lies in none."""
    place = bisect_right(ranges, category, key=lambda one: one[:3]) - 1
    return ranges[place] if place >= 0 and category <= ranges[place][4:] else None


# Industries

_SECTIONS = (
    "A 1 3|B 5 9|C 10 33|D 35 35|E 36 39|F 41 43|G 45 47|H 49 53|I 55 56|J 58 63|K 64 66|L 68 68|"
    "M 69 75|N 77 82|O 84 84|P 85 85|Q 86 88|R 90 93|S 94 96|T 97 98|U 99 99"
)
_NACE = re.compile(r"[A-U]?\.?(\d{2})(?:\.?\d{1,2}(?:\.\d)?)?", re.IGNORECASE)
_SECTORS = {"31": "31-33", "32": "31-33", "33": "31-33", "44": "44-45", "45": "44-45",
            "48": "48-49", "49": "48-49"}  # fmt: skip
_LISTED = "11 21 22 23 31 32 33 42 44 45 48 49 51 52 53 54 55 56 61 62 71 72 81 92"
_KNOWN_SECTORS = frozenset(_LISTED.split())


_SECTION_OF = {
    f"{division:02d}": section
    for section, first, last in map(str.split, _SECTIONS.split("|"))
    for division in range(int(first), int(last) + 1)
}


def _nace_path(label: str) -> Path | None:
    """Division and section of an activity; None if it is no NACE code."""
    found = _NACE.fullmatch(label)
    section = None if found is None else _SECTION_OF.get(found[1])
    return None if found is None or section is None else (found[1], section)


def _naics_path(label: str) -> Path | None:
    """Industry group, subsector and sector of an industry; None if it is no NAICS code."""
    if not label.isdigit() or not 2 <= len(label) <= 6 or label[:2] not in _KNOWN_SECTORS:
        return None
    return label[:4], label[:3], _SECTORS.get(label[:2], label[:2])


# States and counties of the United States (Census Bureau)

_DIVISIONS = """
Northeast|New England|CT 09 Connecticut,ME 23 Maine,MA 25 Massachusetts,NH 33 New Hampshire,RI 44 Rhode Island,VT 50 Vermont
Northeast|Middle Atlantic|NJ 34 New Jersey,NY 36 New York,PA 42 Pennsylvania
Midwest|East North Central|IL 17 Illinois,IN 18 Indiana,MI 26 Michigan,OH 39 Ohio,WI 55 Wisconsin
Midwest|West North Central|IA 19 Iowa,KS 20 Kansas,MN 27 Minnesota,MO 29 Missouri,NE 31 Nebraska,ND 38 North Dakota,SD 46 South Dakota
South|South Atlantic|DE 10 Delaware,DC 11 District of Columbia,FL 12 Florida,GA 13 Georgia,MD 24 Maryland,NC 37 North Carolina,SC 45 South Carolina,VA 51 Virginia,WV 54 West Virginia
South|East South Central|AL 01 Alabama,KY 21 Kentucky,MS 28 Mississippi,TN 47 Tennessee
South|West South Central|AR 05 Arkansas,LA 22 Louisiana,OK 40 Oklahoma,TX 48 Texas
West|Mountain|AZ 04 Arizona,CO 08 Colorado,ID 16 Idaho,MT 30 Montana,NV 32 Nevada,NM 35 New Mexico,UT 49 Utah,WY 56 Wyoming
West|Pacific|AK 02 Alaska,CA 06 California,HI 15 Hawaii,OR 41 Oregon,WA 53 Washington
Territories|Territories|AS 60 American Samoa,GU 66 Guam,MP 69 Northern Mariana Islands,PR 72 Puerto Rico,VI 78 Virgin Islands
"""  # noqa: E501  one division per line


@cache
def _state_paths() -> dict[str, Path]:
    """Division and region of a state by its name, postal or FIPS code, in lower case."""
    found: dict[str, Path] = {}
    for line in _DIVISIONS.strip().splitlines():
        region, division, states = line.split("|")
        for state in states.split(","):
            postal, fips, name = state.split(" ", 2)
            found |= dict.fromkeys((postal.lower(), fips, name.lower()), (division, region))
    return found


def _state_path(label: str) -> Path | None:
    """Division and region of a state, by name or code; None if it is none."""
    key = label.casefold()
    return _state_paths().get(key.zfill(2) if key.isdigit() else key)


def _county_path(label: str) -> Path | None:
    """The county's state (as a masked code), division and region; None if it is no FIPS code."""
    code = label.zfill(5)
    state = _state_paths().get(code[:2]) if code.isdigit() and len(code) == 5 else None
    return None if state is None or code[2:] == "000" else (f"{code[:2]}***", *state)


# Elements of dates

_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"


def _month_path(label: str) -> Path | None:
    """Quarter and half of a month, by number or name; None if it is none."""
    number = _number_of_name(label, _MONTHS.split(), 12)
    return None if number is None else (f"Q{(number + 2) // 3}", f"H{(number + 5) // 6}")


def _day_path(label: str) -> Path | None:
    """`weekend` or `working day`, for the name of a day of the week; None if it is none."""
    number = None if label.isdigit() else _number_of_name(label, _DAYS.split(), 7)
    return None if number is None else ("weekend" if number > 5 else "working day",)


def _number_of_name(label: str, names: list[str], most: int) -> int | None:
    """The number 1 to `most` that a label is, or names by 3 first letters or more; else None."""
    if label.isdigit():
        return int(label) if 1 <= int(label) <= most else None
    key = label.casefold().rstrip(".")
    found = [i for i, name in enumerate(names, 1) if len(key) >= 3 and name.startswith(key)]
    return found[0] if len(found) == 1 else None


_PATHS: dict[str, Callable[[str], Path | None]] = {
    "icd-10": _icd_path,
    "nace": _nace_path,
    "naics": _naics_path,
    "us-states": _state_path,
    "us-counties": _county_path,
    "months": _month_path,
    "weekdays": _day_path,
}

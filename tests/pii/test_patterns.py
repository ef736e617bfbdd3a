"""Check digits and ages against slow twins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.pii.dates import shows_old_ages, shows_old_births
from incrowd.pii.patterns import has_check_sum, is_bank_account, is_vehicle_number
from naive.safe_harbor import tells_old_age, tells_old_birth

ALPHABET = "0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ"
"""Whose place, modulo 10, is a letter's value in a vehicle's number."""

VINS = ["1M8GDM9AXKP042788", "11111111111111111", "5GZCZ43D13S812715"]


def check_digit(vin):
    """The ninth character, by the table of the rule in another form."""
    weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
    total = sum(w * (ALPHABET.index(c) % 10) for w, c in zip(weights, vin, strict=True))
    return "0123456789X"[total % 11]


@pytest.mark.parametrize("vin", VINS)
def test_published_numbers_of_vehicles(vin):
    assert is_vehicle_number(vin)
    assert is_vehicle_number(vin.lower())
    others = [f"{vin[:8]}{digit}{vin[9:]}" for digit in "0123456789X" if digit != vin[8]]
    assert not any(map(is_vehicle_number, others))


@given(st.text("0123456789ABCDEFGHJKLMNPRSTUVWXYZ", min_size=17, max_size=17))
def test_check_digits_of_vehicles(text):
    assert is_vehicle_number(text) == (text[8] == check_digit(text))
    assert is_vehicle_number(f"{text[:8]}{check_digit(text)}{text[9:]}")


@given(st.text("0123456789", min_size=2, max_size=19), st.data())
def test_one_wrong_digit_is_seen(digits, data):
    right = next(digits + last for last in "0123456789" if has_check_sum(digits + last))
    place = data.draw(st.integers(0, len(right) - 1))
    other = data.draw(st.sampled_from([d for d in "0123456789" if d != right[place]]))
    assert not has_check_sum(right[:place] + other + right[place + 1 :])


@given(st.integers(0, 96))
def test_one_pair_of_check_digits_fits_a_bank_account(number):
    fitting = [c for c in range(2, 99) if is_bank_account(f"GB{c:02}WEST123456987654{number:02}")]
    assert len(fitting) == 1


def labels(first, last):
    number = st.integers(first, last)
    pairs = st.tuples(number, number).map(sorted)
    return st.one_of(
        number.map(str),
        pairs.map(lambda p: f"{p[0]}-{p[1]}"),
        pairs.map(lambda p: f"[{p[0]}, {p[1]}]"),
        pairs.filter(lambda p: p[0] < p[1]).map(lambda p: f"[{p[0]}, {p[1]})"),
        number.map("{}+".format),
        number.map(">{}".format),
        number.map("<{}".format),
        number.map("[{}, inf)".format),
        number.map("(-inf, {})".format),
        number.map("(-inf, {}]".format),
    )


@given(labels(80, 100))
def test_ages_over_89_are_none_or_all(label):
    assert shows_old_ages([label]) == tells_old_age(label)


@given(labels(1925, 1945), st.integers(2020, 2030))
def test_birth_years_tell_no_age_over_89_or_all(label, today):
    assert shows_old_births([label], today) == tells_old_birth(label, today)

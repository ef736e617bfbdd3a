"""Lodha-Thomas Figure 3: Adult's sets of columns, the sizes that they declare, what they print."""

DOMAINS = {
    "age": 60,
    "workclass": 8,
    "education": 15,
    "marital-status": 7,
    "occupation": 14,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "hours-per-week": 20,
    "native-country": 40,
}
PRINTED = {
    1: (6.1e-5, 60, 7.4e-8, 5e6),
    2: (0.03, 1200, 1.48e-6, 2.5e5),
    3: (0.002, 600, 7.4e-7, 5e5),
    4: (0.16, 1e5, 1.2e-4, 3e3),
    5: (0.095, 2.7e5, 3.3e-4, 1.1e3),
    6: (0.23, 6.7e5, 8.3e-4, 450),
    7: (0.043, 6.7e4, 8.3e-5, 4.5e3),
    8: (0.235, 4e6, 4.9e-3, 75),
    9: (0.16, 2.8e5, 3.4e-4, 1e3),
    10: (0.40, 8e5, 9.9e-4, 380),
    11: (0.32, 5.4e6, 6.7e-3, 55),
    12: (0.76, 33e9, 0.99, 1),
}
"""F1, D, F2 and k-Anon as Figure 3 prints them."""
SETS = {
    1: ("age",),
    2: ("age", "hours-per-week"),
    3: ("age", "race", "sex"),
    4: ("age", "workclass", "education", "occupation"),
    5: ("age", "workclass", "occupation", "native-country"),
    6: ("age", "occupation", "hours-per-week", "native-country"),
    7: ("workclass", "education", "occupation", "native-country"),
    8: ("age", "workclass", "education", "occupation", "native-country"),
    9: ("age", "workclass", "marital-status", "occupation", "relationship"),
    10: ("age", "workclass", "occupation", "relationship", "hours-per-week"),
    11: ("age", "workclass", "occupation", "hours-per-week", "native-country"),
    12: tuple(DOMAINS),
}
"""The columns of each row, as the printed numbers of unique records tell them."""

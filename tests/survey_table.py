"""A made survey of 5,000 people and 35 columns: negative codes, ordinals, health and habits."""

from datetime import date, timedelta

import numpy as np
import polars as pl

FIRST = date(2023, 3, 1)
SATISFIED = "very dissatisfied|dissatisfied|neutral|satisfied|very satisfied"


def survey(rows=5_000, seed=8):
    """Nobody in it exists."""
    rng = np.random.default_rng(seed)

    def code(*shares, first=1):
        shares = np.array(shares, dtype=float)
        return first + rng.choice(len(shares), rows, p=shares / shares.sum())

    def marked(cells, mark, share):
        return np.where(rng.random(rows) < share, mark, cells)

    def words(names, *shares):
        return [names.split("|")[i] for i in code(*shares, first=0)]

    age = np.clip(rng.normal(47, 18, rows), 16, 96).astype(int)
    height = np.clip(rng.normal(170, 9, rows), 140, 205).round().astype(int)
    return pl.DataFrame(
        {
            "resp_id": np.arange(10_001, 10_001 + rows),
            "intdate": [str(FIRST + timedelta(days=int(day))) for day in rng.integers(0, 90, rows)],
            "int_dur": np.clip(rng.normal(42, 9, rows), 15, 90).astype(int),
            "wgt": rng.lognormal(0, 0.35, rows).round(4),
            "sex": code(48, 52),
            "age": age,
            "region": code(*range(6, 22)),
            "urban": code(40, 35, 25),
            "edu": marked(code(12, 30, 33, 25), -9, 0.01),
            "marital": code(25, 55, 9, 11),
            "nchild": np.minimum(rng.poisson(1.3, rows), 9),
            "occ": marked(code(*([3] * 9)), -8, 0.35),
            "cntry_birth": code(88, 4, 3, 3, 2),
            "height": height,
            "hh_inc": marked((rng.lognormal(7.6, 0.5, rows) // 50 * 50).astype(int), -8, 0.13),
            "savings": marked(code(30, 30, 25, 15), -9, 0.05),
            "debts": code(70, 30),
            "benefits": code(82, 18),
            "health": code(20, 42, 25, 10, 3),
            "chronic": code(68, 32),
            "depress": np.clip(rng.poisson(4, rows), 0, 21),
            "sleep_prob": code(55, 30, 15),
            "medication": code(60, 40),
            "bmi": (rng.normal(78, 14, rows) / (height / 100) ** 2).round(1),
            "smoke": code(26, 74),
            "cigs": np.where(rng.random(rows) < 0.74, -8, rng.integers(1, 41, rows)),
            "alc_freq": words("never|rarely|sometimes|often", 20, 35, 30, 15),
            "alc_abuse": code(5, 95),
            "sport": code(36, 64),
            "trust": marked(code(5, 15, 30, 35, 15), 9, 0.02),
            "vote": marked(code(30, 25, 20, 15, 10), 99, 0.12),
            "lrscale": marked(code(4, 3, 8, 10, 10, 25, 10, 11, 9, 4, 6, first=0), 88, 0.08),
            "relig": code(45, 15, 25, 15),
            "lifesat": words(SATISFIED, 5, 12, 23, 42, 18),
            "friends": marked(np.minimum(rng.poisson(5, rows), 30), 99, 0.03),
        }
    )  # fmt: skip

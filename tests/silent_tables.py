"""A made table under names that say nothing: 35 columns of identifiers, 60 harmless ones."""

import datetime as dt

import numpy as np
import polars as pl

from incrowd.datasets import hospital
from incrowd.pii.patterns import has_check_sum

ROWS = 600


def _luhn(text):
    return next(f"{text}{d}" for d in range(10) if has_check_sum(f"{text}{d}"))


def _vin(i):
    from incrowd.pii.patterns import is_vehicle_number  # the check digit is searched for

    body = f"1HGCM826{{}}3A{100000 + i}"
    return next(body.format(c) for c in "0123456789X" if is_vehicle_number(body.format(c)))


def identifiers(rng):
    """By letter and what it is: the cells of columns that Safe Harbor forbids."""
    n = range(ROWS)
    people = hospital(ROWS, seed=11)["name"].to_list()
    days = [dt.date(1950, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 26_000, ROWS)]
    cities = "Boston Chicago Houston Denver Seattle Fresno Tucson Omaha Reno Springfield Dover Elko"
    picks = rng.integers(0, 10_000, ROWS)

    def some(*values):
        return [values[p % len(values)] for p in picks]

    small = ("036", "059", "692", "821", "021", "100", "606", "900", "941", "303")
    return {
        "A full names": people,
        "A family names": [name.split()[-1] for name in people],
        "A given names": [name.split()[0] for name in people],
        "A last, first": [f"{name.split()[-1]}, {name.split()[0]}" for name in people],
        "A with title": [f"Mrs. {name.split()[-1]}" for name in people],
        "B cities": some(*cities.split()),
        "B city and state": some("Boston, MA", "Salem, OR", "Reno, NV", "Elko, NV"),
        "B counties": some("Cook County", "Kings County", "Elko County", "Bexar County"),
        "B streets": [f"{i + 1} Maple Street" for i in n],
        "B zip texts": [f"{small[p % 10]}{p % 90:02d}" for p in picks],
        "B zip numbers": [int(f"{(100, 606, 900, 941, 303)[p % 5]}{p % 90:02d}") for p in picks],
        "B small zip3": [f"{small[p % 10]}**" for p in picks],
        "B zip3": [small[p % 10] for p in picks],
        "B coordinates": [f"{30 + p / 700:.5f}, -{80 + p / 700:.5f}" for p in picks],
        "C dates": [str(day) for day in days],
        "C american dates": [f"{day:%m/%d/%Y}" for day in days],
        "C months": [f"{day:%b %Y}" for day in days],
        "C compact": [int(f"{day:%Y%m%d}") for day in days],
        "C seconds": [1_400_000_000 + int(p) * 7_001 for p in picks],
        "C ages": [int(a) for a in np.clip(rng.normal(48, 21, ROWS), 0, 101)],
        "C birth years": [2026 - int(a) for a in np.clip(rng.normal(48, 21, ROWS), 0, 101)],
        "D phones": [f"(212) 555-{i:04d}" for i in n],
        "D ten digits": [2_125_550_000 + int(i) for i in n],
        "F e-mails": [f"person{i}@example.org" for i in n],
        "G dashed": [f"{200 + i % 90}-{10 + i % 80}-{1000 + i}" for i in n],
        "G nine digits": [219_090_001 + 7 * i for i in n],
        "H record numbers": [f"MRN {7_000_000 + 13 * i}" for i in n],
        "I medicare": [f"1EG4-TE{i % 10}-MK{i % 90:02d}".replace("TE", "TE") for i in n],
        "J cards": [_luhn(f"411111{i:09d}") for i in n],
        "L vehicles": [_vin(i) for i in n],
        "M hardware": [f"00:1a:2b:{i // 256:02x}:{i % 256:02x}:5e" for i in n],
        "N links": [f"https://example.org/u/{i}" for i in n],
        "O addresses": [f"192.168.{i % 200}.{100 + i % 150}" for i in n],
        "Q photos": [f"face_{i}.jpg" for i in n],
        "R codes": [f"A{i:05d}-{(i * 7919) % 997:03d}" for i in n],
    }


def harmless(rng):
    """What it is: the cells of columns that Safe Harbor allows."""
    picks = rng.integers(0, 10_000, ROWS)

    def some(text, by="|"):
        values = text.split(by)
        return [values[p % len(values)] for p in picks]

    def whole(low, high, mean=None):
        if mean is None:
            return rng.integers(low, high + 1, ROWS).tolist()
        spread = (high - low) / 6
        return np.clip(rng.normal(mean, spread, ROWS), low, high).round().astype(int).tolist()

    def real(low, high, digits):
        return rng.uniform(low, high, ROWS).round(digits).tolist()

    drugs = "|".join(f"{i * 37 + 100:05d}-{i * 11 + 10:04d}-{i % 40:02d}" for i in range(60))
    texts = {
        "blood groups": "A+|A-|B+|B-|AB+|AB-|0+|0-",

        "drug codes": drugs,
        "diagnoses": "|".join(f"{'CEIJK'[i % 5]}{i * 7 % 90:02d}.{i % 9}" for i in range(80)),
        "procedures": "99213|99214|80053|85025|93000|36415|71046|97110",
        "laboratory codes": "2345-7|718-7|2160-0|4548-4|2951-2|2823-3|1742-6|3016-3",
        "colours": "red|blue|green|brown|black|white|grey|yellow|orange",
        "states": "MA|NY|CA|TX|WA|OR|IL|FL|OH|PA",
        "countries": "Germany|France|Poland|Spain|Italy|Kenya|Japan|Brazil",
        "sexes": "male|female", "yes or no": "yes|no", "truth": "true|false",
        "agreement": "strongly disagree|disagree|neutral|agree|strongly agree",
        "frequency": "never|rarely|sometimes|often|always",

        "drugs": "Aspirin|Metformin|Lisinopril|Atorvastatin|Amoxicillin|Omeprazole|Insulin",
        "illnesses": "Asthma|Type 2 Diabetes|Hypertension|Lung Cancer|Pneumonia|Heart Failure",
        "departments": "Internal Medicine|Cardiology|Emergency|Surgery|Pediatrics|Oncology",
        "payers": "Medicare|Medicaid|Private|Self Pay|Other",
        "marital": "married|single|widowed|divorced", "schooling": "primary|secondary|tertiary",
        "occupations": "teacher|nurse|driver|cook|clerk|farmer|engineer|lawyer",
        "origins": "White|Black|Asian|Hispanic|Other",
        "languages": "English|Spanish|Polish|Chinese",
        "religions": "catholic|protestant|muslim|jewish|none", "arms": "placebo|low dose|high dose",
        "groups": "A|B|C|D", "currencies": "USD|EUR|GBP|PLN", "products": "AB-12|AB-13|CD-40|CD-55",
        "versions": "1.2.3|1.2.4|2.0.0|2.1.0", "doses": "5 mg|10 mg|20 mg|40 mg",
        "pressures": "120/80|130/85|140/90|110/70", "severity": "mild|moderate|severe",
        "stages": "I|II|III|IV", "age groups": "[20, 30)|[30, 40)|[40, 50)|[50, 60)",
        "pooled ages": "18-44|45-64|65-89|90+",
        "cars": "Toyota|Volkswagen|Renault|Fiat|Skoda|Volvo",
        "animals": "dog|cat|horse|cow|sheep|goat|rabbit", "flowers": "Rose|Lily|Tulip|Daisy|Iris",
        "foods": "bread|rice|pasta|potatoes|beans|fish", "sports": "running|tennis|football|chess",
        "occupation codes": "15-1252|29-1141|25-2021|41-2031|35-2014",
        "industries": "6211|6220|4451|2382|5415|7225", "results": "positive|negative|unclear",
        "units": "mg/dL|mmol/L|g/L|IU/L", "zip3 of large areas": "021**|100**|606**|900**|941**",
    }  # fmt: skip
    numbers = {
        "scores": whole(0, 100), "systolic": whole(85, 210, 125), "diastolic": whole(40, 118, 78),
        "pulses": whole(45, 160, 75), "kilograms": whole(38, 160, 78),
        "centimetres": whole(140, 205, 170), "visits": whole(0, 12), "children": whole(0, 6),
        "nights": whole(1, 60, 6), "years of visits": whole(2015, 2024),
        "calories": whole(1400, 3600),
        "steps": whole(0, 25_000), "temperatures": real(35.5, 40.5, 1),
        "glucose": whole(60, 320, 110), "costs": real(10, 20_000, 2), "ratios": real(0, 1, 4),
    }  # fmt: skip
    return {name: some(text) for name, text in texts.items()} | numbers


def silent_table(seed=4):
    """The table, and by column what it is: an identifier's letter first, or nothing."""
    rng = np.random.default_rng(seed)
    held, allowed = identifiers(rng), harmless(rng)
    every = list(held.items()) + list(allowed.items())
    order = rng.permutation(len(every))
    frame = pl.DataFrame({f"v{i}": every[j][1] for i, j in enumerate(order)})
    what = {f"v{i}": (every[j][0], every[j][0] in held) for i, j in enumerate(order)}
    return frame, what


def silent_figures(checklist, what):
    """Precision and recall of columns that fail or that a person is asked to look at.

    P and R ask for a look at every table; only columns that they name count.
    """
    named = {found.column for check in checklist.checks for found in check.columns}
    found = sum(what[name][1] for name in named)
    held = sum(holds for _, holds in what.values())
    missed = sorted(kind for name, (kind, holds) in what.items() if holds and name not in named)
    wrong = sorted(what[name][0] for name in named if not what[name][1])
    return found / max(len(named), 1), found / held, missed, wrong

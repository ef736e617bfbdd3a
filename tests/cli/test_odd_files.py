"""Odd files in every place where a command reads one: a sentence, a remedy, the right exit code."""

import gzip
import random

import pytest

from patients import MARK

DRAWN = random.Random(0)
GOOD = "age,sex,zip,ill\n" + "".join(
    f"{DRAWN.randint(20, 60)},{DRAWN.choice('FM')},0213{DRAWN.randint(0, 4)},"
    f"{MARK}{DRAWN.randint(0, 3)}\n"
    for _ in range(120)
)
NOISE = DRAWN.randbytes(300)
FILES = {
    "empty": b"",
    "blank": b"\n \n\n",
    "header": b"age,sex,zip,ill\n",
    "mark of UTF-8 alone": b"\xef\xbb\xbf",
    "zero byte": GOOD[:200].encode() + b"\0" + GOOD[200:].encode(),
    "late zero byte": GOOD.encode() * 40 + b"\0,\0,\0,\0\n",
    "few fields": GOOD.encode() + f"{MARK},1\n".encode(),
    "many fields": GOOD.encode() + f"1,2,3,4,{MARK}\n".encode(),
    "binary": bytes(range(256)) * 50,
    "UTF-16 without mark": GOOD.encode("utf-16-le"),
    "broken UTF-8": GOOD.encode() + b"30,\xff\xfe,02130,x\n",
    "name twice": GOOD.replace("age,sex", "age,age").encode(),
    "no name": GOOD.replace("age,sex", ",sex").encode(),
    "open quote": GOOD.encode() + f'30,F,02130,"{MARK}\n'.encode(),
    "cut gzip": gzip.compress(GOOD.encode())[:-12],
    "false gzip": b"\x1f\x8b" + NOISE,
    "gzip with more after it": gzip.compress(GOOD.encode()) + b"more",
    "empty gzip": gzip.compress(b""),
    "false zstd": b"\x28\xb5\x2f\xfd" + NOISE,
    "false Parquet": b"PAR1" + NOISE + b"PAR1",
    "false Arrow": b"ARROW1" + NOISE,
    "false stream": b"\xff\xff\xff\xff" + NOISE,
    "workbook": b"PK\x03\x04" + NOISE,
    "page": f"<html>{MARK}</html>".encode(),
    "commas": b",,,\n" * 30,
    "long cell": GOOD.encode() + b'30,F,02130,"' + b"x" * 300_000 + b'"\n',
    "steering name": GOOD.replace("age", "a\x1bge").encode(),
    "numbers": b"1,2,3,4\n" * 50,
    "long number": GOOD.encode() + b"9" * 400 + b",F,02130,x\n",
}
COMMANDS = [
    ("init", "{}", "-o", "o.toml", "--force"),
    ("discover", "{}", "--time-limit", "3"),
    ("risk", "{}", "-q", "age,sex,zip", "-s", "ill"),
    ("plan", "{}", "--population", "1e6", "-k", "5"),
    ("mask", "{}", "--ratio", "0.5", "-o", "o.csv", "--time-limit", "3"),
    ("quantiles", "{}", "--columns", "age", "-k", "5", "-o", "o.csv"),
    ("check", "{}", "-q", "age", "-k", "2"),
    ("check", "good.csv", "--certificate", "{}"),
    ("attack", "{}", "--max-size", "1"),
    ("attack", "good.csv", "--world", "{}", "--max-size", "1"),
    ("safe-harbor", "{}"),
    ("safe-harbor", "good.csv", "--zip-populations", "{}"),
    ("anonymize", "good.csv", "-p", "{}", "-o", "o.csv"),
    ("anonymize", "good.csv", "-q", "age,zip", "-k", "5", "--hierarchy", "zip={}", "--dry-run"),
    ("anonymize", "good.csv", "-q", "age,zip", "-k", "5", "--world", "{}", "--dry-run"),
]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:5]))
def test_odd_files_end_in_a_sentence(incrowd, here, command):
    (here / "good.csv").write_text(GOOD)
    for name, content in FILES.items():
        (here / "odd.csv").write_bytes(content)
        said = incrowd(*(part.replace("{}", "odd.csv") for part in command))
        assert said.code in {0, 1, 2, 3, 4, 5}, (name, said.err)
        assert MARK not in said.out + said.err, name
        assert "\x1b" not in said.out + said.err, name
        if said.code > 1:
            assert len(said.errors) == 1, (name, said.err)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:5]))
def test_what_is_no_file_has_a_remedy(incrowd, here, command):
    (here / "good.csv").write_text(GOOD)
    (here / "folder.csv").mkdir()
    for name in ("folder.csv", "missing.csv"):
        said = incrowd(*(part.replace("{}", name) for part in command))
        assert said.code in {2, 3}, said.err
        assert name in said.err
        assert "help: " in said.err

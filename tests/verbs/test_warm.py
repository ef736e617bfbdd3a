"""`warm` compiles what is missing, counts it, and says where it is."""

import json
from contextlib import nullcontext

import incrowd.kernels.compile as compiling
import incrowd.kernels.warm as kernels
from incrowd.cli.main import perform
from incrowd.verbs.warm import warm

ALL = (("a.one", "[]"), ("a.two", "[]"), ("a.three", "[]"))


def prepared(monkeypatch, missing):
    done = []
    monkeypatch.setattr(kernels, "known_signatures", lambda: ALL)
    monkeypatch.setattr(kernels, "missing_signatures", lambda: missing)
    monkeypatch.setattr(kernels, "run_helpers", lambda *_, **__: nullcontext())
    monkeypatch.setattr(
        kernels, "compile_all", lambda wanted: (done.append(one) or one for one in wanted)
    )
    return done


def test_what_is_missing_is_compiled_and_counted(monkeypatch):
    done, told = prepared(monkeypatch, ALL[1:]), []
    made = warm(tell=lambda ready, of: told.append((ready, of)))
    assert done == list(ALL[1:])
    assert told == [(2, 3), (3, 3)]
    assert made == kernels.Warmed(3, 2, compiling.CACHE)


def test_the_document_and_the_text(monkeypatch, capsys):
    prepared(monkeypatch, ALL[:1])
    assert perform(["warm", "--json"]) == 0
    expected = {"schema": "incrowd.warm/1", "kernels": 3, "compiled": 1}
    assert json.loads(capsys.readouterr().out) == expected | {"folder": str(compiling.CACHE)}
    assert perform(["warm"]) == 0
    assert "3 kernels are ready, 1 of them compiled now" in capsys.readouterr().out

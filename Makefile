PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A file's tests run in one process: they share its fixtures and the kernels that it compiled.
PYTEST := -n 2 --dist loadfile
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Bytecode is kept: every process that a test starts would compile it anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test check install bench lint clean

help:  ## What can be made here
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(INSTALL) -e .
	@touch $@

$(VENV)/.all: pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[all]'
	@touch $@ $(VENV)/.core

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(INSTALL) --upgrade 'pip>=25.1'
	$(INSTALL) -e '.[all]' --group dev
	@touch $@ $(VENV)/.all $(VENV)/.core

install: $(VENV)/.all  ## .venv with the package and all extras

demo: $(VENV)/.core  ## A table of patients becomes a verified release
	$(BIN)/python -m incrowd.demo

test: lint  ## Lint, types and all tests
	$(BIN)/python -m pytest $(PYTEST) --durations=20

check: lint  ## The fast half of the tests
	$(BIN)/python -m pytest $(PYTEST) -m 'not slow'

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev  ## Ratios against named references, with memory
	$(BIN)/python -m benchmarks --install

clean:  ## Forget everything made here
	rm -rf $(VENV) demo .mypy_cache .ruff_cache .pytest_cache .hypothesis

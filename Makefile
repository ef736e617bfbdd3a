PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Which tests share a process, and which are begun first: tests/schedule.py
# Three processes keep two cores busy: browsers, servers and Java are waited for.
PYTEST := -n 3 --dist loadfile --no-loadscope-reorder --durations=20
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Bytecode is kept: every process that a test starts would compile it anew.
export PYTHONDONTWRITEBYTECODE :=

# The processes fill two cores; more threads in each wait for each other. `thorough` has them.
test check: export POLARS_MAX_THREADS := 1
test check thorough: export OPENBLAS_NUM_THREADS := 1

.PHONY: help demo test thorough check install bench docs refresh lint wheel clean

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

test: lint  ## Lint, types and the tests that a change must pass
	$(BIN)/python -m pytest $(PYTEST) -m 'not thorough' -rs

thorough: lint  ## All tests, with as many examples of each property as it asks for
	$(BIN)/python -m pytest $(PYTEST) -rs --hypothesis-profile many

check: lint  ## The fast half of the tests, few examples of each property
	$(BIN)/python -m pytest $(PYTEST) -m 'not slow and not thorough' --hypothesis-profile few

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev  ## Ratios against named references, with memory
	$(BIN)/python -m benchmarks --install

docs: $(VENV)/.dev  ## The documentation site in build/docs; warnings are errors
	$(BIN)/python -m sphinx -W --keep-going -n -q -b html -d build/doctrees docs build/docs
	@echo build/docs/index.html

refresh: $(VENV)/.dev  ## Run what the pages show, and write what it gives into them
	$(BIN)/python docs/refresh.py

wheel: $(VENV)/.dev  ## A wheel that carries compiled kernels, tried in a fresh environment
	rm -rf build/kernels
	PYTHONPATH=src $(BIN)/python -P -m incrowd.kernels.carry build/kernels
	INCROWD_KERNELS=$(CURDIR)/build/kernels $(BIN)/python -m pip wheel --quiet --no-deps -w dist .
	$(BIN)/python tests/try_wheel.py dist

clean:  ## Forget everything made here
	rm -rf $(VENV) build dist demo docs/reference/generated .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Needs Python 3.11 or later, its pip and venv, and make. Another Python: make test PYTHON=python3.13

PYTHON ?= python3
SHELL := /bin/bash
.SHELLFLAGS := -e -o pipefail -c
.DEFAULT_GOAL := help

export JAX_PLATFORMS ?= cpu

# pyenv shows only the Pythons that are selected. Select the installed ones too, behind those.
ifeq ($(origin PYENV_VERSION),undefined)
ifneq ($(shell command -v pyenv),)
export PYENV_VERSION := $(shell pyenv version-name):$(shell pyenv versions --bare --skip-aliases | paste -sd:)
endif
endif

# (make before 4.4 does not hand exported variables to $(shell).)
VERSION := $(shell PYENV_VERSION='$(PYENV_VERSION)' $(PYTHON) -c 'import sys; print("{}.{}".format(*sys.version_info))')
ifeq ($(VERSION),)
$(error `$(PYTHON)` does not run. Name a Python of version 3.11 or later: make PYTHON=/path/to/python3)
endif

VENV := .venv-$(VERSION)
BIN := $(VENV)/bin
# A slow or faltering package index is asked again: by pip for each file, and after a pause for the whole.
export PIP_RETRIES ?= 10
export PIP_DEFAULT_TIMEOUT ?= 60
export PIP_DISABLE_PIP_VERSION_CHECK := 1
install = for pause in 0 15 60; do \
	    sleep $$pause; $(BIN)/python -m pip install --quiet -c constraints.txt -e '$(1)' && break; \
	  done
DEMO := build/demo
SHARED ?= ../shared
# More processes than cores, since many tests wait for one of their own.
PYTEST_ARGS ?= -n 3 --dist worksteal
BENCH_ARGS ?=
NOX_ARGS ?=
SAME_ARGS ?=

.PHONY: help demo test lint types format unit bench matrix score same reference lesson picture gallery advice-table clean

help:  ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

$(VENV)/.demo: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@echo "Installing whyjit, JAX and scikit-learn into $(VENV)"
	$(call install,.[demo])
	touch $@

$(VENV)/.test: $(VENV)/.demo
	@echo "Installing what the tests need into $(VENV)"
	$(call install,.[test])
	touch $@

demo: $(VENV)/.demo  ## Run whyjit on a training script with faults and on the mended one, and compare.
	mkdir -p $(DEMO)
	for name in digits digits_fixed; do \
	  echo; echo "\$$ whyjit run examples/$$name.py"; \
	  PYTHONUNBUFFERED=1 $(BIN)/whyjit run --out $(DEMO)/runs --json $(DEMO)/$$name.json examples/$$name.py \
	    | tee $(DEMO)/$$name.txt; \
	done
	@echo
	@$(BIN)/python examples/compare_digits.py $(DEMO)/digits $(DEMO)/digits_fixed

test: lint types unit  ## Everything that must pass before a change goes in.

lint: $(VENV)/.test  ## Style, with ruff.
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.test  ## Types, with mypy.
	$(BIN)/mypy

unit: $(VENV)/.test  ## The test suite alone.
	$(BIN)/python -m pytest $(PYTEST_ARGS)

format: $(VENV)/.test  ## Bring the code into shape.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.test  ## What recording costs, against bare JAX and against its peers.
	$(BIN)/python -m bench.run $(BENCH_ARGS)

matrix: $(VENV)/.test  ## The test suite with each supported JAX.
	$(BIN)/nox $(NOX_ARGS)

score: $(VENV)/.test  ## The share of known cases that whyjit explains rightly.
	$(BIN)/python scripts/score_gate.py --whyjit $(BIN)/whyjit --shared $(SHARED)

same: $(VENV)/.test  ## Programs with and without whyjit: what they print, how they end, and what JAX does.
	$(BIN)/python scripts/same_gate.py --python $(BIN)/python --whyjit $(BIN)/whyjit $(SAME_ARGS) \
	  tests/cases examples/digits*.py $(if $(SHARED),$(wildcard $(SHARED)/cases))

reference: $(VENV)/.test  ## Make docs/reference anew, from the code that it describes.
	$(BIN)/python scripts/reference_pages.py

lesson: $(VENV)/.test  ## Make the lesson's page and notebook anew, from its one source.
	$(BIN)/python scripts/lesson_pages.py

picture: $(VENV)/.demo  ## Make docs/summary.svg anew from a real run.
	$(BIN)/python scripts/readme_picture.py

gallery: $(VENV)/.test  ## Make the pictures of docs/gallery.md anew, and the full reports in build/gallery.
	$(BIN)/python scripts/gallery.py build/gallery

advice-table: $(VENV)/.test  ## Try all functions of the suite of advice, and count in docs/explanation/advice.md.
	$(BIN)/python scripts/advice_table.py

clean:  ## Remove environments, recordings and build results.
	rm -rf .venv-* .nox build dist .whyjit .pytest_cache .ruff_cache .hypothesis

# One word, one task; `make` alone says which. Needs Python 3.11 or newer and a package index, nothing else.
SHELL := /bin/sh
.DEFAULT_GOAL := help

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
UV_COMPILE := $(BIN)/uv --quiet pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-header
RUNS_EXTRAS := --extra build --extra ocr --extra postgres --extra redis --extra signing

WORKERS ?= 2

.PHONY: help demo serve setup test check coverage soak bench lock clean

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/installed-demo ## a whole tender to look at and play with, on this machine
	@$(BIN)/tender demo $(if $(PORT),--port $(PORT)) $(if $(FRESH),--fresh)

serve: .venv/installed-demo ## the real thing, as the environment's settings say
	@$(BIN)/tender serve

setup: .venv/installed-all ## everything that developing and testing needs, into .venv

test: setup ## every test, on SQLite and PostgreSQL, in a real browser; the rules' coverage
	@$(BIN)/python tests/machine.py ensure
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --cov --cov-report term:skip-covered

check: setup ## style, types, import contracts and house rules, in seconds; says all that is wrong, not the first
	@failed=0; \
	$(BIN)/ruff check --output-format concise . || failed=1; \
	$(BIN)/ruff format --check --output-format concise . || failed=1; \
	$(BIN)/mypy || failed=1; \
	$(BIN)/lint-imports --no-logo --no-cache || failed=1; \
	$(BIN)/python -m tests.tidy || failed=1; \
	exit $$failed

coverage: setup ## which branches the tests walk, in the whole program; fails if the rules have gaps
	@$(BIN)/python tests/machine.py ensure
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --cov --cov-report html --cov-report term
	@$(BIN)/coverage report --include='tender/*' --fail-under=0

soak: setup ## the simulated tenders, for long: many more examples, other seeds each time
	@$(BIN)/python -m pytest tests/simulation --hypothesis-profile=soak --hypothesis-show-statistics

bench: setup ## the measurements
	@$(BIN)/tender bench

lock: setup ## resolve the dependencies anew, with hashes
	$(UV_COMPILE) --all-extras pyproject.toml -o requirements.txt
	$(UV_COMPILE) $(RUNS_EXTRAS) --constraint requirements.txt pyproject.toml -o requirements-demo.txt

clean: ## remove what can be made again; what was entered (var/) stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage htmlcov dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the virtual environment -----------------------------------------------------------------------------------------
# A stamp is younger than what it was made from, so a second `make` installs nothing.

.venv/installed-demo: requirements-demo.txt | .venv/bin/python
	@echo "installing $$(grep -c == $<) packages from $< (a minute or so, once)"
	@$(PIP) install --require-hashes --no-compile -r $<
	@$(PIP) install --no-deps --no-build-isolation --no-index -e .
	@touch $@

.venv/installed-all: requirements.txt | .venv/bin/python
	@echo "installing $$(grep -c == $<) packages from $< (two minutes or so, once)"
	@$(PIP) install --require-hashes -r $<
	@$(PIP) install --no-deps --no-build-isolation --no-index -e .
	@touch $@

# The first Python that is new enough; PYTHON=... chooses another.
.venv/bin/python:
	@for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python); do \
	  "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	  if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	    echo "$$python cannot make virtual environments; on Debian and Ubuntu: sudo apt-get install -y python3-venv" >&2; \
	    exit 1; \
	  fi; \
	  exec "$$python" -m venv .venv; \
	done; \
	echo "Python 3.11 or newer was not found; install it, or say where it is: make PYTHON=/path/to/python3" >&2; \
	exit 1

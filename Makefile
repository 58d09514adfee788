# Tasks of development; `make` lists them. Needs the environment in .venv, which `make .venv` builds.
BIN := .venv/bin

.PHONY: help check lint test bench demo docs

help:
	@awk -F ':.*## ' '/^[a-z.]+:.*## / { printf "%-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.venv: ## build the environment
	python3 -m venv .venv
	$(BIN)/pip install -q -e '.[dev]'

check: ## ruff, format, mypy, import-linter, figures of the structure; changes nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/structure.py

lint: ## mend what ruff can mend, and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: ## all tests
	$(BIN)/python -m pytest -n auto

bench: ## short measurements: speed, rules and scripted models on labelled pairs and lines, what comes back in other words, secrets
	$(BIN)/python tests/bench/speed.py 10000
	$(BIN)/python tests/bench/judged_pairs.py
	$(BIN)/python tests/bench/session_lines.py
	$(BIN)/python tests/bench/model_agreement.py --most 10
	$(BIN)/python tests/bench/forgotten.py
	$(BIN)/python tests/bench/secret_detectors.py

demo: ## the app on a made-up person's logs
	$(BIN)/curator demo

docs: ## write the generated tables of docs/ anew
	$(BIN)/python tests/readme.py

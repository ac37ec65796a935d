# Needs Python >= 3.11 with venv, make and a package index; no root. uv is used where it is there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-slow check bench docs images clean

demo: $(READY)
	$(BIN)/assay demo --html demo-out --copy demo-out

test: check
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

test-slow: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "slow or hypothesis" --hypothesis-profile slow

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python bench/run.py --write

docs: $(READY)
	$(BIN)/python tools/make_docs.py
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

images: $(READY)
	$(BIN)/python tools/make_images.py

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	if command -v uv >/dev/null 2>&1; then \
	  uv pip install -q --python $(BIN)/python -c constraints.txt -e '.[dev]'; \
	else \
	  $(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'; \
	fi
	touch $(READY)

clean:
	rm -rf $(VENV) dist build site demo-out .pytest_cache .mypy_cache .ruff_cache .hypothesis .bench

# make demo   explain what two models make of the paper's guitar/banjo pair, in the terminal and as an HTML file
# make test   the whole test suite, with lint and types

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: setup demo test lint types test-transformers4 browser clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $@

FIRST := A man playing an electric guitar on stage.
SECOND := A man playing banjo on the floor.

demo: setup
	@echo "What decomposable attention does:" && echo
	@$(BIN)/gmask explain "$(FIRST)" "$(SECOND)" --model nli-dattn
	@$(BIN)/gmask explain "$(FIRST)" "$(SECOND)" --model nli-dattn -o out/demo.html
	@echo && echo "The same as a page: out/demo.html" && echo && echo "What BERT does:" && echo
	@$(BIN)/gmask explain "$(FIRST)" "$(SECOND)" --model nli

lint: setup
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks

types: setup
	$(BIN)/mypy

# A worker a processor, and a thread each, so that they do not get in each other's way.
test: lint types browser
	OMP_NUM_THREADS=1 $(BIN)/pytest

# Debian's Chromium, for the tests in a browser; where it cannot be had they skip themselves, and say so.
browser:
	@if command -v chromium || command -v chromium-browser || command -v google-chrome; then true; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  echo "installing Debian's Chromium for the tests in a browser"; \
	  { timeout 120 apt-get -qq update && \
	    DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq -y install chromium; } \
	    </dev/null >/dev/null || echo "NOTICE: Chromium could not be installed; the tests in a browser will be skipped"; \
	else echo "NOTICE: there is no Chromium here; the tests in a browser will be skipped"; fi

# The models' tests on the older transformers, in an environment of their own.
test-transformers4: .venv4/.ready
	.venv4/bin/pytest tests/model

.venv4/.ready: pyproject.toml constraints-transformers4.txt
	test -x .venv4/bin/python || $(PYTHON) -m venv .venv4
	.venv4/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-transformers4.txt --editable ".[test]"
	touch $@

clean:
	rm -rf $(VENV) .venv4 out

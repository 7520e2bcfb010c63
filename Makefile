# Two commands do everything: `make demo` and `make test`. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(wildcard native/*) $(shell find src -type d -not -name __pycache__)

.PHONY: demo test test-torch lint sanitize bench clean

demo: $(VENV)/installed
	$(BIN)/softpq demo demo

test: $(VENV)/installed-for-tests lint sanitize
	$(BIN)/python -m pytest --numprocesses auto

# torch is large: it has an environment of its own, and only these tests need it.
TORCH := .venv-torch
test-torch: $(TORCH)/installed
	$(TORCH)/bin/python -m pytest -W default tests/adapters

$(TORCH)/installed: $(SOURCES) $(shell find src -name "*.py")
	$(PYTHON) -m venv $(TORCH)
	$(TORCH)/bin/python -m pip install --quiet torch==2.13.0
	$(TORCH)/bin/python -m pip install --quiet torchmetrics lightning pytest hypothesis .
	touch $@

lint: $(VENV)/installed-for-tests node_modules/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PATH="$(CURDIR)/$(BIN):$$PATH" npm run --silent lint

# What checks the JavaScript of the report. Node comes with the package index, so Python, pip and a compiler are enough.
node_modules/installed: package.json $(VENV)/installed-for-tests
	PATH="$(CURDIR)/$(BIN):$$PATH" npm install --silent --no-save --no-package-lock
	touch $@

# The native code by itself, with what looks for memory errors, undefined behaviour and races.
CXX ?= c++
NATIVE := tests/native/test_kernel.cpp
STRICT := -std=c++17 -O1 -g -Wall -Wextra -Werror -fno-sanitize-recover=all
sanitize: $(NATIVE) $(wildcard native/*.hpp)
	mkdir -p build
	$(CXX) $(STRICT) -fsanitize=address,undefined $(NATIVE) -o build/native -lpthread && build/native
	$(CXX) $(STRICT) -fsanitize=address,undefined -DSOFTPQ_PORTABLE $(NATIVE) -o build/native-portable -lpthread && build/native-portable
	$(CXX) $(STRICT) -fsanitize=thread $(NATIVE) -o build/native-threads -lpthread && build/native-threads

bench: $(VENV)/installed
	$(BIN)/python benchmarks/run.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# The package is installed in place: Python files are used as they are, native code is built again when it changes.
$(VENV)/installed: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/installed-for-tests: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $(VENV)/installed $@

clean:
	rm -rf $(VENV) $(TORCH) node_modules build demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

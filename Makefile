# `make demo`, `make test` and `make docs` set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(wildcard native/*) $(shell find src -type d -not -name __pycache__)

.PHONY: demo test test-torch test-firefox test-oldest lint sanitize docs docs-links native-elsewhere wheel-checks fuzz fuzz-native mutants bench clean

demo: $(VENV)/installed
	$(BIN)/softpq demo demo

test: $(VENV)/installed-for-tests node_modules/installed
	$(MAKE) --jobs 2 lint sanitize
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

# Firefox, driven by WebDriver BiDi: FIREFOX names it if it is not firefox-esr.
test-firefox: $(VENV)/installed-for-tests
	PYTHONPATH=tests $(BIN)/python tests/firefox.py

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
sanitize: $(NATIVE) tests/native/test_coco.cpp tests/native/test_sums.cpp $(wildcard native/*.hpp)
	mkdir -p build
	$(CXX) $(STRICT) -fsanitize=address,undefined tests/native/test_coco.cpp -o build/native-coco -lpthread && build/native-coco
	$(CXX) $(STRICT) -fsanitize=address,undefined tests/native/test_sums.cpp -o build/native-sums && build/native-sums
	$(CXX) $(STRICT) -fsanitize=address,undefined $(NATIVE) -o build/native -lpthread && build/native
	$(CXX) $(STRICT) -fsanitize=address,undefined -DSOFTPQ_PORTABLE $(NATIVE) -o build/native-portable -lpthread && build/native-portable
	$(CXX) $(STRICT) -fsanitize=thread $(NATIVE) -o build/native-threads -lpthread && build/native-threads

# The site, in build/site; a warning is an error. `make test` builds it, too.
docs: $(VENV)/installed-for-docs
	rm -rf build/site
	$(BIN)/python -m sphinx -W --keep-going -E -q -b html -d build/doctrees docs build/site
	@echo "open build/site/index.html"

# Links to other sites; needs a network.
docs-links: $(VENV)/installed-for-docs
	$(BIN)/python -m sphinx -q -b linkcheck -d build/doctrees docs build/links

# The kernels by themselves on what this machine is not: Clang, ARM under an emulator, and a compiler for
# Windows, whose program runs where Wine is.
WINE ?= /usr/lib/wine/wine64
ELSEWHERE := -std=c++17 -O2 -Wall -Wextra -Werror
native-elsewhere:
	mkdir -p build
	for test in test_kernel test_coco test_sums; do \
	  clang++ $(ELSEWHERE) tests/native/$$test.cpp -o build/clang-$$test -lpthread && build/clang-$$test && \
	  aarch64-linux-gnu-g++ $(ELSEWHERE) -static tests/native/$$test.cpp -o build/arm-$$test -lpthread && \
	  qemu-aarch64-static build/arm-$$test && \
	  x86_64-w64-mingw32-g++-posix $(ELSEWHERE) -static tests/native/$$test.cpp -o build/$$test.exe -lpthread && \
	  { [ ! -x "$(WINE)" ] || WINEDEBUG=-all $(WINE) build/$$test.exe; } || exit 1; \
	done

# What is uploaded: sdist and wheel, looked at from all sides, and tested from outside of the tree.
WHEELS := .venv-wheels
wheel-checks:
	$(PYTHON) -m venv $(WHEELS)
	$(WHEELS)/bin/python -m pip install --quiet build twine check-wheel-contents abi3audit auditwheel
	rm -rf build/dist
	$(WHEELS)/bin/python -m build -o build/dist .
	$(WHEELS)/bin/twine check --strict build/dist/*
	$(WHEELS)/bin/check-wheel-contents build/dist/*.whl
	$(WHEELS)/bin/auditwheel show build/dist/*.whl
	set -- build/dist/*abi3*.whl; [ ! -e "$$1" ] || $(WHEELS)/bin/abi3audit --verbose --strict "$$@"  # from Python 3.12 on
	$(PYTHON) packaging/try_wheel.py build/dist --with-extras

# Proofs that take long, each a target of its own.
FUZZ_SECONDS ?= 3600
fuzz: $(VENV)/installed-for-tests
	end=$$(( $$(date +%s) + $(FUZZ_SECONDS) )); seed=1; while [ $$(date +%s) -lt $$end ]; do \
	  SOFTPQ_FUZZ_SEED=$$seed SOFTPQ_FUZZ_FILES=2000 $(BIN)/python -m pytest -q --numprocesses auto tests/fuzz || exit 1; \
	  seed=$$(( seed + 1 )); done

fuzz-native:
	mkdir -p build
	for what in kernels masks; do \
	  clang++ -std=c++17 -O1 -g -fsanitize=fuzzer,address,undefined tests/native/fuzz_$$what.cpp -o build/fuzz-$$what && \
	  build/fuzz-$$what -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -print_final_stats=1 || exit 1; done

OLDEST := .venv-oldest
test-oldest: $(OLDEST)/installed
	$(OLDEST)/bin/python -m pytest -W default --numprocesses auto --ignore tests/report --ignore tests/docs

$(OLDEST)/installed: $(SOURCES) tests/oldest.py $(shell find src -name "*.py")
	$(PYTHON) -m venv $(OLDEST)
	$(PYTHON) tests/oldest.py > $(OLDEST)/oldest.txt
	$(OLDEST)/bin/python -m pip install --quiet --constraint $(OLDEST)/oldest.txt '.[test]'
	touch $@

mutants: $(VENV)/installed-for-tests
	$(BIN)/python tests/mutants.py

bench: $(VENV)/installed
	$(BIN)/python benchmarks/run.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# The package is installed in place: Python files are used as they are, native code is built again when it changes.
$(VENV)/installed: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/installed-for-docs: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $(VENV)/installed $@

$(VENV)/installed-for-tests: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $(VENV)/installed $(VENV)/installed-for-docs $@

clean:
	rm -rf $(VENV) $(TORCH) $(OLDEST) $(WHEELS) node_modules build demo docs/_build docs/made .pytest_cache .mypy_cache .ruff_cache .hypothesis

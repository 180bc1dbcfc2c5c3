# Every target sets up what it needs: a virtual environment of its own and the compiled kernels.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGE := $(VENV)/.package
STAMP := $(VENV)/.developers
KERNELS := $(wildcard src/twinset/_kernels/*.cpp src/twinset/_kernels/*.hpp) CMakeLists.txt pyproject.toml

# The tables of characters are laid out by the script that writes them.
LAID_OUT := $(filter-out %/unicode_tables.hpp,$(wildcard src/twinset/_kernels/*.[ch]pp))

.PHONY: setup browser java postgresql screenshots demo quick test test-long wheel docs lint types layers bench fuzz sanitize clean

setup: $(STAMP)

$(VENV)/bin/python:
	@command -v $(or $(CXX),c++) >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || command -v clang++ >/dev/null 2>&1 || \
	  { echo "twinset needs a C++20 compiler to build its kernels: install g++ (Debian: apt-get install g++) or clang, or set CXX; a wheel needs none." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet "pip>=25.1"

# The package and what it needs to run: enough for the demo. It is built by the tools of this environment, so that
# a wheel made later finds the kernels compiled.
$(PACKAGE): $(VENV)/bin/python $(KERNELS)
	$(BIN)/python -m pip install --quiet --group kernels
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	@touch $@

# And the developers' tools, the oracles of the tests and every optional package.
$(STAMP): $(PACKAGE)
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

# The tests of the page drive a real Chromium; without one they are skipped and say so.
browser:
	@command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } || \
	  echo "no Chromium: the tests of the page in a browser will be skipped (install the package chromium)" >&2

# The tests of the Spark engine start a real Spark, which runs on Java; without it they are skipped.
java:
	@command -v java >/dev/null 2>&1 || [ -x "$$JAVA_HOME/bin/java" ] || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && \
	    apt-get update -qq && { apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless || \
	      apt-get install -y -qq --no-install-recommends openjdk-21-jre-headless; }; } || \
	  echo "no Java: the tests of the Spark engine will be skipped (install the package openjdk-17-jre-headless)" >&2

# The tests of indexes in a database start a PostgreSQL of their own; without it they are skipped.
postgresql:
	@command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql; } || \
	  echo "no PostgreSQL: the tests of indexes in a database will be skipped (install the package postgresql)" >&2

# Hundreds of tests start Python anew, and every worker reads all tests: what is compiled is kept.
test test-long: export PYTHONDONTWRITEBYTECODE =

# For every change: contracts (one case for every registered name), golden reports, promises and the doors for data;
# no browser, no Spark, no PostgreSQL.
QUICK := contracts golden doors plan model cli/test_commands.py test_house.py test_promises.py test_public_names.py
quick: lint types layers
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 16 --dist worksteal $(addprefix tests/,$(QUICK))

test: lint types layers browser java postgresql
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 16 --dist worksteal

# The tests that take minutes, of which small cases are among the others, and all examples of the
# property tests, of which the others try a third.
test-long: $(STAMP) java postgresql
	$(BIN)/python -m pytest -m long --numprocesses 2 --dist worksteal
	$(BIN)/python -m pytest -m "hypothesis and not long" --hypothesis-profile=all \
	  --numprocesses auto --maxprocesses 16 --dist worksteal

# All pictures that the README and the manual show; each is written anew only where it shows something else.
screenshots: $(STAMP) browser
	PYTHONPATH=. $(BIN)/python docs/make_screenshots.py
	$(BIN)/python docs/make_terminal.py
	$(BIN)/python docs/make_lattice.py
	$(BIN)/python docs/make_notebook.py --pictures

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(LAID_OUT)

types: $(STAMP)
	$(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports

demo: $(PACKAGE)
	$(BIN)/twinset dedup examples/collection -o demo-report --force
	@echo "The report is the folder demo-report; open demo-report/report.html, or run: $(BIN)/twinset show demo-report"

# A wheel for this Python in dist/ (from 3.12 on for all later ones, too), tried in environments of its own.
wheel: $(STAMP)
	rm -rf dist
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m build --sdist --wheel --no-isolation --outdir dist
	$(BIN)/python -m pytest tests/package -m "" --wheel dist

# The manual in site/, to be opened as a file; a dead link is an error, unless --quiet hides it from mkdocs itself.
docs: export NO_MKDOCS_2_WARNING = 1
docs: $(STAMP)
	$(BIN)/mkdocs build --strict
	@echo "The manual is site/index.html"

# The race against the peers, e.g. make bench BENCH="c200k --reps 2 --work /data/bench"
BENCH ?= c20k --exact --prepare
bench: $(STAMP)
	$(BIN)/python benchmarks/run.py $(BENCH)

# The kernels under AddressSanitizer and UBSan, in a package of their own beside the installed one; with
# a tenth of the examples, since everything is many times slower there (a quarter of an hour on two busy cores).
SANITIZED := build/sanitize
SANITIZERS = $(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)
sanitize: $(STAMP)
	$(BIN)/cmake -S . -B $(SANITIZED) -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
	  -DTWINSET_SANITIZE=ON -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
	  -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir) >/dev/null
	$(BIN)/cmake --build $(SANITIZED)
	rm -rf $(SANITIZED)/package && mkdir -p $(SANITIZED)/package
	cp -r src/twinset $(SANITIZED)/package/ && cp $(SANITIZED)/_native*.so $(SANITIZED)/package/twinset/_kernels/
	cp $$($(BIN)/python -c "import twinset._version; print(twinset._version.__file__)") $(SANITIZED)/package/twinset/
	LD_PRELOAD="$(SANITIZERS)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
	  PYTHONPATH=$(CURDIR)/$(SANITIZED)/package:$$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))") \
	  $(BIN)/python -S -m pytest -p no:cacheprovider --hypothesis-profile=sanitized -m "not statistics and not long" tests/kernels

FUZZ_SECONDS ?= 60
fuzz: $(STAMP)
	PYTHONPATH=. $(BIN)/python tests/fuzz/fuzz.py --seconds $(FUZZ_SECONDS)

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache

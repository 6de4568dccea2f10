# Every target creates the virtual environment that it needs, in .venv, with the versions in requirements*.txt.
# `make PYTHON=/path/to/python3.12 test` selects the interpreter (default: the first that is 3.11 or newer).

PYTHON ?= python3.11 python3.12 python3.13 python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
PYTEST := $(BIN)/python -m pytest
WORKERS ?= 2
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
FREEZE := build/lock/bin/pip freeze --all --exclude pip --exclude dovetail-hybrid
NEW := cat build/lock/requirements*.txt > build/lock/known && $(FREEZE) | grep -vxFf build/lock/known
HASHED := build/lock/bin/uv pip compile -q --no-deps --generate-hashes --no-annotate --no-header

# Two test processes share the machine: linear algebra and XLA use one core in each.
ONE_CORE := NPROC=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# Most tests run a program once or twice: compilation without optimisation, in one piece for one core, halves the time.
# `make test-all` compiles with the default options.
QUICKLY := XLA_FLAGS="--xla_backend_optimization_level=0 --xla_cpu_parallel_codegen_split_count=1 $$XLA_FLAGS"
# Neighbouring tests run in one process and share compiled programs; an idle worker takes tests from the other.
TOGETHER := -n $(WORKERS) --dist worksteal

# Keep the bytecode of source and tests for the next process.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
SECONDS ?= 3600
SEED ?= 1
NUMBER ?= 1000

.PHONY: help demo test test-all verify judge fuzz mutate check format bench bench-compare docs clips targets paper wheel test-lowest release \
  lock clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(VENV)/run.stamp  ## run the refuelling demo with a simulated robot cell; writes results and report
	$(BIN)/dovetail demo

test: $(VENV)/dev.stamp  ## run the tests, except the slow ones
	$(ONE_CORE) $(QUICKLY) $(PYTEST) $(TOGETHER) -m "not slow"

test-all: $(VENV)/dev.stamp  ## run all tests
	$(ONE_CORE) $(PYTEST) $(TOGETHER)

verify: $(VENV)/dev.stamp  ## check 10,000 random tests, and margins and contacts, with independent solvers (WORKERS=16)
	$(ONE_CORE) DOVETAIL_VERIFY_TESTS=10000 $(PYTEST) -n $(WORKERS) -m slow tests/stability/test_independent_solver.py \
	  tests/stability/test_several_axes.py tests/testing/test_margins_independent.py tests/properties/test_contact_energy.py

judge: $(VENV)/dev.stamp  ## compare the assessments of 1,000 random nonlinear tests with a loop in C (SEED=2, NUMBER=100)
	cd tests && $(ONE_CORE) ../$(BIN)/python -m judge --seed $(SEED) --number $(NUMBER)

fuzz: $(VENV)/dev.stamp  ## feed damaged input to every reader for an hour (SECONDS=600 for less); failures are stored
	cd tests && $(ONE_CORE) ../$(BIN)/python -m fuzz --seconds $(SECONDS)
	$(ONE_CORE) DOVETAIL_FAULTS=20000 $(PYTEST) -m slow tests/links/test_seeded_faults.py
	DOVETAIL_FUZZ_SECONDS=600 $(PYTEST) -m slow tests/examples/test_rig_in_c.py

mutate: $(VENV)/dev.stamp  ## mutation test: 300 changes of the source (SEED=2 for others), at most an hour; prints the undetected ones
	PYTHONPATH=tests $(BIN)/python -m mutation --seed $(SEED) --number 300 --workers $(WORKERS) --seconds $(SECONDS)

check: $(VENV)/dev.stamp  ## run formatting, lint, type and package checks
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(ONE_CORE) $(QUICKLY) $(PYTEST) $(TOGETHER) -m "not slow" tests/package

format: $(VENV)/dev.stamp  ## format the code and apply lint fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/dev.stamp  ## run the benchmarks and store a baseline in bench/results
	$(PYTEST) bench -s --timeout 7200 -o python_files="bench_*.py" --benchmark-autosave --benchmark-storage=bench/results

bench-compare: $(VENV)/dev.stamp  ## compare the benchmarks with the last baseline of this machine
	$(PYTEST) bench -s --timeout 7200 -o python_files="bench_*.py" --benchmark-compare --benchmark-storage=bench/results

docs: $(VENV)/docs.stamp  ## build the documentation in docs/_build/html/VERSION; warnings are errors
	rm -rf docs/api/generated
	$(BIN)/sphinx-build -W --keep-going -q -d build/doctrees -b html docs docs/_build/html/$(VERSION)
	$(BIN)/python docs/versions.py docs/_build/html
	@echo "open docs/_build/html/index.html"

clips: $(VENV)/run.stamp  ## render the clips of the documentation and the README; takes several minutes
	$(BIN)/python docs/clips.py

targets: $(VENV)/run.stamp  ## compute all targets for the tables of the documentation; takes many minutes
	$(BIN)/python docs/compute_targets.py

paper: $(VENV)/release.stamp  ## build the paper, build/paper.pdf
	mkdir -p build
	$(BIN)/python -c "import typst; typst.compile('paper/paper.typ', output='build/paper.pdf', root='.')"

wheel: $(VENV)/dev.stamp $(VENV)/release.stamp  ## build wheels with and without compiled libraries and the source archive, in dist/
	rm -rf dist build/lib build/native build/made
	$(BIN)/python release/build_libraries.py build/native
	DOVETAIL_NATIVE=$(CURDIR)/build/native $(BIN)/python -m build --no-isolation --outdir build/made . > build/wheel.log 2>&1 || { cat build/wheel.log; exit 1; }
	mkdir -p dist && mv build/made/*.tar.gz dist
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/auditwheel repair --wheel-dir dist build/made/*.whl
	rm -rf build/lib
	$(BIN)/python -m build --wheel --no-isolation --outdir dist . > build/wheel.log 2>&1 || { cat build/wheel.log; exit 1; }
	$(BIN)/twine check --strict dist/*
	$(BIN)/python release/check_contents.py dist

test-lowest: $(VENV)/release.stamp  ## run the tests with the oldest versions that pyproject.toml allows
	rm -rf build/lowest && $(BIN)/python -m venv build/lowest
	$(BIN)/uv pip install -q --python build/lowest/bin/python --resolution lowest-direct -e '.[all,dev]'
	$(ONE_CORE) $(QUICKLY) build/lowest/bin/python -m pytest $(TOGETHER) -m "not slow" -W default::DeprecationWarning

release: wheel  ## build the release files in dist/ and test them in an empty environment
	$(ONE_CORE) $(QUICKLY) $(BIN)/python release/try_wheel.py dist --tests
	$(ONE_CORE) $(QUICKLY) $(BIN)/python release/try_wheel.py dist --any
	@$(BIN)/python -c "import tomllib; v = tomllib.load(open('pyproject.toml', 'rb'))['project']['version']; \
	  print(f'dist/ is ready; tag it v{v}, and upload as CONTRIBUTING.md says')"

lock: $(VENV)/python.stamp  ## update requirements*.txt to the newest versions that pyproject.toml allows
	rm -rf build/lock && $(BIN)/python -m venv build/lock
	build/lock/bin/pip install -q --upgrade setuptools '.[view,film,studio]' && $(FREEZE) > build/lock/requirements.txt
	build/lock/bin/pip install -q '.[dev]' && $(NEW) > build/lock/requirements-dev.txt
	build/lock/bin/pip install -q '.[docs]' && $(NEW) > build/lock/requirements-docs.txt
	build/lock/bin/pip install -q '.[release]' && $(NEW) > build/lock/requirements-release.txt
	for list in build/lock/requirements*.txt; do $(HASHED) $$list -o $$(basename $$list) || exit 1; done

clean:  ## remove the environment and all build results
	rm -rf $(VENV) build dist docs/_build docs/gallery docs/api/generated .pytest_cache .ruff_cache .mypy_cache

$(VENV)/python.stamp:
	@for candidate in $(PYTHON); do \
	  if $$candidate -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "setting up $(VENV) with $$($$candidate --version); this happens once"; \
	    $$candidate -m venv $(VENV) && touch $@; exit; \
	  fi; \
	done; \
	echo "Dovetail needs Python 3.11 or newer with its venv module; tried: $(PYTHON)." >&2; \
	echo "Install one (on Debian: python3.11 and python3.11-venv), or name it: make PYTHON=/path/to/python3.11" >&2; \
	exit 1

# Each list contains only what the lists before it do not (see `lock`).
$(VENV)/run.stamp: $(VENV)/python.stamp requirements.txt pyproject.toml
	$(PIP) -r requirements.txt
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.txt
	$(PIP) -r requirements-dev.txt
	@touch $@

$(VENV)/release.stamp: $(VENV)/docs.stamp requirements-release.txt
	$(PIP) -r requirements-release.txt
	@touch $@

$(VENV)/docs.stamp: $(VENV)/dev.stamp requirements-docs.txt
	$(PIP) -r requirements-docs.txt
	@touch $@

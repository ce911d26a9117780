# Everything the project asks for, one command a need. A fresh machine needs Rust, Python 3.11+ and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# cargo test has a target directory of its own: sharing one with the extension would rebuild everything at each turn.
TEST_TARGET := target/test
# What `make bench` is narrowed to, such as BENCH='--bodies events --megabytes 64'.
BENCH ?=
# Tests in Python wait more than they work, so more of them run at once than there are cores.
TEST_PROCESSES ?= 4
# How long `make fuzz` feeds each target with what it makes up.
FUZZ_SECONDS ?= 60
# Of more bodies kept from earlier runs than this, those are dropped that show nothing the others do not.
FUZZ_KEPT ?= 2000
# Bodies that were kept are read first, so many in a second, and that time is added.
FUZZ_READ ?= 10
FUZZ_TARGETS := envelope rows
CARGO_FUZZ := target/fuzz-tools/bin/cargo-fuzz
# The C++ compiler that builds libFuzzer.
CXX ?= c++
SOURCES := $(shell find src python -name '*.rs' -o -name '*.json' -o -name '*.sql' -o -name '*.py' -o -name '*.pyi')

.PHONY: help demo test test-rust test-python test-oldest bench bench-instructions bench-instructions-renew fuzz lint fmt agents notebooks clean

help: ## what can be asked for
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 28

demo: $(VENV)/extension ## build, start the local service, run an agent, show the table and where it was saved
	$(BIN)/rowhaul demo

test: test-rust test-python ## build and run every test

test-rust:
	CARGO_TARGET_DIR=$(TEST_TARGET) cargo test --quiet --locked --features allocator

test-python: $(VENV)/extension $(VENV)/dev
	$(BIN)/python -m pytest --quiet --numprocesses $(TEST_PROCESSES) --dist worksteal

test-oldest: $(VENV)/extension ## the tests of what others are handed, with the oldest versions of those
	$(PYTHON) -m venv target/oldest
	target/oldest/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	target/oldest/bin/python -m pip install --quiet --group oldest
	PYTHONPATH=python target/oldest/bin/python -m pytest --quiet \
		tests/test_receivers.py tests/test_streaming.py tests/test_written_files.py tests/test_rows.py

bench: $(VENV)/extension $(VENV)/dev $(VENV)/bench ## race rowhaul against its peers; charts and a table in docs/bench
	$(BIN)/python -m benches $(BENCH)

bench-instructions: ## count the decoder's instructions; fails 5 % above docs/bench/instructions.json; needs valgrind
	cargo bench --quiet --locked --features allocator --bench decode -- --instructions

bench-instructions-renew: ## the same, and what was counted becomes the baseline
	cargo bench --quiet --locked --features allocator --bench decode -- --instructions --renew

fuzz: $(CARGO_FUZZ) ## feed the decoder made-up bodies, FUZZ_SECONDS=60 for each target; needs a C++ compiler
	@command -v $(CXX) >/dev/null || { echo "fuzzing needs a C++ compiler: '$(CXX)' builds libFuzzer (CXX=... names another)"; exit 1; }
	@for target in $(FUZZ_TARGETS); do \
		mkdir -p fuzz/corpus/$$target fuzz/seeds/$$target; \
		if [ $$(ls fuzz/corpus/$$target | wc -l) -gt $(FUZZ_KEPT) ]; then \
			CXX=$(CXX) RUSTC_BOOTSTRAP=1 $(CARGO_FUZZ) cmin --target-dir target/fuzz $$target fuzz/corpus/$$target || exit 1; \
		fi; \
		seconds=$$(($(FUZZ_SECONDS) + $$(ls fuzz/corpus/$$target | wc -l) / $(FUZZ_READ))); \
		CXX=$(CXX) RUSTC_BOOTSTRAP=1 $(CARGO_FUZZ) run --target-dir target/fuzz $$target fuzz/corpus/$$target fuzz/seeds/$$target -- \
			-dict=fuzz/json.dict -max_total_time=$$seconds -timeout=20 -max_len=8192 -len_control=0 -print_final_stats=1 || exit 1; \
	done

lint: $(VENV)/extension $(VENV)/dev ## formatters, linters and type checkers; changes nothing
	cargo fmt --check
	CARGO_TARGET_DIR=$(TEST_TARGET) cargo clippy --quiet --locked --all-targets --features python -- -D warnings
	CARGO_TARGET_DIR=$(TEST_TARGET) cargo clippy --quiet --locked --no-default-features --features client -- -D warnings
	CARGO_TARGET_DIR=$(TEST_TARGET) cargo clippy --quiet --locked --no-default-features --features service -- -D warnings
	CARGO_TARGET_DIR=$(TEST_TARGET) RUSTDOCFLAGS='-D warnings' cargo doc --quiet --locked --no-deps
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest rowhaul._core --allowlist tests/stubtest-allowlist.txt

fmt: $(VENV)/dev ## format everything
	cargo fmt
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

agents: ## write python/rowhaul/agents.py anew from the catalogue
	$(PYTHON) python/generate_agents.py

notebooks: $(VENV)/extension $(VENV)/dev ## run the notebooks and keep their outputs
	$(BIN)/jupyter execute --inplace notebooks/*.ipynb

clean: ## remove everything built
	rm -rf target $(VENV) python/rowhaul/_core*.so

# The extension, built in release mode and installed so that Python sources are used as they stand.
$(VENV)/extension: $(VENV)/maturin Cargo.toml Cargo.lock build.rs $(SOURCES)
	@echo "building the extension (the first time that takes some eight minutes on two cores) ..."
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	@touch $@

# Stable Rust will do: fuzzing needs flags that are nightly's, which RUSTC_BOOTSTRAP=1 allows.
$(CARGO_FUZZ):
	@echo "installing cargo-fuzz into target/fuzz-tools ..."
	cargo install --quiet --locked cargo-fuzz@0.13.2 --root target/fuzz-tools

$(VENV)/maturin:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1' 'maturin>=1.9.4,<2'
	@touch $@

$(VENV)/dev: pyproject.toml | $(VENV)/maturin
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

$(VENV)/bench: pyproject.toml | $(VENV)/maturin
	$(BIN)/python -m pip install --quiet --group bench
	@touch $@

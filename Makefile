# The few things one does with this repository; meson and ninja do the work.
# `make help` lists them.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
SECONDS ?= 60
TARGET  ?=
SERVE   ?=

.PHONY: help build run test quick install bench fuzz lab screenshots format coverage setup clean

help: ## list what make can do
	@echo 'perfolio: make TARGET'
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-12s %s\n", $$1, $$2 }'

$(BUILD)/build.ninja:
	@command -v meson >/dev/null && command -v ninja >/dev/null || { echo 'meson and ninja are needed: make setup'; exit 1; }
	meson setup $(BUILD) --prefix $(abspath $(PREFIX))

build: $(BUILD)/build.ninja ## build the program: build/perfolio
	@tools/page.sh
	@ninja -C $(BUILD) perfolio examples/wordfreq

run: ## install missing packages, build, serve the page with an example recorded just now; SERVE=... further options
	@tools/setup.sh build
	@$(MAKE) --no-print-directory build
	@tools/run.py $(BUILD) $(SERVE)

test: ## install missing packages, then every test; ONLY='asan live' for some of them
	@tools/setup.sh build test lab
	@tools/page.sh
	@tools/npm.sh build-test/npm || echo "setup: without npm's packages what they test is left out"
	@tools/test.py $(ONLY)

quick: build ## the unit and command-line tests of build/, in seconds
	@meson test -C $(BUILD) --suite unit --suite cli --print-errorlogs

install: build ## install below PREFIX=/usr/local (and DESTDIR)
	@meson configure $(BUILD) --prefix $(abspath $(PREFIX))
	DESTDIR=$(DESTDIR) meson install -C $(BUILD)

bench: ## measure against perf, in alternating runs; ONLY=NAME for one
	@tools/setup.sh build test bench
	@$(MAKE) --no-print-directory build
	@ninja -C $(BUILD)
	@bench/run.py --perfolio $(BUILD)/perfolio $(ONLY)

fuzz: ## fuzz the parsers: TARGET=NAME for one, SECONDS=60 each
	@tools/setup.sh build test
	@[ -f build-fuzz/build.ninja ] || CC=clang meson setup build-fuzz -Dfuzzing=true -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C build-fuzz
	@fuzz/run.sh build-fuzz '$(TARGET)' $(SECONDS)

lab: ## the checks in an emulated arm64 machine with exact counters
	@tools/setup.sh build lab
	@tools/lab/run.sh

screenshots: ## pictures of every screen of the page: build/screenshots
	@tools/setup.sh build test
	@$(MAKE) --no-print-directory build
	@PERFOLIO=$(abspath $(BUILD))/perfolio node tests/web/app/shots.mjs $(BUILD)/screenshots

format: ## bring all C files into shape
	@find src tests fuzz bench examples tools -name '*.[ch]' -print0 | xargs -0 clang-format -i

coverage: ## how much of the code the tests reach: build-coverage/coverage.html
	@tools/setup.sh build test coverage
	@[ -f build-coverage/build.ninja ] || meson setup build-coverage -Db_coverage=true
	@ninja -C build-coverage
	-@meson test -C build-coverage --suite unit --suite cli --suite live
	@gcovr --root . --filter src/ --object-directory build-coverage --html-details build-coverage/coverage.html --print-summary

setup: ## install the Debian packages for building and testing
	@tools/setup.sh build test lab

clean: ## remove everything that was built
	rm -rf $(BUILD) build-test build-fuzz build-coverage

# The front door: every target sets itself up. The build proper is CMakeLists.txt.
# SPDX-License-Identifier: Apache-2.0
.PHONY: all build demo test test-deep test-all check test-cuda evidence scenes bench docs wheel lint format clean help
.DEFAULT_GOAL := build

all: build

build: ## build the library and the program into build/
	@tools/packages.sh
	@tools/build.sh

demo: ## drop three cloths on a ball; a movie and a contact sheet are in out/demo
	@tools/packages.sh demo
	@tools/build.sh percale_program
	@build/bin/percale run scenes/layers.yaml -o out/demo --overwrite
	@build/bin/percale render out/demo -o out/demo/sheet.png --sheet 4x3
	@build/bin/percale render out/demo -o out/demo/movie.mp4 --fps 15 # slower than in life

test: ## test in minutes what catches almost everything; ends with `N passed, N failed`
	@tools/packages.sh test
	@tools/test.sh quick

test-deep: ## the rest: sanitizers, fuzzing, clang, static analysis, full sizes, wheel and package
	@tools/packages.sh deep
	@tools/test.sh deep

test-all: ## both
	@tools/packages.sh deep
	@tools/test.sh quick deep

check: ## build and run one test: make check T=springs, of it what has a word in its name: ONLY=rope
	@tools/packages.sh
	@tools/check.sh "$(T)" "$(ONLY)"

test-cuda: ## test the GPU: claims of all backends, and compute-sanitizer where it is installed
	@tools/test_cuda.sh

evidence: ## compare with independent answers, in full
	@tools/packages.sh plots
	@tools/build.sh evidence
	@build/bin/evidence

scenes: ## run the scenes with contact at full size and check every frame
	@tools/packages.sh
	@tools/build.sh percale_program
	@tools/scenes.sh

bench: ## measure steps without and with contact
	@tools/packages.sh
	@tools/build.sh percale_program
	@status=0; build/bin/percale bench elastic || status=$$?; echo; build/bin/percale bench contact || status=$$?; exit $$status

docs: ## build the documentation site into build/docs/html
	@tools/packages.sh docs
	@tools/build.sh percale_program
	@tools/docs.sh

wheel: ## build the Python package for other machines, into build/wheel
	@tools/packages.sh test
	@tools/wheel.sh

lint: ## clang-format, clang-tidy, cppcheck, stand-alone headers, include order
	@tools/packages.sh deep
	@tools/lint.sh

format: ## lay out the sources with clang-format
	@tools/packages.sh test
	@find include src app bench examples test -name '*.[ch]' -o -name '*.cu' -o -name '*.cpp' | xargs clang-format -i

clean: ## remove what was built
	rm -rf build out

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

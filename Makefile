# For habit: each target is one or two calls of CMake. `make` builds the command and the library, nothing else; PREFIX says where
# `make install` goes.
PREFIX ?= /usr/local
PARTS = TESTS PYTHON
.PHONY: all everything test bench accuracy docs coverage analyse install

all: ; cmake --preset release $(PARTS:%=-DGEODISK_BUILD_%=OFF) && cmake --build --preset release
everything: ; cmake --preset release $(PARTS:%=-DGEODISK_BUILD_%=ON) && cmake --build --preset release
test: everything ; ctest --preset release
bench: all ; cmake --build --preset release --target bench
accuracy: everything ; cmake --build --preset release --target accuracy
docs: all ; tools/build-docs build/site
coverage: # cli_trust limits the size of files, also of those that gcov writes
	cmake --preset coverage -DGEODISK_BUILD_TESTS=ON && cmake --build --preset coverage
	ctest --test-dir build/coverage --output-on-failure -j "$$(nproc)" -LE 'long|python|web|packaging' -E 'cli_bench|cli_reproduce|cli_trust'
	tools/coverage build/coverage
analyse: everything ; tools/analyse
install: all ; cmake --install build/release --prefix $(PREFIX)

# Releases and packages: tools/dist, tools/deb and tools/cross say what they do and need.
.PHONY: dist deb cross
dist: ; tools/dist
deb: ; tools/deb
cross: ; tools/cross

# For habit: each target is one call of CMake. PREFIX says where `make install` goes.
PREFIX ?= /usr/local
.PHONY: all test bench accuracy install

all: ; cmake --preset release && cmake --build --preset release
test: all ; ctest --preset release
bench: all ; cmake --build --preset release --target bench
accuracy: all ; cmake --build --preset release --target accuracy
install: all ; cmake --install build/release --prefix $(PREFIX)

#!/bin/sh
# build.sh SOURCE_DIR OUTPUT_DIR TARGET... - the fuzz targets with libFuzzer and the sanitizers, by clang, whatever the rest is built
# with: the library once, by its own CMakeLists.txt, and each target linked with it. Readers need no vector code, which takes minutes
# to compile with sanitizers.
set -eu
source=$1 out=$2
shift 2
flags='-gline-tables-only -O1 -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all'
cmake -S "$source" -B "$out/library" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=$flags" \
  -DBUILD_SHARED_LIBS=OFF -DGEODISK_SIMD=OFF -DGEODISK_BUILD_CLI=OFF -DGEODISK_BUILD_TESTS=OFF \
  -DGEODISK_BUILD_PYTHON=OFF -DGEODISK_BUILD_MPI=OFF
cmake --build "$out/library" -j 2
zlib=
if printf '#include <zlib.h>\nint main(void) { return zlibVersion()[0] == 0; }\n' | clang -x c - -lz -o "$out/zlib-there" 2>/dev/null; then
  zlib=-lz
fi
for target; do
  parts=
  [ "$target" != fuzz_points ] || parts=$source/cli/points.c # of the command, not of the library
  # shellcheck disable=SC2086 # words
  clang -std=c17 -D_POSIX_C_SOURCE=200809L $flags -fsanitize=fuzzer "-I$source/include" "-I$source/src" "-I$source/cli" \
    "$source/tests/fuzz/$target.c" $parts "$out/library/libgeodisk.a" $zlib -lpthread -lm -o "$out/$target"
done

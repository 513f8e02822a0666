#!/bin/sh
# build.sh SOURCE_DIR OUTPUT_DIR TARGET... - the fuzz targets with libFuzzer and the sanitizers, by clang, whatever the rest is built
# with. The library's objects are compiled once, those of the modules that read files.
set -eu
source=$1 out=$2
shift 2
flags="-std=c17 -g -O1 -D_POSIX_C_SOURCE=200809L -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link
       -fno-sanitize-recover=all -I$source/include -I$source/src"
zlib=
if printf '#include <zlib.h>\nint main(void) { return zlibVersion()[0] == 0; }\n' | clang -x c - -lz -o "$out/zlib-there" 2>/dev/null; then
  zlib=-lz flags="$flags -DGEODISK_HAVE_ZLIB"
fi
mkdir -p "$out/objects"
for file in "$source"/src/base/*.c "$source"/src/graph/*.c; do
  object=$out/objects/$(basename "$file" .c).o
  if [ ! "$object" -nt "$file" ]; then
    # shellcheck disable=SC2086 # words
    clang $flags '-DGEODISK_FEATURES="fuzzing"' -c "$file" -o "$object"
  fi
done
for target; do
  # shellcheck disable=SC2086 # words
  clang $flags -fsanitize=fuzzer "$source/tests/fuzz/$target.c" "$out"/objects/*.o $zlib -lpthread -lm -o "$out/$target"
done

#!/bin/sh
# neon.sh build SOURCE_DIR | compare TEST_EMBED_BYTES - the unit test of the trainer's bytes for 64-bit ARM, in the folder arm64 of where
# it is called; then its models by NEON, under qemu, against those of the plain loop on this machine.
set -eu
for tool in aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu qemu-aarch64:qemu-user; do
  command -v "${tool%:*}" >/dev/null || {
    echo "skipped: ${tool%:*} is missing (Debian: ${tool#*:})"
    exit 77
  }
done
[ -d /usr/aarch64-linux-gnu/include ] || {
  echo 'skipped: the C library for arm64 is missing (Debian: libc6-dev-arm64-cross)'
  exit 77
}
emulate='qemu-aarch64 -L /usr/aarch64-linux-gnu'

case $1 in
build)
  cmake -S "$2" -B arm64 -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_TOOLCHAIN_FILE=$2/cmake/cross.cmake" -DGEODISK_MACHINE=aarch64 \
    -DGEODISK_WERROR=ON -DGEODISK_BUILD_CLI=OFF -DGEODISK_BUILD_PYTHON=OFF -DGEODISK_BUILD_MPI=OFF
  cmake --build arm64 --target test_embed_bytes
  ;;
compare)
  mkdir -p here there # a scratch file each
  (cd here && GEODISK_ISA=ref "$2" models)
  (cd there && $emulate ../arm64/tests/test_embed_bytes models) | tee neon.log
  grep -qx 'by neon' neon.log || {
    echo 'the program for arm64 did not choose NEON'
    exit 1
  }
  cmp here/models.points there/models.points
  cmp here/models there/models
  echo "the same $(wc -c <here/models) bytes"
  ;;
esac

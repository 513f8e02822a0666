# The binary interface against that of the last release, which is committed as abi/libgeodisk.abi when a version is tagged; before the first
# release there is none, and it is only shown that a removed function and a changed struct would be noticed. The library is built for it
# with debug information, without optimisation.
set -eu
source=$(cd "$TESTS_DIR/.." && pwd)
command -v abidiff >/dev/null || {
  echo 'abidiff is missing (Debian: abigail-tools)'
  exit 1
}
cmake -S "$source" -B library -G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=-g -ffile-prefix-map=$source/= -ffile-prefix-map=$PWD/=" -DCMAKE_C_COMPILER="$CC" -DGEODISK_SIMD=OFF \
  -DGEODISK_BUILD_CLI=OFF -DGEODISK_BUILD_TESTS=OFF -DGEODISK_BUILD_PYTHON=OFF -DGEODISK_BUILD_MPI=OFF >configure.log
cmake --build library --target geodisk >build.log

"$source/tools/abi" describe library/libgeodisk.so now.abi
if grep -qF -e "$source" -e "$PWD" now.abi; then
  echo 'the description names folders of this machine' && exit 1
fi
"$source/tools/abi" compare now.abi library/libgeodisk.so
refuses() { # refuses WHAT SED-SCRIPT: a release in which that was otherwise
  sed "$2" now.abi >then.abi
  if cmp -s now.abi then.abi; then
    echo "$1: the description has no such line" && exit 1
  fi
  if "$source/tools/abi" compare then.abi library/libgeodisk.so >"refused.txt"; then
    echo "not noticed: $1" && exit 1
  fi
}
refuses 'a function is gone' "s/'geodisk_distance'/'geodisk_distance_of_old'/g"
refuses 'a struct is larger' "/<class-decl name='geodisk_ball'/s/size-in-bits='[0-9]*'/size-in-bits='128'/"

if [ -e "$source/abi/libgeodisk.abi" ]; then
  "$source/tools/abi" compare "$source/abi/libgeodisk.abi" library/libgeodisk.so
  echo 'programs built with the last release go on working'
else
  echo 'there is no release yet to compare with'
fi

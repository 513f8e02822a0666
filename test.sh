#!/bin/sh
# test.sh - brings what a bare Debian lacks, builds geodisk, and tests it.
#
#   ./test.sh          everything: both compilers, sanitizers, valgrind, style, long tests
#   ./test.sh quick    the everyday suite: one build, its tests, style
#
# Every step writes a log below build/logs; a step that fails does not keep the others from running.
set -u
cd "$(dirname "$0")" || exit 1
case ${1-} in
'' | quick) ;;
*)
  echo "usage: ./test.sh [quick]"
  exit 2
  ;;
esac
. tools/setup.sh
setup_packages test

logs=build/logs
rm -rf "$logs"
mkdir -p "$logs"
cores=$(nproc)
failed=''
passed=''

# step NAME WHAT command...: runs it, keeps its output in a log, says how it went; false when it failed.
step() {
  name=$1 what=$2
  shift 2
  printf '%-14s %s ... ' "$name" "$what"
  started=$(date +%s)
  if "$@" >"$logs/$name.log" 2>&1; then
    verdict=passed
    passed="$passed $name"
  else
    verdict=FAILED
    failed="$failed $name"
  fi
  printf '%s (%d s)\n' "$verdict" $(($(date +%s) - started))
  if [ $verdict = FAILED ]; then
    tail -n 40 "$logs/$name.log" | sed 's/^/    | /'
  else
    sed -n '/% tests passed/,$p' "$logs/$name.log" | sed -n '/./s/^/    | /p' # ctest's closing lines
  fi
  [ $verdict = passed ]
}

sources() { find include src cli tests bench examples -name '*.[ch]' 2>/dev/null; }
check_format() { sources | xargs clang-format --dry-run -Werror; }
check_tidy() { find src cli -name '*.c' | xargs -P "$cores" -n 4 clang-tidy -p build/release --quiet; }
# build PRESET CMAKE-OPTION...: warnings are errors.
build() {
  preset=$1
  shift
  cmake --preset "$preset" -DGEODISK_WERROR=ON -DGEODISK_BUILD_TESTS=ON -DGEODISK_BUILD_BENCH=ON -DGEODISK_BUILD_PYTHON=ON "$@" &&
    cmake --build "build/$preset"
}
build_clang() {
  cmake -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang -DGEODISK_WERROR=ON &&
    cmake --build build/clang
}
build_tsan() { # the tests that use threads only
  cmake --preset tsan -DGEODISK_WERROR=ON && cmake --build build/tsan --target thread_tests
}
run_tests() {
  folder=$1
  shift
  ctest --test-dir "build/$folder" --output-on-failure -j "$cores" "$@"
}

step format 'clang-format changes nothing' check_format
step levels 'who includes whom' tools/check-levels
if [ "${1-}" = quick ]; then
  step build-gcc 'gcc, warnings are errors' build release -DCMAKE_C_COMPILER=gcc &&
    step test 'the everyday tests' run_tests release -LE long
else
  step build-gcc 'gcc, warnings are errors' build release -DCMAKE_C_COMPILER=gcc &&
    step test 'all tests' run_tests release
  step tidy 'clang-tidy' check_tidy
  step build-clang 'clang, warnings are errors' build_clang &&
    step test-clang 'the unit tests, the command' run_tests clang -L 'unit|cli' -LE long -E 'cli_bench|cli_reproduce'
  step build-asan 'address and undefined-behaviour sanitizers' build asan &&
    step test-asan 'the everyday tests' run_tests asan -LE long
  step build-tsan 'thread sanitizer' build_tsan &&
    step test-tsan 'the unit tests that use threads' run_tests tsan -L threads -LE long
  step valgrind 'the fast unit tests' tools/run-valgrind build/release
fi

echo
for name in $failed; do
  sed -n '/The following tests FAILED/,$s/^\t/    | /p' "$logs/$name.log"
done
echo "passed:${passed:- nothing}"
[ -z "$failed" ] || echo "FAILED:$failed"
echo "logs:   $logs"
[ -z "$failed" ]

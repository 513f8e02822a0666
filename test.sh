#!/bin/sh
# test.sh - brings what a bare Debian lacks, builds geodisk, and tests it.
#
#   ./test.sh          everything: both compilers, sanitizers, valgrind, style, long tests
#   ./test.sh quick    the everyday suite: one build, its tests, style
#
# Every step writes a log below build/logs; a step that fails does not keep the others from running. At the end the time of each
# step and the ten slowest tests are printed. With CI set in the environment clang-tidy looks at every file, not only at what has
# changed since the branch left main.
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
jobs=$((cores + 1)) # some tests wait, for processes, signals, a browser
failed=''
passed=''
begun=$(date +%s)
if command -v ccache >/dev/null; then # what was compiled once, by whichever preset, is not compiled again
  export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
fi

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
  seconds=$(($(date +%s) - started))
  printf '%s (%d s)\n' "$verdict" "$seconds"
  printf '%6d s  %s\n' "$seconds" "$name" >>"$logs/times"
  if [ $verdict = FAILED ]; then
    tail -n 40 "$logs/$name.log" | sed 's/^/    | /'
  else
    sed -n '/% tests passed/,$p' "$logs/$name.log" | sed -n '/./s/^/    | /p' # ctest's closing lines
  fi
  [ $verdict = passed ]
}

sources() { find include src cli tests bench examples -name '*.[ch]' 2>/dev/null; }
check_format() { sources | xargs clang-format --dry-run -Werror; }
# The sources that have changed since the branch left main (on main: since the last commit), and those that include a header that has;
# all of them in CI, and where there is no git.
changed_sources() {
  base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null)
  [ "$base" != "$(git rev-parse HEAD 2>/dev/null)" ] || base=$(git rev-parse HEAD~1 2>/dev/null)
  if [ -n "${CI-}" ] || [ -z "$base" ]; then
    find src cli -name '*.c' ! -name '*_neon.c' # which needs another machine's headers
    return
  fi
  changed=$({ git diff --name-only "$base" && git ls-files --others --exclude-standard; } | grep -E '^(src|cli|include)/.*[.][ch]$')
  for file in $changed; do
    case $file in
    *.c) echo "$file" ;;
    *) grep -rlE --include='*.c' "include [<\"](.*/)?$(basename "$file")[>\"]" src cli ;;
    esac
  done | sort -u | while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}
# The analyzer stops at a third of its usual number of states, which takes half the time; tools/analyse goes all the way. A file in which
# nothing was found is not looked at again before it, or a header of it, has changed.
check_tidy() {
  changed_sources | xargs -r tools/tidy build/release \
    --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=75000
}
# build PRESET CMAKE-OPTION...: warnings are errors.
build() {
  preset=$1
  shift
  cmake --preset "$preset" -DGEODISK_WERROR=ON -DGEODISK_BUILD_TESTS=ON -DGEODISK_BUILD_PYTHON=ON "$@" &&
    cmake --build "build/$preset"
}
build_clang() { # the device's code is nvcc's, Python's calls are the same by any compiler
  cmake -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang -DGEODISK_WERROR=ON \
    -DGEODISK_BUILD_PYTHON=OFF -DGEODISK_BUILD_CUDA=OFF &&
    cmake --build build/clang
}
build_release() { # one kind of device, whose code runs on all later ones, is enough to see that nvcc has nothing to say
  build release -DCMAKE_C_COMPILER=gcc -DGEODISK_FUZZ_SECONDS=2 -DGEODISK_CUDA_ARCHITECTURES=80
}
build_tsan() { # the tests that use threads only
  cmake --preset tsan -DGEODISK_WERROR=ON && cmake --build build/tsan --target thread_tests
}
run_tests() {
  folder=$1
  shift
  ctest --test-dir "build/$folder" --output-on-failure -j "$jobs" "$@"
}

# What a sanitizer or a second compiler cannot judge: figures, compared with other programs' or with theory, times, documents. Its code
# runs in other tests.
unjudged='^(cli_(bench|reproduce|docs|trust)|graph_networkx|eval_(scipy|ranks)|embed_numpy|draw_svg|man_pages'
unjudged="$unjudged|test_(auto|embed_environment|embed_stable|mean_theory))\$"
# Everyday tests that do a part of what one of the long tests does.
shortened='^(faults|graph_networkx)$'

step format 'clang-format changes nothing' check_format
step levels 'who includes whom' tools/check-levels
if [ "${1-}" = quick ]; then
  step build-gcc 'gcc, warnings are errors' build_release &&
    step test 'the everyday tests' run_tests release -LE long
else
  step build-gcc 'gcc, warnings are errors' build_release &&
    step test 'all tests' run_tests release -E "$shortened"
  step tidy 'clang-tidy' check_tidy
  step build-clang 'clang, warnings are errors' build_clang &&
    step test-clang 'the unit tests, the command' run_tests clang -L 'unit|cli' -LE long -E "$unjudged"
  step build-asan 'address and undefined-behaviour sanitizers' build asan &&
    step test-asan 'the everyday tests that touch memory' run_tests asan -LE 'long|accuracy|packaging' -E "$unjudged"
  step build-tsan 'thread sanitizer' build_tsan &&
    step test-tsan 'the unit tests that use threads' run_tests tsan -L threads -LE long -E "$unjudged"
  step valgrind 'the fast unit tests' tools/run-valgrind build/release
fi

echo
for name in $failed; do
  sed -n '/The following tests FAILED/,$s/^\t/    | /p' "$logs/$name.log"
done
echo 'time of each step:'
sort -rn "$logs/times" | sed 's/^/    | /'
echo 'the ten slowest tests (seconds):'
sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([^ ]*\) .* \([0-9.]*\) sec$/\2 \1/p' "$logs"/test*.log 2>/dev/null | sort -rn | head -n 10 |
  awk '{ printf "    | %8.1f  %s\n", $1, $2 }'
echo "in all: $(($(date +%s) - begun)) s"
echo "passed:${passed:- nothing}"
[ -z "$failed" ] || echo "FAILED:$failed"
echo "logs:   $logs"
[ -z "$failed" ]

# ranks.sh - what the tests of the command under mpirun share; sourced. They run in a scratch folder of their own.
set -eu
data=$TESTS_DIR/../data

fail() {
  echo "FAILED: $*"
  exit 1
}

skip() {
  echo "skipped: $*"
  exit 77
}

# ranks N argument...: the command on N ranks. mpirun reads standard input unless it is told not to.
ranks() {
  count=$1
  shift
  "$MPIRUN" --oversubscribe -n "$count" "$GEODISK" "$@" </dev/null
}

# occurrences TEXT FILE
occurrences() { grep -c -e "$1" "$2" || true; }

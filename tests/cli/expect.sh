# expect.sh - sourced by the tests of the command. Sets GEODISK's exact behaviour against what is expected:
#
#   expect CODE STDOUT STDERR command...     exact exit code and standard output; STDERR is a case pattern ('' means: silent)
#   finish                                   the last line of a test: fails if anything differed
#
# $GEODISK is the command, $TESTS_DIR the folder tests/; the working directory is a scratch folder.
set -u
failures=0
checks=0
newline='
'

expect() {
  code=$1 out=$2 err=$3
  shift 3
  checks=$((checks + 1))
  actual_out=$("$@" 2>stderr.txt)
  actual_code=$?
  actual_err=$(cat stderr.txt)
  if [ "$actual_code" -ne "$code" ]; then
    complain "exit code $actual_code, expected $code" "$@"
  fi
  if [ "$out" != "*" ] && [ "$actual_out" != "$out" ]; then
    complain "output '$actual_out', expected '$out'" "$@"
  fi
  # shellcheck disable=SC2254 # $err is a pattern
  case $actual_err in
  $err) ;;
  *) complain "messages '$actual_err', expected '$err'" "$@" ;;
  esac
}

complain() {
  failures=$((failures + 1))
  text=$1
  shift
  printf 'FAILED: %s\n   by: %s\n' "$text" "$*" >&2
}

finish() {
  echo "$checks checks, $failures failures"
  [ "$failures" -eq 0 ] && [ "$checks" -gt 0 ]
}

# Every public header stands alone, as C17 and as C++11, without a warning.
set -eu
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
for header in "$TESTS_DIR"/../include/geodisk/*.h; do
  name=geodisk/$(basename "$header")
  # shellcheck disable=SC2086 # flags are words
  printf '#include "%s"\n' "$name" | $CC -std=c17 $warnings -I"$TESTS_DIR/../include" -fsyntax-only -x c -
  # shellcheck disable=SC2086
  printf '#include "%s"\n' "$name" | c++ -std=c++11 $warnings -I"$TESTS_DIR/../include" -fsyntax-only -x c++ -
  echo "$name"
done

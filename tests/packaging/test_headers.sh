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

example='void example(geodisk_context *context, geodisk_graph *graph, geodisk_model *model, geodisk_ball ball, size_t n, double *points,
  double *out, double *matrix, double *x, uint32_t dog, uint32_t mammal, geodisk_mpi_source source, geodisk_train_options options,
  geodisk_trainer *trainer, geodisk_train_fn callback, void *user, const char *path, geodisk_status status)'
# Every one of them has an example, the indented lines after "For example:", and it compiles.
for header in "$TESTS_DIR"/../include/geodisk/*.h; do
  name=$(basename "$header")
  [ "$name" != geodisk.h ] || continue
  awk '/^ \* For example:$/ { on = 1; next } on && /^ \*     / { print substr($0, 8); n++; next } { on = 0 } END { exit n == 0 }' "$header" >example.txt || {
    echo "$name has no example"
    exit 1
  }
  {
    for include in stdio.h geodisk/geodisk.h geodisk/auto.h geodisk/draw.h geodisk/eval.h geodisk/mpi.h; do
      echo "#include <$include>"
    done
    echo "$example;"
    echo "$example {"
    echo '  {'
    cat example.txt
    printf '  }\n}\n'
  } >example.c
  # shellcheck disable=SC2086
  $CC -std=c17 -Wall -Wextra -Werror -Wno-unused -Wno-misleading-indentation -Wno-unused-parameter -Wno-unused-but-set-variable \
    -I"$TESTS_DIR/../include" -fsyntax-only example.c
done

# A function that can fail takes at most six things beside its context; what it has more of is in a struct. geodisk_mean takes points
# and weights one by one, and geodisk_median has its form.
for header in "$TESTS_DIR"/../include/geodisk/*.h; do
  awk '{ gsub(/\/\*[^*]*\*\//, ""); text = text " " $0 }
    END {
      for (i = split(text, part, ";"); i > 0; i--)
        if (match(part[i], /GEODISK_API geodisk_status [a-z0-9_]*\(/)) {
          rest = substr(part[i], RSTART)
          if (rest !~ /geodisk_(mean|median)\(/ && gsub(/,/, ",", rest) + (rest !~ /geodisk_context \*context/) > 6) { print rest; bad = 1 }
        }
      exit bad
    }' "$header" || {
    echo "too many parameters"
    exit 1
  }
done

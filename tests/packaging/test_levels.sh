# The include levels hold in this tree, and tools/check-levels notices when they do not.
set -eu
check=$TESTS_DIR/../tools/check-levels
"$check" "$TESTS_DIR/.."

refuses() { # refuses FILE LINE: a tree with that one line in that one file
  rm -rf tree
  mkdir -p "tree/$(dirname "$1")" tree/include/geodisk
  printf '%s\n' "$2" >"tree/$1"
  if "$check" tree >refused.txt; then
    echo "not noticed: $2 in $1"
    exit 1
  fi
}
refuses src/base/a.c '#include "geodisk/ball.h"'
refuses src/ball/a.c '#include "geodisk/graph.h"'
refuses src/ball/a.c '#include "geodisk/geodisk.h"'
refuses src/eval/a.c '#include "geodisk/embed.h"'
refuses src/mean/a.c '#include "optim/step.h"'
refuses src/mean/a.c '#include "../optim/step.h"'
refuses src/ball/a.c '#include <immintrin.h>'
refuses src/embed/a.c '#include <mpi.h>'
refuses src/eval/a.c '#include "graph/ranges.h"'
refuses src/mpi/a.c '#include "graph/store.h"'
refuses src/graph/a.c '  printf("%d", 1);'
refuses src/unheard-of/a.c '#include <math.h>'
refuses include/geodisk/ball.h '#include "geodisk/graph.h"'
refuses cli/a.c '#include "ball/dd.h"'
refuses examples/consumer/a.c '#include "../../src/ball/dd.h"'
rm -rf tree # what is reached by a header that may be seen
mkdir -p tree/include/geodisk tree/src/graph tree/src/mpi
echo '#include "graph/ranges.h"' >tree/src/mpi/a.c
touch tree/src/graph/store.h
touch tree/src/graph/ranges.h
"$check" tree
echo '#include "store.h"' >tree/src/graph/ranges.h
! "$check" tree >refused.txt && grep -q 'mpi must not see graph/store.h, reached by ranges.h' refused.txt || {
  echo "not noticed: store.h by way of ranges.h"
  exit 1
}
rm -rf tree
mkdir -p tree/docs tree/include/geodisk tree/src/ball
touch tree/src/ball/a.c
"$check" --list >tree/docs/architecture.md
"$check" tree
sed -i 1d tree/docs/architecture.md
! "$check" tree >refused.txt || { echo "not noticed: a document with another list"; exit 1; }
rm -rf tree
mkdir -p tree/include/geodisk tree/src/ball tree/cli/graph
touch tree/src/ball/a.c tree/cli/graph/a.c
! "$check" tree >refused.txt && grep -q 'the name of' refused.txt || { echo "not noticed: two files of one name"; exit 1; }
echo "tools/check-levels notices what it should"

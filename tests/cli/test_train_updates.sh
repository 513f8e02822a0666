# geodisk train --update: natural and Euclidean steps are clipped at the margin, and the command says how often; geodesic steps are not.
. "$TESTS_DIR/cli/expect.sh"

# A tree of 85 nodes, closed: node n has the children 4n+1 .. 4n+4.
awk 'BEGIN { for (n = 1; n < 85; n++) for (a = int((n - 1) / 4); ; a = int((a - 1) / 4)) { print n "\t" a; if (a == 0) break } }' >tree.tsv

t() { "$GEODISK" train tree.tsv -o model.st --dim 2 --epochs 5 --negatives 10 --cap 0 --core-epochs 0 --lr-schedule constant "$@"; }
count() { pattern=$1; shift; "$@" 2>/dev/null | grep -c "$pattern"; }

for update in natural euclidean; do
  expect 0 1 '' count '^[1-9][0-9]* moves were clipped at the edge of the ball$' t --update $update --lr 100
  expect 0 1 '' count '"clips":[1-9]' t --update $update --lr 100 --quiet --json --log log.jsonl
  expect 0 5 '' grep -c '"clips":[1-9]' log.jsonl
done
expect 1 0 '' count 'clipped' t --lr 1
expect 0 1 '' count '"clips":0,' t --lr 1 --quiet --json

# What was trained at such rates is a model like any other.
for update in geodesic natural euclidean; do
  for precision in double float; do
    expect 0 '' '' t --update $update --lr 100 --precision $precision --quiet
    expect 0 1 '' count '^ *mean_rank' "$GEODISK" eval model.st tree.tsv --quiet
  done
done
finish

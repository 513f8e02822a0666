# geodisk train --recipe entailment and link-prediction, judged by what was held out: small splits of the mammals.
. "$TESTS_DIR/cli/expect.sh"

mammals=$TESTS_DIR/../data/mammals.tsv
t() { "$GEODISK" train "$@" --quiet; }
# at_least BOUND METRIC MODEL TEST OPTIONS...: what eval says of it.
at_least() {
  bound=$1 metric=$2
  shift 2
  "$GEODISK" eval "$@" --json --quiet | sed "s/.*\"$metric\": \([0-9.]*\).*/\1/" | awk -v least="$bound" '{ print ($1 >= least ? "fine" : $1) }'
}

# Who is below whom, by the half-space score.
"$GEODISK" graph split "$mammals" -o e --protocol entailment --closure-share 10 --quiet
for dim in 2 5; do
  expect 0 '' '' t e.train.tsv -o e.st --dim $dim --recipe entailment
  expect 0 'fine' '' at_least 0.98 half_space_f1 e.st e.test.tsv --tasks entailment --train e.train.tsv --validation e.validation.tsv
done
expect 0 '' '' t e.train.tsv -o f.st --dim 5 --recipe entailment --threads 1
expect 0 '' '' cmp e.st f.st
expect 1 '' '*on arcs in hyperbolic space*' t e.train.tsv -o f.st --recipe entailment --space euclidean

# Ranks of held-out edges.
"$GEODISK" graph split "$mammals" -o l --quiet
expect 0 '' '' t l.train.tsv -o l.st --dim 10 --recipe link-prediction --precision float
expect 0 'fine' '' at_least 0.91 map l.st l.test.tsv --tasks link-prediction --train l.train.tsv
finish

# Warnings that save an hour: one line each, silent with --quiet, and none where nothing is wrong.
. "$TESTS_DIR/cli/expect.sh"

train() { "$GEODISK" train "$@" --epochs 2 --seed 1 >/dev/null; }
printf 'dog,mammal\ncat,mammal\ncow,mammal\nmammal,animal\ntrout,fish\npike,fish\nfish,animal\n' >direct.csv
printf 'mammal,dog\nmammal,cat\nmammal,cow\nanimal,mammal\nfish,trout\nfish,pike\nanimal,fish\n' >upside.csv
printf 'dog,mammal\ncat,mammal\ncow,mammal\nmammal,animal\ntrout,fish\npike,fish\nfish,animal\nbee,insect\nfly,insect\nant,insect\nasp,snake\nsnake,viper\nviper,snake\n' >cycle.csv
printf '1 2\n2 3\n3 4\n4 1\n1 3\n2 4\n' >network.txt
"$GEODISK" graph closure direct.csv -o closed.tsv -q
sort -r closed.tsv >shuffled.tsv

# Files to train on. What was seen of the graph and taken for it is always said, in one line.
took='[a-z]*: sharpness * placement'
direct='geodisk: warning: direct.csv: looks like a hierarchy given by its direct links; add --closure to train on all ancestors'
expect 0 '' "$direct$newline$took" train direct.csv -o direct.safetensors
expect 0 '' '' train direct.csv -o direct.safetensors --quiet
expect 0 '' "$took" train direct.csv -o closure.safetensors --closure
expect 0 '' "$took" train direct.csv -o both.safetensors --undirected
expect 0 '' "$took" train closed.tsv -o closed.safetensors
expect 0 '' "$took" train network.txt -o network.safetensors
upside='geodisk: warning: upside.csv: the first column looks like the parent, not the child; if so, add --reverse'
expect 0 '' "$upside$newline$took" train upside.csv -o upside.safetensors
expect 0 '' "$upside$newline$took" train upside.csv -o upside-closed.safetensors --closure
expect 0 '' "$took" train upside.csv -o reversed.safetensors --closure --reverse
expect 0 '' "geodisk: warning: cycle.csv: 2 nodes lie on cycles, which a hierarchy has not; geodisk graph check shows one$newline$took" \
  train cycle.csv -o cycle.safetensors
expect 0 '' "$took" train cycle.csv -o cycle.safetensors --undirected
expect 1 '' 'geodisk: warning: cycle.csv: 2 nodes lie on cycles*error: closure: the graph has a cycle: snake -> viper -> snake' \
  train cycle.csv -o cycle.safetensors --closure

# A model beside another graph than its own.
warn() { # warn WARNING MODEL GRAPH options...
  warning="geodisk: warning: $3: $1"
  shift
  expect 0 '*' "$warning" "$GEODISK" eval "$@" --tasks reconstruction
  expect 0 '*' '' "$GEODISK" eval "$@" --tasks reconstruction --quiet
  for command in plot view; do
    checks=$((checks + 1))
    "$GEODISK" $command "$@" -o "out.$([ $command = plot ] && echo svg || echo html)" 2>said.txt
    [ "$(grep -cxF -- "$warning" said.txt)" = 1 ] || complain "no warning '$warning': $(cat said.txt)" $command "$@"
  done
}
silent() {
  expect 0 '*' '' "$GEODISK" eval "$@" --tasks reconstruction
  for command in plot view; do
    checks=$((checks + 1))
    "$GEODISK" $command "$@" -o "out.$([ $command = plot ] && echo svg || echo html)" 2>said.txt
    grep 'was trained on' said.txt && complain 'a warning without cause' $command "$@"
  done
}
silent closure.safetensors direct.csv --closure
silent closure.safetensors closed.tsv
silent closure.safetensors shuffled.tsv # the same in another order
silent reversed.safetensors upside.csv --reverse --closure
warn 'the model was trained on the closure of it: add --closure' closure.safetensors direct.csv
warn 'the model was trained on its edges in both directions: add --undirected' both.safetensors direct.csv
warn 'the model was trained on its direct links only: see geodisk graph reduce' direct.safetensors closed.tsv
warn 'the model was trained on it the other way round: add --reverse' upside.safetensors direct.csv
warn 'the model was trained on the closure of it the other way round: add --closure, add --reverse' reversed.safetensors upside.csv
printf 'dog,mammal\ncat,mammal\n' >part.csv
warn 'the model was trained on another graph' closure.safetensors part.csv

# Edges to predict are not those that were trained on; --train is.
printf 'dog,animal\n' >test.csv
expect 0 '*' '' "$GEODISK" eval direct.safetensors test.csv --train direct.csv
expect 0 '*' 'geodisk: warning: direct.csv: the model was trained on the closure of it: add --closure' \
  "$GEODISK" eval closure.safetensors test.csv --train direct.csv

finish

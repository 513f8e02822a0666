# geodisk train under mpirun: the bytes of a plain process for 1 to 3 ranks and any threads; messages once; what is not offered.
. "$TESTS_DIR/mpi/ranks.sh"
mammals=$data/mammals.tsv
awk '{ print $1 "\t" $2 "\t" 1 + NR % 5 }' "$mammals" >weighted.tsv

tests=0
while read -r arguments; do
  # shellcheck disable=SC2086 # the arguments are words
  "$GEODISK" train $arguments -o plain.st --quiet --threads 2
  for n in 1 2 3; do
    # shellcheck disable=SC2086
    ranks $n train $arguments -o ranks.st --quiet --threads $((1 + (n + tests) % 3))
    cmp plain.st ranks.st || fail "train $arguments: other bytes on $n ranks"
  done
  tests=$((tests + 1))
done <<LIST
$mammals --negatives 20 --dim 2 --epochs 3 --core-epochs 0
$mammals --negatives 10 --dim 5 --epochs 4 --core-epochs 0 --precision float
weighted.tsv --negatives 20 --dim 5 --epochs 2 --core-epochs 0 --burn-in 2 --sampling degree --regularization 0.1
$mammals --negatives all --dim 3 --epochs 2 --core-epochs 3
weighted.tsv --negatives 10 --dim 2 --epochs 2 --units edge --batch 500 --precision float
$mammals --negatives 30 --dim 4 --epochs 2 --core-epochs 2 --inner 0.7 --nearby 0.4 --precision float
LIST
[ $tests = 6 ] || fail "only $tests trainings were compared"

# WordNet's nouns, where they are: an epoch is enough to differ in.
if [ -r /usr/share/wordnet/data.noun ]; then
  "$GEODISK" graph import-wordnet -o hypernyms.tsv --quiet
  "$GEODISK" graph closure hypernyms.tsv -o nouns.tsv --quiet
  "$GEODISK" train nouns.tsv -o plain.st --epochs 1 --core-epochs 2 --precision float --quiet
  ranks 3 train nouns.tsv -o ranks.st --epochs 1 --core-epochs 2 --precision float --quiet --threads 1
  cmp plain.st ranks.st || fail 'the nouns: other bytes on 3 ranks'
fi

# What is below what is learned by one process where the graph is large, which is said once; here of the closure of a chain.
awk 'BEGIN { for (i = 1; i < 1460; i++) for (j = 0; j < i; j++) print i "\t" j }' >chain.tsv
"$GEODISK" train chain.tsv -o plain.st --dim 2 --epochs 1 --negatives 1 --precision float --quiet
ranks 2 train chain.tsv -o ranks.st --dim 2 --epochs 1 --negatives 1 --precision float --threads 1 >out.txt 2>err.txt
[ "$(occurrences 'whole graph in one process: geodisk train --resume' err.txt)" = 1 ] || fail "not told: $(cat err.txt)"
cmp -s plain.st ranks.st && fail 'two ranks have learned what is below what'
"$GEODISK" train chain.tsv -o ranks.st --resume ranks.st --quiet
cmp plain.st ranks.st || fail 'other bytes after one process has learned what is below what'

# One result, one log, as in a plain process.
ranks 3 train "$mammals" -o ranks.st --negatives 20 --core-epochs 0 --epochs 4 --log log.jsonl >out.txt 2>err.txt
[ "$(occurrences '^4 epochs in ' out.txt)" = 1 ] || fail "not told once: $(cat out.txt)"
[ "$(wc -l <log.jsonl)" = 4 ] || fail 'not one line of log for each epoch'

# What is left open is chosen without trials, which is said once; and not where nothing is open.
printf 'b\ta\nc\ta\nd\tb\nd\ta\n' >small.tsv
ranks 2 train small.tsv -o ranks.st --dim 2 --core-epochs 0 >out.txt 2>err.txt
[ "$(occurrences 'ranks choose settings by looking at the graph alone, without trials' err.txt)" = 1 ] || fail "not told: $(cat err.txt)"
ranks 2 train small.tsv -o ranks.st --dim 2 --core-epochs 0 --epochs 2 >out.txt 2>err.txt
[ "$(occurrences 'without trials' err.txt)" = 0 ] || fail "told without need: $(cat err.txt)"

# refused CODE TEXT argument...: three ranks end with this code and say this, once. (mpirun need not wait before it ends the others.)
refused() {
  code=$1 text=$2
  shift 2
  status=0
  OMPI_MCA_odls_base_sigkill_timeout=0 ranks 3 "$@" >out.txt 2>err.txt || status=$?
  [ $status = "$code" ] || fail "$*: exit code $status instead of $code"
  [ "$(occurrences '^geodisk.*: error: ' err.txt)" = 1 ] || fail "$*: not one error: $(cat err.txt)"
  grep -qF -e "$text" err.txt || fail "$*: says $(cat err.txt)"
}
refused 2 'unknown option' train "$mammals" -o ranks.st --negitives 20
refused 1 'nowhere.tsv' train nowhere.tsv -o ranks.st
refused 1 'no/folder' train "$mammals" -o no/folder/ranks.st
refused 1 'no/log' train "$mammals" -o ranks.st --negatives 20 --log no/log
refused 1 'geodisk graph closure' train "$mammals" -o ranks.st --closure
refused 1 'geodisk graph undirected' train "$mammals" -o ranks.st --undirected
refused 1 'or --core-epochs 0' train "$mammals" -o ranks.st --core-epochs 2 --units edge
refused 1 'standard input' train - -o ranks.st
refused 1 '--init' train "$mammals" -o ranks.st --init plain.st
refused 1 '--eval-every' train "$mammals" -o ranks.st --eval-every 1
# Where it runs is said once; `auto` is the processor.
"$MPIRUN" --oversubscribe -n 2 "$GEODISK" train "$mammals" -o auto.st --dim 2 --epochs 1 --negatives 20 --core-epochs 0 --threads 1 --device auto >out.txt 2>err.txt
[ "$(grep -c 'training on the processor: ranks compute on their processors$' err.txt)" = 1 ] || { cat err.txt; exit 1; }
"$MPIRUN" --oversubscribe -n 2 "$GEODISK" train "$mammals" -o auto.st --epochs 2 --resume auto.st --threads 1 --device auto >out.txt 2>err.txt
[ "$(grep -c 'training on the processor: ranks compute on their processors$' err.txt)" = 1 ] || { cat err.txt; exit 1; }
refused 1 '--device' train "$mammals" -o ranks.st --device cuda

# A log that cannot be written ends all ranks, with what was trained.
refused 1 '/dev/full: cannot write: No space left on device; training stopped; continue with --resume kept.st' train "$mammals" -o kept.st --negatives 20 --core-epochs 0 --epochs 2 --log /dev/full
ranks 2 train "$mammals" -o kept.st --resume kept.st --negatives 20 --core-epochs 0 --epochs 2 --quiet
"$GEODISK" train "$mammals" -o plain.st --negatives 20 --core-epochs 0 --epochs 2 --quiet
cmp plain.st kept.st || fail 'other bytes after a log could not be written'

# Instruction sets may differ between machines: the bytes are the same.
"$MPIRUN" --oversubscribe -n 1 "$GEODISK" train "$mammals" -o ranks.st --negatives 20 --core-epochs 0 --epochs 2 --quiet \
  : -n 1 env GEODISK_ISA=ref "$GEODISK" train "$mammals" -o ranks.st --negatives 20 --core-epochs 0 --epochs 2 --quiet </dev/null
cmp plain.st ranks.st || fail 'other bytes where a rank has another instruction set'

# differ TEXT argument...: a second rank with other arguments is found out.
differ() {
  text=$1
  shift
  OMPI_MCA_odls_base_sigkill_timeout=0 "$MPIRUN" --oversubscribe -n 1 "$GEODISK" train "$mammals" -o ranks.st --negatives 20 --core-epochs 0 --epochs 2 --quiet \
    : -n 1 "$GEODISK" train "$@" </dev/null >out.txt 2>err.txt && fail "not found out: $*"
  grep -q "$text" err.txt || fail "$*: says $(cat err.txt)"
}
differ 'rank 1 has other options than rank 0: .*dim' "$mammals" -o ranks.st --negatives 20 --core-epochs 0 --epochs 2 --quiet --dim 3
differ 'rank 1 has another graph than rank 0' weighted.tsv -o ranks.st --negatives 20 --core-epochs 0 --epochs 2 --quiet
differ 'rank 1 reads the graph in another way' "$mammals" -o ranks.st --negatives 20 --core-epochs 0 --epochs 2 --quiet --reverse

differ 'rank 1 failed before it could join the others' "$mammals" -o ranks.st --no-such-option

# More ranks than blocks: idle, with a warning.
ranks 3 train "$mammals" -o ranks.st --negatives 20 --core-epochs 0 --epochs 2 --batch 32 >out.txt 2>err.txt
[ "$(occurrences 'find work, the others are idle' err.txt)" = 1 ] || fail "no warning of idle ranks: $(cat err.txt)"

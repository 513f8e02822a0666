# geodisk train under mpirun: the bytes of a plain process for 1 to 4 ranks and any threads; messages once; what is not offered.
. "$TESTS_DIR/mpi/ranks.sh"
mammals=$data/mammals.tsv
awk '{ print $1 "\t" $2 "\t" 1 + NR % 5 }' "$mammals" >weighted.tsv

tests=0
while read -r arguments; do
  # shellcheck disable=SC2086 # the arguments are words
  "$GEODISK" train $arguments -o plain.st --quiet --threads 2
  for n in 1 2 3 4; do
    # shellcheck disable=SC2086
    ranks $n train $arguments -o ranks.st --quiet --threads $((1 + (n + tests) % 3))
    cmp plain.st ranks.st || fail "train $arguments: other bytes on $n ranks"
  done
  tests=$((tests + 1))
done <<LIST
$mammals --negatives 20 --dim 2 --epochs 3
$mammals --negatives 10 --dim 5 --epochs auto --precision float
weighted.tsv --negatives 20 --dim 5 --epochs 2 --burn-in 2 --sampling degree --regularization 0.1
LIST
[ $tests = 3 ] || fail "only $tests trainings were compared"

# WordNet's nouns, where they are: an epoch is enough to differ in.
if [ -r /usr/share/wordnet/data.noun ]; then
  "$GEODISK" graph import-wordnet -o hypernyms.tsv --quiet
  "$GEODISK" graph closure hypernyms.tsv -o nouns.tsv --quiet
  "$GEODISK" train nouns.tsv -o plain.st --epochs 1 --precision float --quiet
  ranks 3 train nouns.tsv -o ranks.st --epochs 1 --precision float --quiet --threads 1
  cmp plain.st ranks.st || fail 'the nouns: other bytes on 3 ranks'
fi

# One result, one log, as in a plain process.
ranks 3 train "$mammals" -o ranks.st --negatives 20 --epochs 4 --log log.jsonl >out.txt 2>err.txt
[ "$(wc -l <out.txt)" = 1 ] || fail "not one line of output: $(cat out.txt)"
grep -q '^4 epochs in ' out.txt
[ "$(wc -l <log.jsonl)" = 4 ] || fail 'not one line of log for each epoch'

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
refused 1 'at most 2 ranks' train "$mammals" -o ranks.st --parts 4
refused 1 'geodisk graph closure' train "$mammals" -o ranks.st --closure
refused 1 'geodisk graph undirected' train "$mammals" -o ranks.st --undirected
refused 1 '--async' train "$mammals" -o ranks.st --async
refused 1 'take --core-epochs 0' train "$mammals" -o ranks.st --core-epochs 2
refused 1 '--variant grouped' train "$mammals" -o ranks.st --variant grouped
refused 1 '--negatives all' train "$mammals" -o ranks.st --negatives all
refused 1 'standard input' train - -o ranks.st
refused 1 '--init' train "$mammals" -o ranks.st --init plain.st
refused 1 'not finite' train weighted.tsv -o ranks.st --negatives 20 --lr 1e6 --lr-schedule constant --update euclidean --space euclidean --dim 1

# Machines that round differently are found out.
status=0
OMPI_MCA_odls_base_sigkill_timeout=0 "$MPIRUN" --oversubscribe -n 1 "$GEODISK" train "$mammals" -o ranks.st --negatives 20 --quiet \
  : -n 1 env GEODISK_ISA=ref "$GEODISK" train "$mammals" -o ranks.st --negatives 20 --quiet </dev/null >out.txt 2>err.txt || status=$?
if "$GEODISK" --version | grep -q 'instruction set: ref'; then
  [ $status = 0 ] || fail "both are plain, but: $(cat err.txt)"
else
  grep -q 'error: rank 0 uses the instruction set .*, rank 1 ref,' err.txt || fail "exit code $status, says $(cat err.txt)"
fi

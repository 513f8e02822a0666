# Messages that are held back at random (delay.c, preloaded) change nothing.
. "$TESTS_DIR/mpi/ranks.sh"
[ -n "$DELAY" ] || skip 'not with sanitizers, which want to be loaded first'
awk -F '\t' 'NR == FNR { if ($2 == "carnivore.n.01") below[$1] = below[$2] = 1; next } $1 in below && $2 in below' \
  "$data/mammals.tsv" "$data/mammals.tsv" >carnivores.tsv
set -- carnivores.tsv --negatives 20 --dim 3 --core-epochs 0 --epochs 3 --sampling nearby --quiet
"$GEODISK" train "$@" -o plain.st
for n in 2 3 4; do
  rm -f delays.txt
  "$MPIRUN" --oversubscribe -x LD_PRELOAD="$DELAY" -x DELAY_LOG="$PWD/delays.txt" -n $n "$GEODISK" train "$@" -o delayed.st --threads 2 </dev/null
  cmp plain.st delayed.st || fail "other bytes on $n ranks"
  awk '$1 > 20 { many++ } END { exit many != '$n' }' delays.txt || fail "hardly anything was delayed: $(cat delays.txt)"
done

# What the command does on ranks besides training: evaluation prints what a plain process prints, once; what is not offered is
# refused, once, by a text that says what to do.
set -eu
data=$TESTS_DIR/../data/mammals.tsv
"$GEODISK" train "$data" -o model.safetensors --dim 5 --epochs 3 --quiet

on_ranks() { # on_ranks N ARGUMENT...
  n=$1
  shift
  "$MPIRUN" --oversubscribe -n "$n" "$GEODISK" "$@"
}

"$GEODISK" eval model.safetensors "$data" --tasks reconstruction --quiet >plain.txt
"$GEODISK" eval model.safetensors "$data" --tasks reconstruction --definition gensim --sample 200 --seed 7 --quiet >sample.txt
grep -q '^map' plain.txt
for n in 1 2 3; do
  on_ranks $n eval model.safetensors "$data" --threads 1 --quiet >ranks.txt
  cmp plain.txt ranks.txt
done
on_ranks 3 eval model.safetensors "$data" --tasks reconstruction --definition gensim --sample 200 --seed 7 --threads 2 --quiet >ranks.txt
cmp sample.txt ranks.txt

refused() { # refused TEXT ARGUMENT...
  text=$1
  shift
  if on_ranks 2 "$@" >out.txt 2>err.txt; then
    echo "not refused: $*"
    exit 1
  fi
  if [ "$(grep -c "$text" err.txt)" != 1 ] || [ -s out.txt ]; then
    echo "expected once: $text"
    cat out.txt err.txt
    exit 1
  fi
}
refused 'several processes offer --tasks reconstruction only' eval model.safetensors "$data" --tasks loss
refused 'closure is for one process' eval model.safetensors "$data" --closure
refused 'cannot open' eval no-such-model "$data"
printf 'aardvark\tnobody\n' >other.tsv
refused "'nobody'.*(--skip-missing does that)" eval model.safetensors other.tsv
printf 'a\tb\theavy\n' >bad.tsv
refused 'line 1, column 3' eval model.safetensors bad.tsv

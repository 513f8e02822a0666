# What the command does on ranks besides training: evaluation prints what a plain process prints, once; what is not offered is
# refused, once, by a text that says what to do.
set -eu
data=$TESTS_DIR/../data/mammals.tsv
"$GEODISK" train "$data" -o model.safetensors --dim 5 --epochs 3 --core-epochs 0 --quiet

on_ranks() { # on_ranks N ARGUMENT...
  n=$1
  shift
  "$MPIRUN" --oversubscribe -n "$n" "$GEODISK" "$@"
}

"$GEODISK" eval model.safetensors "$data" --tasks reconstruction --quiet >plain.txt
"$GEODISK" eval model.safetensors "$data" --tasks reconstruction --definition gensim --sample 200 --seed 7 --quiet >sample.txt
grep -q '^map' plain.txt
for n in 1 3; do
  on_ranks $n eval model.safetensors "$data" --threads 1 --quiet >ranks.txt
  cmp plain.txt ranks.txt
done
on_ranks 3 eval model.safetensors "$data" --tasks reconstruction --definition gensim --sample 200 --seed 7 --threads 2 --quiet >ranks.txt
cmp sample.txt ranks.txt

# Other formats: the same bytes, the same messages, once.
for to in word2vec:txt word2vec-bin:bin npy:npy lorentz:csv; do
  "$GEODISK" convert model.safetensors --to "${to%:*}" -o "plain.${to#*:}" --json >plain.json 2>plain.err
  on_ranks 3 convert model.safetensors --to "${to%:*}" -o "ranks.${to#*:}" --json >ranks.json 2>ranks.err
  cmp "plain.${to#*:}" "ranks.${to#*:}"
  cmp plain.json ranks.json
  sed 's/^\(geodisk: [a-z]*: \)*plain/ranks/; s/plain\./ranks./' plain.err >expected.err
  sed 's/^\(geodisk: [a-z]*: \)*ranks/ranks/' ranks.err | cmp - expected.err
done
cmp plain.names ranks.names

refused() { # refused TEXT ARGUMENT...
  text=$1
  shift
  if OMPI_MCA_odls_base_sigkill_timeout=0 on_ranks 2 "$@" >out.txt 2>err.txt; then # mpirun need not wait before it ends the other
    echo "not refused: $*"
    exit 1
  fi
  # on a busy machine another rank may come to say the same before mpirun has ended it: in its own words, after its number
  said=$(awk '/^geodisk: rank [0-9]+ failed before it could join/ { getline; next } { print }' err.txt | grep -c "$text")
  if [ "$said" != 1 ] || [ -s out.txt ]; then
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
printf 'a\tb\t-1\n' >bad.tsv
refused 'line 1, column 3' eval model.safetensors bad.tsv
refused 'convert model files only' convert plain.txt --from word2vec -o x.safetensors
refused 'is for one process' convert model.safetensors -o x.safetensors
refused 'not a model file' convert plain.csv -o x.tsv
printf 'a b\tc d\nc d\te\n' >blanks.tsv
"$GEODISK" train blanks.tsv -o blanks.safetensors --dim 2 --epochs 1 --quiet
refused 'some names have blanks' convert blanks.safetensors -o x.txt
on_ranks 2 convert blanks.safetensors -o ranks.tsv --quiet
"$GEODISK" convert blanks.safetensors -o plain.tsv --quiet
cmp plain.tsv ranks.tsv
refused 'graph is for one process' graph info "$data"
on_ranks 1 graph info "$data" | grep -q '^nodes'

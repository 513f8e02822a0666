# Graphs and models in the formats of other programs, from the command.
. "$TESTS_DIR/cli/expect.sh"

tab='	'
printf '{"name": "animal", "children": [{"name": "mammal", "children": [{"name": "dog"}, {"name": "cat"}]}, {"name": "fish"}]}' >tree.json
printf '((dog:1,cat:1)mammal:2,fish:3)animal;' >tree.nwk
pairs="mammal${tab}animal${newline}dog${tab}mammal${newline}cat${tab}mammal${newline}fish${tab}animal"
expect 0 "$pairs" '' "$GEODISK" graph convert tree.json
expect 0 "$pairs" 'geodisk: tree.nwk: lengths are ignored (weights yes takes them as weights)' "$GEODISK" graph convert tree.nwk
expect 0 "$pairs" '' sh -c '"$0" graph convert - <tree.json' "$GEODISK"
for end in graphml json csv tsv graphml.gz; do
  expect 0 '' "geodisk: out.$end: 5 nodes, 4 edges" "$GEODISK" graph convert tree.json -o out.$end
  expect 0 "$pairs" '*' "$GEODISK" graph convert out.$end
done
expect 0 '' '' "$GEODISK" graph convert tree.json -o out.gexf -q
expect 1 '' "geodisk: error: out.gexf: line 2: 'gexf': GEXF is written, not read: save the graph as GraphML" "$GEODISK" graph info out.gexf
expect 1 '' 'geodisk: error: tree.json: columns are for tables, which this is not' "$GEODISK" graph info tree.json --columns a,b
printf '{"name": "a",\n"children": [}' >bad.json
expect 1 '' "geodisk: error: bad.json: line 2: '}': expected a value" "$GEODISK" graph info bad.json

# Every command that reads a graph reads them.
expect 0 '*' '' "$GEODISK" train tree.json --closure --epochs 5 --dim 2 -o tree.safetensors -q
expect 0 '*' '' "$GEODISK" eval tree.safetensors tree.nwk --closure -q
expect 0 '*' '' "$GEODISK" plot tree.safetensors out.graphml --closure -q -o tree.svg

# A model with its coordinates.
x=$("$GEODISK" convert tree.safetensors --to tsv -o - -q | sed -n '/^dog/s/^dog\t//p')
for end in graphml gexf json; do
  expect 0 '' '*' "$GEODISK" convert tree.safetensors tree.json -o model.$end -q
  for number in $x; do
    expect 0 '*' '' grep -e "$number" model.$end
  done
  expect 0 4 '' sh -c "grep -c '[<\"]edge source\|<edge id\|\"source\"' model.$end"
done
expect 0 "$pairs" '' "$GEODISK" graph convert model.json
expect 0 '' '' "$GEODISK" convert tree.safetensors -o bare.graphml -q
expect 0 0 '' sh -c 'grep -c "<edge" bare.graphml || true'
printf 'dog,mammal\nwolf,mammal\n' >more.csv
expect 0 '' 'geodisk: warning: more.json: nodes of the graph that the model does not have, left out with their edges: 1' \
  "$GEODISK" convert tree.safetensors more.csv -o more.json
expect 1 '' '*only GraphML, GEXF and JSON hold the edges of a graph' "$GEODISK" convert tree.safetensors tree.json -o model.tsv
expect 0 '' '*' "$GEODISK" convert tree.safetensors --to tensorboard -o board.tsv -q
expect 0 "$(printf 'mammal\nanimal\ndog\ncat\nfish' | sort)" '' sort board.metadata.tsv
expect 0 "$x" '' sh -c 'paste board.metadata.tsv board.tsv | sed -n "/^dog/s/^dog\t//p"'
expect 0 '5 2' '' awk -F '\t' 'NF != 2 { print "wrong" } END { print NR, NF }' board.tsv
expect 0 '' '' "$GEODISK" convert tree.safetensors --to tensorboard -o other.tsv --names names.tsv -q
expect 0 '' '' cmp names.tsv board.metadata.tsv
expect 1 '' "*TensorBoard's table on standard output: say where the names go" "$GEODISK" convert tree.safetensors --to tensorboard -o -

finish

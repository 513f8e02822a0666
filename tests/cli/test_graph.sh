# `geodisk graph`: exact output, exit codes and messages of every sub-command.
. "$TESTS_DIR/cli/expect.sh"

g() { "$GEODISK" graph "$@"; }
from_text() { # from_text TEXT arguments...: TEXT is standard input
  text=$1
  shift
  printf "$text" | "$GEODISK" graph "$@"
}

tab='	'
tidy='dog\tmammal\ncat\tmammal\nmammal\tanimal\n'

# info (without the fingerprint)
out=$(from_text "$tidy" info --json - | sed 's/"fingerprint": "[0-9a-f]*"/"fingerprint": "-"/')
expect 0 '{"nodes": 4, "edges": 3, "roots": 1, "leaves": 2, "depth": 2, "components": 1, "self_loops": 0, "duplicates": 0, "largest_component": 4, "isolated": 0, "cyclic_nodes": 0, "max_parents": 1, "max_children": 2, "mean_degree": 0.75, "weighted": false, "undirected": false, "fingerprint": "-"}' '' echo "$out"
expect 0 'nodes              3
edges              3
roots              0
leaves             0
depth              none: 3 nodes lie on cycles
components         1
largest component  3 nodes
isolated nodes     0
most parents       1
most children      1
edges per node     1
self-loops         1
duplicates         1
weights            no
undirected         no' '*self-loops left out: 1 (first at line 4)*duplicate edges left out: 1' \
  sh -c 'printf "a b\nb c\nc a\na a\na b\n" | "$0" graph info - | sed /fingerprint/d' "$GEODISK"
expect 0 '*' '' from_text 'a b\na a\n' info -q -

# Reading: refusals name file, line, column and field.
printf 'a\tb\t1\nc\td\theavy\n' >bad.tsv
expect 1 '' "geodisk: error: bad.tsv: line 2, column 3: 'heavy': the third column is the weight, a number >= 0; it can be ignored (weights no)" \
  g info bad.tsv
expect 0 '*' '' g info bad.tsv --weights no
expect 1 '' 'geodisk: error: missing.tsv: cannot open: No such file or directory' g info missing.tsv
expect 1 '' 'geodisk: error: .: is a directory, not a file' g info .
: >empty.tsv
expect 1 '' 'geodisk: error: empty.tsv: the file is empty' g info empty.tsv
printf 'a\tb\nc\0\td\n' >nul.tsv
expect 1 '' 'geodisk: error: nul.tsv: line 2: a NUL byte: this is not a text file' g info nul.tsv
head -c 1048576 /dev/zero | tr '\0' x >long.tsv
expect 1 '' 'geodisk: error: long.tsv: line 1 is too long: a line has less than 1048576 bytes' g info long.tsv
if "$GEODISK" --version | grep -q 'features:.*[^t] zlib\|features: zlib'; then
  printf 'a\tb\nb\tc\n' | gzip >good.gz
  expect 0 "a${tab}b${newline}a${tab}c${newline}b${tab}c" '' g closure good.gz
  head -c 20 good.gz >cut.gz
  expect 1 '' 'geodisk: error: cut.gz: the gzip data is truncated: the file ends too early' g info cut.gz
  expect 0 '' 'geodisk: made.gz: 3 nodes, 3 edges' g closure good.gz -o made.gz
  expect 0 "a${tab}b${newline}a${tab}c${newline}b${tab}c" '' gzip -dc made.gz
fi
expect 1 '' "geodisk: error: standard input: line 3, column 2: 'c': a self-loop: child and parent are the same" \
  from_text 'a b\nb c\nc c\n' info --strict -
expect 1 '' "geodisk: error: standard input: line 3, column 1: 'a' -> 'b': a duplicate, the edge is there before" \
  from_text 'a b\nb c\na b\n' info --strict -
expect 0 "b${tab}a" '' from_text 'a:b\n' reduce --separator : --reverse -
expect 2 '' "*--separator: 'ab' is not one character*" g info --separator ab bad.tsv
expect 2 '' "*--header: 'maybe' is not one of auto|yes|no*" g info --header maybe bad.tsv

# closure, reduce, undirected, subgraph
expect 0 "dog${tab}mammal${newline}dog${tab}animal${newline}mammal${tab}animal${newline}cat${tab}mammal${newline}cat${tab}animal" '' \
  sh -c 'printf "dog mammal\ncat mammal\nmammal animal\n" | "$0" graph closure -' "$GEODISK"
expect 1 '' 'geodisk: error: closure: the graph has a cycle: a -> b -> c -> a' from_text 'a b\nb c\nc a\n' closure -
expect 0 "a${tab}b${newline}b${tab}a" '' from_text 'a b\nb a\n' closure --allow-cycles -
expect 1 '' 'geodisk: error: closure: it has more than 2 edges, the limit' from_text 'a b\nb c\n' closure --max-edges 2 -
expect 0 "a${tab}b${newline}b${tab}c" '' from_text 'a b\nb c\na c\n' reduce -
expect 1 '' 'geodisk: error: reduction: the graph has a cycle: a -> b -> a' from_text 'a b\nb a\n' reduce -
expect 0 "a${tab}b${tab}2${newline}b${tab}a${tab}2" '' from_text 'a b 2\n' undirected -
expect 0 "dog${tab}mammal${newline}cat${tab}mammal" '' from_text "$tidy" subgraph - --below mammal
expect 0 'dog' '' from_text "$tidy" subgraph - --below dog
expect 1 '' "geodisk: error: --below: there is no node 'fish' in the graph" from_text "$tidy" subgraph - --below fish
expect 2 '' '*--below NODE is missing*' g subgraph bad.tsv
expect 0 '{"nodes": 4, "edges": 5}' 'geodisk: out.csv: 4 nodes, 5 edges' from_text "$tidy" closure - --json -o out.csv
expect 0 'dog,mammal' '' head -n 1 out.csv
expect 2 '' '*--json needs -o FILE*' from_text "$tidy" closure - --json
expect 1 '' 'geodisk: error: no/such/out.tsv: cannot open for writing: No such file or directory' \
  from_text "$tidy" closure - -o no/such/out.tsv

# split
expect 0 '{"nodes": 4, "train": 5, "validation": 0, "test": 1, "basic": 3, "candidates": 3, "kind": "hierarchy"}' \
  '*s.train.tsv: 5 edges*s.validation.tsv: 0 edges*s.test.tsv: 1 edges*' \
  from_text 'a b\nb c\nc d\n' split - --closure --validation 0 --test 34 --seed 7 -o s --json
expect 0 '6' '' sh -c 'cat s.train.tsv s.validation.tsv s.test.tsv | sort -u | grep -c .'
expect 0 '' '*no edge can be held out*' from_text 'a b\nb c\nc d\n' split - -o s
# A network holds out any edge, also when each edge is written once; what cannot be held out is said.
grid=$("$GEODISK" graph generate grid --rows 6 --columns 6 --quiet | tr '\n\t' ';,')
from_grid() { printf '%s' "$grid" | tr ';,' '\n\t' | "$GEODISK" graph "$@"; }
expect 0 '{"nodes": 36, "train": 48, "validation": 6, "test": 6, "basic": 0, "candidates": 60, "kind": "network"}' \
  '*split as a network: any of its 60 edges may be held out*' from_grid split - --validation 10 --test 10 -o s --json
expect 0 '{"nodes": 36, "train": 60, "validation": 0, "test": 0, "basic": 60, "candidates": 0, "kind": "hierarchy"}' '*no edge can be held out*--as network*' \
  from_grid split - --as hierarchy -o s --json
expect 0 '{"nodes": 4, "train": 2, "validation": 0, "test": 1, "basic": 0, "candidates": 3, "kind": "network"}' '*1 edges held out instead of 2: each of the others is the last that one of its nodes has*' \
  from_text 'a b\nb c\nc d\n' split - -o s --as network --validation 0 --test 60 --json
expect 2 '' '*-o PREFIX is missing*' from_text 'a b\n' split -
# Ganea et al.'s protocol: basic edges and a share of the others, and non-edges beside what is held out.
expect 0 '{"nodes": 4, "train": 4, "validation": 0, "test": 1, "basic": 3, "candidates": 3, "kind": "hierarchy", "validation_non_edges": 0, "test_non_edges": 1}' '*s.test-non-edges.tsv: 1 edges*' \
  from_text 'a b\nb c\nc d\n' split - --closure --protocol entailment --closure-share 34 --validation 0 --test 34 --non-edges 1 --seed 7 -o s --json
expect 0 '1' '' grep -c . s.test-non-edges.tsv
expect 2 '' '*needs --closure-share*' from_text 'a b\n' split - -o s --protocol entailment
expect 2 '' '*goes with --protocol entailment*' from_text 'a b\n' split - -o s --closure-share 10
expect 2 '' '*for hierarchies*' from_text 'a b\n' split - -o s --protocol entailment --closure-share 10 --as network
expect 1 '' '*a -> b -> a*' from_text 'a b\nb a\n' split - -o s --protocol entailment --closure-share 10
expect 1 '' '*are more than 100*' from_text 'a b\n' split - -o s --protocol entailment --closure-share 95
# What no walk finds: one of two parents, and whole nodes with an edge given.
expect 0 '{"nodes": 4, "train": 4, "validation": 0, "test": 1, "basic": 4, "candidates": 1, "kind": "hierarchy", "validation_non_edges": 0, "test_non_edges": 2}' '*' \
  from_text 'a b\na c\nb d\nc d\n' split - --closure --protocol parents --validation 0 --test 100 --non-edges 2 --seed 7 -o s --json
expect 0 "a${tab}b" '' cat s.test.tsv
expect 0 '{"nodes": 6, "train": 7, "validation": 0, "test": 0, "basic": 5, "candidates": 5, "kind": "hierarchy", "given": 1, "validation_non_edges": 0, "test_non_edges": 0}' '*s.given.tsv: 1 edges*' \
  from_text 'a b\nb c\nc d\ne c\nf c\n' split - --closure --protocol nodes --leaves 1 --inner 0 --given parent --validation 0 --seed 1 -o s --json
expect 1 '' '' sh -c 'cut -f 1 s.given.tsv | grep -wf - s.train.tsv'
expect 1 '' '*no node has several parents*' from_text 'a b\n' split - -o s --protocol parents
expect 1 '' '*500 leaves are to be taken out*' from_text 'a b\n' split - -o s --protocol nodes
expect 1 '' '*a -> b -> a*' from_text 'a b\nb a\n' split - -o s --protocol parents
expect 1 '' '*a -> b -> a*' from_text 'a b\nb a\n' split - -o s --protocol nodes
expect 2 '' '*--given goes with --protocol nodes*' from_text 'a b\n' split - -o s --given children
expect 2 '' '*--protocol nodes is for hierarchies*' from_text 'a b\n' split - -o s --protocol nodes --as network
# Non-edges are outside the closure also where the graph is not closed: all pairs upwards in a chain are edges.
expect 0 '' '' sh -c '
  printf "n1 n2\nn2 n3\nn3 n4\nn4 n5\nn1 n3\nn2 n4\n" | "$0" graph split - -o s --protocol entailment --closure-share 0 --validation 0 --test 100 --quiet
  tr -d "\"" <s.test-non-edges.tsv | awk "\$1 < \$2"' "$GEODISK"
expect 1 '' '*their sum at most 100*' from_text 'a b\n' split - -o s --validation 60 --test 50

# generate
expect 0 '{"nodes": 63, "edges": 62}' 'geodisk: tree.tsv: 63 nodes, 62 edges' \
  g generate tree --branching 2 --depth 5 -o tree.tsv --json
expect 0 '{"nodes": 63, "edges": 258}' '' g generate tree --branching 2 --depth 5 --closed -o tree.tsv --json -q
expect 0 "1${tab}0${newline}2${tab}0${newline}2${tab}1" '' g generate blocks --nodes 3 --blocks 1 --p-in 1
expect 0 "1${tab}0${newline}2${tab}0${newline}3${tab}1${newline}3${tab}2" '' g generate grid --rows 2 --columns 2
expect 0 '{"nodes": 50, "edges": 192}' '' g generate barabasi-albert --nodes 50 --attach 2 --undirected -o b.tsv --json -q
expect 2 '' "*'bush' is not one of tree, recursive, grid, barabasi-albert, blocks*" g generate bush
expect 2 '' '*--closed and --undirected exclude each other*' g generate tree --closed --undirected
expect 2 '' '*--p-in: 2 is out of range*' g generate blocks --p-in 2
expect 1 '' 'geodisk: error: generate: attach 9 is out of range: at least 1, and less than nodes' \
  g generate barabasi-albert --nodes 5 --attach 9
g generate recursive --nodes 50 --seed 3 >r1.tsv
g generate recursive --nodes 50 --seed 3 >r2.tsv
g generate recursive --nodes 50 --seed 4 >r3.tsv
expect 0 '' '' cmp r1.tsv r2.tsv
expect 1 '*' '' cmp r1.tsv r3.tsv

# distances
expect 0 '{"sources": 3, "pairs": 6, "unreachable": 0, "longest": 2, "mean": 1.3333333333333333}' '' \
  from_text 'a b\nb c\n' distances --json -
expect 0 'sources      3
pairs        6
unreachable  3
longest      2
mean         1.3333333333333333' '' from_text 'a b\nb c\n' distances --way up -
expect 0 "a${tab}a${tab}0${newline}a${tab}b${tab}1.5${newline}a${tab}c${tab}inf" '' \
  from_text 'a b 1.5\nc b 1\n' distances --way up --weighted --from a -o - -
expect 1 '' "geodisk: error: --from: there is no node 'x' in the graph" from_text 'a b\n' distances --from x -
expect 2 '' '*--from and --sources exclude each other*' g distances --from x --sources 2 bad.tsv

# check
expect 0 'PROBLEM The first column looks like the parent, not the child (nodes without a parent: 2, without a child: 1).
        If so, read the file with --reverse: an edge goes from child to parent.' '' \
  sh -c 'printf "mammal,dog\nmammal,cat\n" | "$0" graph check - | head -n 2' "$GEODISK"
expect 0 '{"direction": "child_first", "cyclic_nodes": 0, "components": 1, "self_loops": 0, "duplicates": 0, "near_duplicate_names": 0, "closed_share": 0, "delta": {"exact": true, "on_reduction": false, "lower": 0, "upper": 0, "mean": 0, "mean_low": 0, "mean_high": 0, "mean_distance": 1.5}, ' '' \
  sh -c 'printf "dog mammal\ncat mammal\nmammal animal\n" | "$0" graph check --json - | sed "s/\"findings.*//"' "$GEODISK"
expect 0 '7' '' sh -c 'printf "dog mammal\ncat mammal\n" | "$0" graph check --no-delta - | grep -c "^[a-zP]"' "$GEODISK"

# import-obo
cat >small.obo <<'EOF'
format-version: 1.2
[Term]
id: X:1
name: thing
[Term]
id: X:2
name: part
relationship: part_of X:1 ! thing
[Term]
id: X:3
is_a: X:2
[Term]
id: X:4
is_obsolete: true
EOF
expect 0 "X:3${tab}X:2${newline}X:1" 'geodisk: small.obo: obsolete terms skipped: 1' g import-obo small.obo
expect 0 "part${tab}thing${newline}X:3${tab}thing${newline}X:3${tab}part" '' \
  g import-obo small.obo --part-of --names --closure -q
expect 0 '{"nodes": 3, "edges": 1, "terms": 3, "obsolete": 1, "is_a": 1, "part_of": 0, "undefined": 0, "self_loops": 0, "duplicates": 0}' '' \
  g import-obo small.obo --json -q -o obo.tsv
expect 1 '' 'geodisk: error: bad.tsv: there is no \[Term] in it: is this an OBO file?' g import-obo bad.tsv

# import-wordnet: a small database; the real one where it is installed.
mkdir -p dict
printf 'animal n 1 1 ~ 1 0 00000100\ndog n 1 1 @ 1 0 00000200\nlassie n 1 1 @i 1 0 00000300\n' >dict/index.noun
printf '00000100 03 n 01 animal 0 000 | x\n00000200 05 n 01 dog 0 001 @ 00000100 n 0000 | y\n00000300 05 n 01 Lassie 0 001 @i 00000200 n 0000 | z\n' >dict/data.noun
expect 0 "dog.n.01${tab}animal.n.01${newline}lassie.n.01${tab}animal.n.01${newline}lassie.n.01${tab}dog.n.01" '' \
  g import-wordnet --dict dict
expect 0 "dog.n.01${tab}lassie.n.01" '' g import-wordnet --dict dict --root dog.n.01 --reverse
expect 1 '' "geodisk: error: root 'cat.n.01': there is no synset of this name" g import-wordnet --dict dict --root cat.n.01
expect 1 '' 'geodisk: error: dict/index.verb: cannot open: No such file or directory' g import-wordnet --dict dict --pos v
if [ -r /usr/share/wordnet/data.noun ]; then
  expect 0 '{"nodes": 82115, "edges": 743241, "synsets": 82115, "hypernyms": 75850, "instance_hypernyms": 8577}' '' \
    g import-wordnet -o nouns.tsv --json -q
  expect 0 743241 '' sh -c 'wc -l <nouns.tsv | tr -d " "'
  expect 0 '{"nodes": 1182, "edges": 6542, "synsets": 82115, "hypernyms": 75850, "instance_hypernyms": 8577}' '' \
    g import-wordnet --root mammal.n.01 -o mammals.tsv --json -q
  expect 0 '' '' cmp mammals.tsv "$TESTS_DIR/../data/mammals.tsv"
fi

# bench graph, small: it runs, and the peak is within its bound (a sanitizer's memory is its own).
"$GEODISK" bench graph --edges 400000 --nodes 40000 --json >bench.json 2>bench.err
expect 0 'tenth random nouns closure' '' sh -c 'tr "{" "\n" <bench.json | grep -o "\"[a-z]*\": $" | tr -d "\": \n" | sed "s/tenth/tenth /; s/random/random /; s/nouns/nouns /"; test -r /usr/share/wordnet/data.noun || printf "nouns closure"'
if [ -z "$CFLAGS" ]; then
  peak=$(sed 's/.*"random": {[^}]*"peak_bytes": \([0-9]*\), "peak_bytes_bound": \([0-9]*\).*/\1 -le \2/' bench.json)
  expect 0 '' '' test $peak
fi
expect 2 '' '*--edges: 1 is out of range*' "$GEODISK" bench graph --edges 1

# The group itself, help and unknown words.
expect 0 '*' '' g --help
expect 0 '*' '' g closure --help
expect 2 '' "*unknown command 'closur'; did you mean 'closure'*" g closur
expect 2 '' '*unexpected argument*' g info a b c
finish

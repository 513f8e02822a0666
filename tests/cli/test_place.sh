# `geodisk place`: a new node comes below its parent, the old ones stay, and what cannot be placed is named.
. "$TESTS_DIR/cli/expect.sh"

g() { "$GEODISK" place "$@"; }
from_text() { # from_text TEXT arguments...: TEXT is standard input
  text=$1
  shift
  printf "$text" | "$GEODISK" place "$@"
}
columns() { # columns LIST command...
  list=$1
  shift
  "$@" | cut -f "$list"
}

awk 'BEGIN { print "root\t0\t0"; for (i = 0; i < 12; i++) { a = i * 3.141592653589793 / 6; printf "n%d\t%.17g\t%.17g\n", i, 0.9 * cos(a), 0.9 * sin(a) } }' >ring.tsv
"$GEODISK" convert ring.tsv -o ring.safetensors
printf 'x\tn3\ny\tn4\nz\tx\nn1\tn2\n' >new.tsv

expect 0 'x	n3
y	n4
z	x' '*1 edges join nodes of the model and were not used*' columns 1,2 g ring.safetensors new.tsv -o more.safetensors --parents 1
expect 0 '' '' g ring.safetensors new.tsv -o quiet.safetensors --parents 0 --quiet
expect 0 '' '' cmp more.safetensors quiet.safetensors
expect 0 '' '' g ring.safetensors new.tsv -o quiet.safetensors --parents 0 --quiet --threads 1
expect 0 '' '' cmp more.safetensors quiet.safetensors
rows() { "$GEODISK" convert "$1" --to tsv -o - --quiet | head -n 13; }
expect 0 "$(cat ring.tsv | awk -F '\t' '{ print $1 }')" '' columns 1 rows more.safetensors
expect 0 "$(rows ring.safetensors)" '' rows more.safetensors
expect 0 'n3' '' columns 1 "$GEODISK" query more.safetensors x --parents --quiet
expect 0 'x' '' columns 1 "$GEODISK" query more.safetensors z --parents --quiet
expect 0 'w	n7' '' columns 1,2 from_text 'n7,w\n' ring.safetensors - --reverse -o more.safetensors --parents 1
expect 0 'w	n7' '' columns 1,2 from_text 'w n7\n' ring.tsv - --space euclidean -o more.safetensors --parents 1
expect 0 '"node"
"loss"
"iterations"
"converged"
"round"
"norm"
"radius"
"parents"' '' sh -c '"$GEODISK" place ring.safetensors new.tsv -o more.safetensors --json --quiet --parents 1 | head -n 1 | sed "s/\"parents\".*/\"parents\"/" | tr "," "\n" | sed "s/^[ {]*//; s/:.*//"'

# 50 leaves of the mammals hidden, the rest trained, each leaf placed by the edge to its parent: that parent is among the 5 printed.
mammals=$TESTS_DIR/../data/mammals.tsv
"$GEODISK" graph reduce "$mammals" -o tree.tsv --quiet
awk -F '\t' -v seed=7 '
  NR == FNR { inner[$2] = 1; child[++n] = $1; parent[n] = $2; next }
  FNR == 1 { srand(seed); while (hidden < 50) { i = 1 + int(rand() * n); if (!(child[i] in inner) && !(child[i] in hide)) {
      hide[child[i]] = 1; hidden++; print child[i] "\t" parent[i] > "leaves.tsv" } } }
  !($1 in hide)' tree.tsv "$mammals" >visible.tsv
"$GEODISK" train visible.tsv -o visible.safetensors --dim 5 --epochs 30 --quiet
found_parents() {
  "$GEODISK" place visible.safetensors leaves.tsv -o all.safetensors --parents 5 --quiet >parents.tsv &&
    awk -F '\t' 'NR == FNR { wanted[$1] = $2; n++; next } wanted[$1] == $2 { right++ }
      END { print n " leaves, " (right >= 40 ? "at least 40" : "only " right) " with their parent" }' leaves.tsv parents.tsv
}
expect 0 '50 leaves, at least 40 with their parent' '' found_parents

expect 2 '' '*where to? give -o FILE*' g ring.safetensors new.tsv
expect 2 '' '*both be standard input*' g - - -o x.safetensors
expect 1 '' '*has all nodes of the graph already*' from_text 'n1\tn2\n' ring.safetensors - -o x.safetensors
expect 1 '' "*no chain of edges joins 2 new nodes to the model: 'p', 'q'*" from_text 'p\tq\nx\tn1\n' ring.safetensors - -o x.safetensors
expect 1 '' '*missing.tsv*' g ring.safetensors missing.tsv -o x.safetensors
expect 1 '' '*no/x.safetensors: cannot open for writing*' g ring.safetensors new.tsv -o no/x.safetensors --quiet

finish

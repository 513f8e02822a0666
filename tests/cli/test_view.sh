# `geodisk view`: one page from a model and a graph, what it says about them, and what it refuses.
. "$TESTS_DIR/cli/expect.sh"

g() { "$GEODISK" view "$@"; }
awk 'BEGIN { print "root\t0\t0"; for (i = 0; i < 12; i++) { a = i * 3.141592653589793 / 6; printf "n%d\t%.17g\t%.17g\n", i, 0.9 * cos(a), 0.9 * sin(a) } }' >ring.tsv
awk 'BEGIN { for (i = 0; i < 12; i++) printf "n%d\t%s\n", i, i < 4 ? "root" : "n" i - 4 }' >edges.tsv
printf 'a\t0.1\t0.2\t0.3\nb\t0.3\t0.1\t-0.4\nc\t-0.5\t0.1\t0.1\n' >deep.tsv
printf 'n1\troot\nstranger\troot\n' >more.tsv

expect 0 '' '*ring.html: 13 nodes, 12 edges, 0.1 MB' g ring.tsv edges.tsv -o ring.html
expect 0 '' '' g ring.tsv edges.tsv -o again.html -q --title ring --threads 1
expect 0 '' '' cmp ring.html again.html
expect 0 '1' '' grep -c '"title":"ring","nodes":13,"edges":12,"dim":2,' ring.html
expect 0 '' '' sh -c '"$GEODISK" view ring.tsv edges.tsv -o - -q | cmp - ring.html'
expect 0 '' '*no graph is given: the page has nodes only*' g ring.tsv -o ring.html
expect 0 '1' '' grep -c '"graph":false' ring.html
expect 0 '' '*1 nodes of the graph are not in the model and were left out*' g ring.tsv more.tsv -o ring.html
expect 0 '' '*3 dimensions brought into the plane; distances change by a median of *' g deep.tsv -o deep.html
expect 0 '1' '' grep -c '"vectors":6' deep.html
expect 0 '' '*which lists distances of the picture*' g deep.tsv -o deep.html --no-vectors
expect 0 '1' '' grep -c '"vectors":0' deep.html
expect 0 '{"output": "b.html", "nodes": 3, "edges": 2, "bytes": '"$(g ring.tsv edges.tsv -o b.html -q --below n1 && wc -c <b.html | tr -d ' ')"', "vectors": false, "root": "n1", "distortion_median": null}' '' \
  g ring.tsv edges.tsv -o b.html -q --below n1 --title ring --json
# A network opens around its middle, not at a root; labels and names both go along.
printf 'root\tn1\nn1\tn2\nn2\troot\nn2\tn3\n' >ring-edges.tsv
printf 'n1\tthe first\n' >titles.tsv
expect 0 '' '*the graph is a network, since it has cycles: all edges are drawn, colours are communities*13 nodes, 4 edges*' \
  g ring.tsv ring-edges.tsv -o net.html --label-file titles.tsv
expect 0 '1' '' grep -c '"network":true,"root":-1,' net.html
expect 0 '1' '' grep -c '^\["n1","the first"\],$' net.html
expect 0 '' '*12 edges*' g ring.tsv edges.tsv -o net.html --as network
expect 0 '1' '' grep -c '"network":true,"root":-1,' net.html
expect 0 '' '*5 nodes*' g ring.tsv edges.tsv -o b.html --max-nodes 5
expect 2 '' '*where to? give -o FILE*' g ring.tsv edges.tsv
expect 2 '' '*--json and the page cannot both go to standard output*' g ring.tsv -o - --json
expect 2 '' '*--below needs a GRAPH*' g ring.tsv -o b.html --below n1
expect 2 '' '*cannot both be standard input*' g - - -o b.html
expect 1 '' "*no node 'n99'; did you mean *" g ring.tsv edges.tsv -o b.html --below n99
expect 1 '' '*missing.tsv*' g missing.tsv -o b.html
expect 1 '' '*no/such/folder*' g ring.tsv -o no/such/folder/b.html
expect 1 '' '' test -e no
# Building geodisk needs no Node: the page is in the binary, and it names no place on the net but namespaces.
expect 1 '' '' sh -c 'grep -o -E "[a-z]+://[^\"<> ]*" ring.html | grep -v -F "http://www.w3.org/"'

finish

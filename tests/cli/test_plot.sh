# `geodisk plot`: formats, centres, parts, messages; the same bytes with any number of threads; what is refused.
. "$TESTS_DIR/cli/expect.sh"

g() { "$GEODISK" plot "$@"; }

"$GEODISK" graph generate tree --branching 3 --depth 4 --closed -o tree.tsv --quiet
awk 'BEGIN { print "0\t0\t0\t0"; n = 1; for (l = 1; l <= 4; l++) for (k = 0; k < 3 ^ l; k++) {
  a = (k + 0.5) * 6.283185307179586 / 3 ^ l; r = 1 - 2 / (1 + exp(1.3 * l))
  printf "%d\t%.17g\t%.17g\t%.17g\n", n++, r * cos(a), r * sin(a) * 0.6, r * sin(a) * 0.8 } }' >solid.tsv
cut -f 1-3 solid.tsv | awk -F '\t' '{ print $1 "\t" $2 "\t" $3 / 0.6 }' OFS='\t' >flat.tsv
"$GEODISK" convert solid.tsv -o solid.safetensors --quiet
"$GEODISK" convert flat.tsv -o flat.safetensors --quiet

expect 0 '' '*a.svg: 10[0-9][0-9] x 1000, 121 nodes, 120 edges, [0-9]* labels, distances from the origin x *' g flat.safetensors tree.tsv -o a.svg
expect 0 '' '' g flat.safetensors tree.tsv -o b.svg --quiet --threads 1
expect 0 '' '' cmp a.svg b.svg
expect 0 '120' '' grep -c '<path ' a.svg
expect 0 '' '' g flat.safetensors tree.tsv -o a.svg --all-edges --quiet
expect 0 '426' '' grep -c '<path ' a.svg
expect 0 '' '*no graph is given: the picture has nodes only*' g flat.safetensors -o a.svg
expect 1 '0' '' grep -c '<path ' a.svg
expect 0 '121' '' grep -c '<title>' a.svg
expect 0 '' '*306 edges follow from others, as in a transitive closure, and are left out*' g flat.safetensors tree.tsv -o b.svg
expect 0 '' '*, 40 nodes, 39 edges, *' g flat.safetensors tree.tsv -o a.svg --below 2
expect 0 '' '*, 13 nodes, 12 edges, *' g flat.safetensors tree.tsv -o a.svg --max-nodes 13 --centre barycenter --grid --theme dark
expect 0 '' '*x 400, *distances from the origin x 1' g flat.safetensors tree.tsv -o a.svg --size 400 --scale 1 --highlight 5,7 --no-legend
expect 0 '2' '' grep -c 'font-weight="bold"' a.svg

# A node moved to the centre is there: the disk is the first circle.
centre_of() { sed -n "s/.*<circle cx=\"\([^\"]*\)\" cy=\"\([^\"]*\)\".*$1.*/\1 \2/p" "$2" | head -n 1; }
expect 0 '' '' g flat.safetensors tree.tsv -o a.svg --centre 77 --quiet
expect 0 '500 500' '' centre_of '<title>77<' a.svg
expect 0 '' '' g flat.safetensors tree.tsv -o a.svg --centre root --quiet
expect 0 '500 500' '' centre_of '<title>0<' a.svg

# More dimensions: projected, and the distortion is printed. This tree lies in a plane, so there is none.
expect 0 '' '*projected from 3 dimensions: distortion of distances mean 0.0 %, median 0.0 %, 95 of 100 pairs below 0.0 %*' g solid.safetensors tree.tsv -o a.svg
expect 0 '"width"
"height"
"nodes"
"edges"
"labels"
"scale"
"distortion_mean"
"distortion_median"
"distortion_95"
"edge_distortion_mean"' '' sh -c '"$GEODISK" plot solid.safetensors tree.tsv -o a.svg --json --quiet | tr "," "\n" | sed "s/^[ {]*//; s/:.*//"'
expect 0 '' '' g solid.safetensors tree.tsv -o b.svg --quiet --threads 2
expect 0 '' '' cmp a.svg b.svg

# A network, each edge written once or both ways, has all of them, colours for communities, and no legend.
"$GEODISK" graph generate grid --rows 7 --columns 7 -o grid.tsv --quiet
"$GEODISK" graph undirected grid.tsv -o both.tsv --quiet
awk 'BEGIN { for (i = 0; i < 49; i++) printf "%d\t%.17g\t%.17g\n", i, (i % 7) / 12, int(i / 7) / 12 }' >places.tsv
paths() { sed -n '/id="edges"/,/id="rim"/p' "$1" | grep -c '<path '; }
expect 0 '' '*the graph is a network, since it has many loops and few leaves: all edges are drawn, colours are communities*49 nodes, 84 edges, 49 labels, distances from the middle x *' g places.tsv grid.tsv -o a.svg
expect 0 '84' '' paths a.svg
expect 0 '' '*since every edge is there in both directions*84 edges*' g places.tsv both.tsv -o b.svg
expect 0 '' '' cmp a.svg b.svg
expect 0 '' '' g places.tsv grid.tsv -o b.svg --undirected --quiet --threads 1
expect 0 '' '' cmp a.svg b.svg
expect 1 '' '' sh -c 'sed -n "/id=\"legend\"/,\$p" a.svg | grep circle'
expect 0 '' '*49 nodes, 84 edges, 49 labels, distances from the origin x *' g places.tsv grid.tsv -o b.svg --as hierarchy
expect 0 '' '' sh -c 'sed -n "/id=\"legend\"/,\$p" b.svg | grep -q circle'
expect 0 '' '*, 120 edges, *' g flat.safetensors tree.tsv -o b.svg
expect 0 '' '*121 nodes, 426 edges, 45 labels*' g flat.safetensors tree.tsv -o b.svg --as network
expect 1 '' '*the graph has cycles: it cannot be drawn as a hierarchy*' g places.tsv both.tsv -o x.svg --as hierarchy
expect 1 '' '*the graph is a network, since it has many loops and few leaves: nothing is below *3*' g places.tsv grid.tsv -o x.svg --below 3
expect 0 '' '*10 nodes*' g places.tsv grid.tsv -o b.svg --max-nodes 10

# What nodes are called: by a file of labels, as a table or by blanks; a common beginning is left out.
printf '3,"three, or so"\n4,four\n99,nobody\n' >titles.csv
expect 0 '' '*1 of 3 labels are of nodes that the model does not have, for example *99*' g places.tsv grid.tsv -o a.svg --label-file titles.csv
expect 0 '1' '' grep -c '>three, or so</text>' a.svg
expect 1 '0' '' grep -c '>3</text>' a.svg
expect 1 '' '*no.csv*' g places.tsv grid.tsv -o x.svg --label-file no.csv
# ... or by a column of the table itself, by its name or number, also where the child is not the first one.
printf 'id,name,team,boss\n1,"Ada, countess",red,0\n2,Bo,red,0\n3,Cy,blue,1\n4,Di,blue,1\n5,Ed,blue,2\n' >staff.csv
for how in '--columns id,boss --label-from name' '--columns 1,4 --label-from 2'; do
  expect 0 '' '*5 edges*' g flat.safetensors staff.csv -o a.svg --max-nodes 6 --no-legend $how
  expect 0 '1' '' grep -c '>Ada, countess</text>' a.svg
  expect 0 '1' '' grep -c '>0</text>' a.svg
done
printf '0;1;Ada\n0;2;Bo\n1;3;Cy\n' >reversed.csv
expect 0 '' '' g flat.safetensors reversed.csv -o a.svg --reverse --label-from 3 --max-nodes 4 --quiet
expect 0 '1' '' grep -c '>Cy</text>' a.svg
expect 1 '' '*rank*' g flat.safetensors staff.csv -o x.svg --columns id,boss --label-from rank
expect 2 '' '*--label-file and --label-from exclude each other*' g flat.safetensors staff.csv -o x.svg --label-from 2 --label-file titles.csv
expect 2 '' '*--label-from needs a GRAPH*' g flat.safetensors -o x.svg --label-from 2
expect 1 '' '*cannot be standard input*' sh -c '"$GEODISK" plot flat.safetensors - -o x.svg --label-from 2 <staff.csv'
awk -F '\t' '{ print "/usr/lib/python3/" $1 "\t" $2 "\t" $3 }' places.tsv >long.tsv
expect 0 '' '' g long.tsv -o a.svg --quiet
expect 0 '1' '' grep -c '>…/7</text>' a.svg
expect 0 '1' '' grep -c '… stands for /usr/lib/python3/</text>' a.svg
expect 0 '' '' g long.tsv -o a.svg --quiet --full-names
expect 0 '1' '' grep -c '>/usr/lib/python3/7</text>' a.svg

# To standard output, and by cairo.
expect 0 '<?xml version="1.0" encoding="UTF-8"?>' '' sh -c '"$GEODISK" plot flat.safetensors tree.tsv -o - --format svg --quiet | head -n 1'
if "$GEODISK" --version | grep -q 'without cairo'; then
  expect 1 '' '*PNG needs cairo*' g flat.safetensors tree.tsv -o a.png --quiet
else
  for end in png pdf; do
    expect 0 '' '' g flat.safetensors tree.tsv -o "a.$end" --size 300 --quiet
    expect 0 '' '' g flat.safetensors tree.tsv -o "b.$end" --size 300 --quiet --threads 1
    expect 0 '' '' cmp "a.$end" "b.$end"
  done
  expect 1 '' '' grep -a CreationDate a.pdf
  # A machine without any font.
  mkdir -p no-fonts
  printf '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>%s/no-fonts</dir></fontconfig>' "$PWD" >fonts.conf
  expect 0 '' '*' env FONTCONFIG_FILE="$PWD/fonts.conf" "$GEODISK" plot flat.safetensors tree.tsv -o c.png --size 300 --quiet
  expect 0 '' '' test -s c.png
fi

expect 2 '' '*where to? give -o FILE.png*' g flat.safetensors tree.tsv
expect 2 '' '*--json needs -o FILE*' g flat.safetensors -o - --format svg --json
expect 2 '' '*both be standard input*' g - - -o a.svg
expect 2 '' '*--size*' g flat.safetensors -o a.svg --size 10
expect 1 '' '*x.gif: does not end in .png, .svg or .pdf*' g flat.safetensors -o x.gif --quiet
expect 1 '' "*no node '1200'; did you mean '100' or '120'?*" g flat.safetensors tree.tsv -o x.svg --centre 1200
expect 1 '' "*no node 'z'*" g flat.safetensors tree.tsv -o x.svg --highlight 1,z
expect 1 '' "*no node 'z'*" g flat.safetensors tree.tsv -o x.svg --below z
expect 1 '' "*'1' is not in the picture*" g flat.safetensors tree.tsv -o x.svg --below 2 --centre 1
expect 1 '' '*cannot be known without a graph*' g flat.safetensors -o x.svg --below 2
expect 1 '' '*no node in common*' sh -c 'printf "p\tq\n" | "$GEODISK" plot flat.safetensors - -o x.svg'
expect 0 '' '*2 nodes of the graph are not in the model*' sh -c 'printf "1\t0\np\tq\n" | "$GEODISK" plot flat.safetensors - -o x.svg'
expect 0 '' '*the graph is a network, since it has cycles: all edges are drawn, colours are communities*' sh -c 'printf "1\t0\n0\t2\n2\t1\n" | "$GEODISK" plot flat.safetensors - -o x.svg'
rm -f x.svg
expect 1 '' '*no/x.svg: cannot open for writing*' g flat.safetensors tree.tsv -o no/x.svg --quiet
expect 1 '' '' test -e x.svg

finish

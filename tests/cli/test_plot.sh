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
expect 0 '' '*no graph is given: nodes only*' g flat.safetensors -o a.svg
expect 1 '0' '' grep -c '<path ' a.svg
expect 0 '121' '' grep -c '<title>' a.svg
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
expect 0 '' '*the graph has cycles*' sh -c 'printf "1\t0\n0\t2\n2\t1\n" | "$GEODISK" plot flat.safetensors - -o x.svg'
rm -f x.svg
expect 1 '' '*no/x.svg: cannot open for writing*' g flat.safetensors tree.tsv -o no/x.svg --quiet
expect 1 '' '' test -e x.svg

finish

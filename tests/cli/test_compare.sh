# `geodisk compare`: a model beside itself, moved by an isometry, beside another; what it refuses.
. "$TESTS_DIR/cli/expect.sh"

value() { sed -n "s/^$1	//p" out.txt; }
near() { # near VALUE EXPECTED TOLERANCE
  checks=$((checks + 1))
  awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a - b <= t && b - a <= t) }' || complain "$1, expected $2" "$4"
}
printf 'a\t0\t0\nb\t0.5\t0\nc\t0\t0.5\nd\t-0.3\t0.2\ne\t0.1\t-0.7\nf\t0.6\t0.5\n' >one.tsv
awk -F '\t' '{ printf "%s\t%s\t%s\n", $1, -$3, $2 }' one.tsv >turned.tsv # a quarter turn: the same model
awk -F '\t' '{ printf "%s\t%s\t%s\n", $1, $3 * 0.5, $2 * $2 }' one.tsv >other.tsv

"$GEODISK" compare one.tsv turned.tsv >out.txt || complain 'it failed' compare
expect 0 6 '' value nodes
expect 0 15 '' value pairs
expect 0 1 '' value overlap
near "$(value kendall_tau)" 1 1e-9 kendall_tau
near "$(value moved_worst)" 0 1e-9 moved_worst
"$GEODISK" compare one.tsv other.tsv --neighbours 2 >out.txt || complain 'it failed' compare
expect 0 2 '' value neighbours
checks=$((checks + 1))
awk -v t="$(value kendall_tau)" -v m="$(value moved_mean)" 'BEGIN { exit !(t < 0.999 && m > 0.01) }' || complain 'they look the same' "$(cat out.txt)"

# Nodes that only one of them has; other dimensions.
sed '1d' one.tsv >fewer.tsv
printf 'g\t0.1\t0.1\n' >>fewer.tsv
"$GEODISK" compare one.tsv fewer.tsv >out.txt
expect 0 5 '' value nodes
expect 0 1 '' value only_first
expect 0 1 '' value only_second
awk -F '\t' '{ print $0 "\t0" }' one.tsv >three.tsv
expect 0 '*' '*they are not laid on each other' "$GEODISK" compare one.tsv three.tsv
expect 0 '*' '' "$GEODISK" compare one.tsv turned.tsv --json
checks=$((checks + 1))
"$GEODISK" compare one.tsv turned.tsv --json | grep -q '^{"nodes": 6, "only_first": 0, .*"overlap": 1, .*"worst": "[a-f]"}$' || complain 'JSON' compare
printf 'x\t0\t0\ny\t0.5\t0\nz\t0\t0.5\n' >strangers.tsv
expect 1 '' 'geodisk: error: *' "$GEODISK" compare one.tsv strangers.tsv
expect 2 '' '*cannot both be standard input*' "$GEODISK" compare - -
expect 2 '' '*an argument is missing*' "$GEODISK" compare one.tsv

finish

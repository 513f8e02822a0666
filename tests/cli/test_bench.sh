# `geodisk bench`: the topics that a small case can be made for (bench graph is in test_graph.sh).
. "$TESTS_DIR/cli/expect.sh"

# bench eval, on the mammals alone: it runs, and keeps to its memory (a sanitizer's memory is its own).
if [ -r /usr/share/wordnet/data.noun ]; then
  "$GEODISK" bench eval --root mammal.n.01 --dim 3 --json >bench.json
  expect 0 'yes' '' python3 - "$CFLAGS" <<'END'
import json, sys
bench = json.load(open("bench.json", encoding="utf-8"))
rows = [row for row in bench.values() if isinstance(row, dict) and "peak_bytes" in row]
fits = sys.argv[1] != "" or all(row["peak_bytes"] <= row["peak_bytes_bound"] == 64e6 for row in rows)
float_rank, double_rank = (bench["reconstruction_" + kind]["figure"] for kind in ("float", "double"))
print("yes" if len(rows) == 7 and fits and abs(float_rank / double_rank - 1) < 1e-3 and bench["neighbours"]["search"] else bench)
END

  # bench train, the same: every way trains each edge, keeps to its memory, and there is a ratio for each promise.
  "$GEODISK" bench train --root mammal.n.01 --dim 3 --epochs 1 --repeats 1 --gensim 200 --scale --scale-nodes 500 --threads 2 --json >bench.json
  expect 0 'yes' '' python3 - "$CFLAGS" <<'END'
import json, sys
bench = json.load(open("bench.json", encoding="utf-8"))
rows = {key: row for key, row in bench.items() if isinstance(row, dict) and "peak_bytes" in row}
here = {key: row for key, row in rows.items() if row["edges"] is not None}  # a processor without AVX2 has two rows less
large = {"scale": 1896, "scale_start": 1896, "scale_network": 4900}
edges = all(row["edges"] == large.get(key, 6542) and row["edges_per_second"] > 0 for key, row in here.items())
pairs = all(row["pairs"] >= row["edges"] for row in here.values()) and here["k10"]["pairs"] <= 12 * 6542 < here["edge_double"]["pairs"]
fits = sys.argv[1] != "" or all(0 < row["peak_bytes"] <= row["peak_bytes_bound"] < 129e6 for row in here.values())
ratios = [row for row in bench.values() if isinstance(row, dict) and "ratio" in row]
print("yes" if len(rows) == 20 and len(here) >= 16 and edges and pairs and fits and len(ratios) == 16 else bench)
END

  # bench quality, on the mammals: they are as good as they must be, on every machine. With sanitizers only that it runs. Edges that
  # were held out are ranked among others than those that were trained.
  "$GEODISK" bench quality mammals-2 held-out-mammals-5 --seeds 2 ${CFLAGS:+--epochs 3} --quiet --json >bench.json
  expect 0 'yes' '' python3 - "$CFLAGS" <<'END'
import json, sys
bench = json.load(open("bench.json", encoding="utf-8"))
row, held = bench["mammals-2"], bench["held-out-mammals-5"]
kept = 1 <= row["mean_rank"] <= row["must"]["mean_rank"] == 1.037 and 1 >= row["map"] >= row["must"]["map"] == 0.988
kept = kept or sys.argv[1] != ""
split = row["edges"] == 6542 > held["edges"] > 6200 and row["nodes"] == held["nodes"] == 1182
print("yes" if kept and split and row["map_spread"] > 0 and row["cpu_seconds"] > 0 and bench["seeds"] == 2 else bench)
END
fi
expect 1 '' '*nowhere/index.noun: cannot open*' "$GEODISK" bench eval --dict nowhere
expect 1 '' '*nowhere/index.noun: cannot open*' "$GEODISK" bench train --dict nowhere
expect 1 '' '*nowhere/index.noun: cannot open*' "$GEODISK" bench quality mammals-2 --dict nowhere

# --markdown: the line above the table, then the columns that tools/measure-docs expects in the documents.
table() { # table NAME ARGUMENT...: the command of the documents' table NAME, made small
  name=$1
  shift
  expect 0 "$(/usr/bin/python3 "$TESTS_DIR/../tools/measure-docs" --columns "$name")" '' sh -c '"$GEODISK" bench "$@" --markdown --quiet >table.md &&
    head -n 1 table.md | grep -q "^Measured 20.*, commit .*, by .geodisk bench $*.:$" && sed -n 3p table.md' sh "$@"
}
table graph graph --edges 1000 --nodes 100
table quality quality grid-2 --epochs 1 --seeds 1
if [ -r /usr/share/wordnet/data.noun ]; then
  table eval eval --root feline.n.01 --dim 2
  table train train --root feline.n.01 --dim 3 --epochs 1 --repeats 1
fi

# A name stands for all rows that begin with it, up to a hyphen.
expect 0 'grid-2 grid-5 grid-10 grid-flat-2 grid-flat-5 grid-flat-10 ' '' sh -c '"$0" bench quality grid --epochs 1 --seeds 1 -q | sed -n "s/^\(grid[^ ]*\).*/\1/p" | tr "\n" " "' "$GEODISK"
expect 2 '' '*there is no row "soup"*' "$GEODISK" bench quality soup
expect 2 '' '*there is no row "gri"*' "$GEODISK" bench quality gri
expect 2 '' '*--async-compare is gone: *' "$GEODISK" bench quality --async-compare

# knowledge: what is missing is said at once; a small part of WordNet goes through, where it is installed.
expect 1 '' '*nowhere*' "$GEODISK" bench knowledge --dict nowhere
expect 2 '' '*--dim*' "$GEODISK" bench knowledge --dim 5,0
expect 2 '' '*links, parents, nodes*' "$GEODISK" bench knowledge link
expect 2 '' '*name the PART*' "$GEODISK" bench knowledge --markdown
if [ -r /usr/share/wordnet/data.noun ]; then
  expect 0 '4 1 7' '' sh -c '"$0" bench knowledge entailment links nodes --root feline.n.01 --dim 2 --seeds 1 --leaves 5 --inner 2 --quiet >knowledge.txt &&
    echo "$(grep -c "^| [0-9]* % | [01]\.[0-9]* |" knowledge.txt) $(grep -c "^| 2 | [0-9.]* | [01]\.[0-9]* |  |" knowledge.txt)" \
      "$(grep -c "^| [25] [a-z ]*, by .* | [01].[0-9]* |" knowledge.txt)"' "$GEODISK"
  expect 0 '3' '' sh -c '"$0" bench knowledge both --root feline.n.01 --dim 4 --seeds 1 --quiet | grep -c "^| [125][05]* % | 4 | [01]\.[0-9]* | [01]\.[0-9]* | [0-9.]* | [01]\.[0-9]* |$"' "$GEODISK"
  expect 0 '2' '' sh -c '"$0" bench knowledge answers --root feline.n.01 --dim 10 --seeds 1 --quiet | grep -c "^| .*, [0-9]* nodes | 10 | 1.0000 | 1.0000 |$"' "$GEODISK"
  expect 0 '1' '' sh -c '"$0" bench knowledge parents --root disease.n.01 --dim 2 --seeds 1 --recipe entailment --quiet | grep -c "^| 2 | [01]\.[0-9]* | [01]\.[0-9]* | [01]\.[0-9]* | 0 |$"' "$GEODISK"
fi

# bench graphs: a graph of another program, kept; the table between the marks of a file, whose rest stays.
printf 'before\n<!-- bench graphs: begin -->\nold\n<!-- bench graphs: end -->\nafter\n' >table.md
mkdir -p kept shown
printf 'a\tb\nb\tc\nc\td\nd\ta\na\tc\nd\te\n' >kept/florentine.tsv
expect 0 '' '' "$GEODISK" bench graphs florentine --dims 2 --keep kept --write table.md
expect 0 'before
after' '' sed -n '1p;$p' table.md
expect 0 '1' '' grep -c '^| Florentine families | 5, 6 | 2 | 1.000 / ' table.md
expect 1 '' '' grep -q old table.md
# What was measured before stays; by the same words it is one table, else one more; the same graph in the same dimension is replaced.
printf 'a\tb\nb\tc\n' >kept/davis.tsv
expect 0 '' '' "$GEODISK" bench graphs davis --dims 2 --keep kept --write table.md
expect 0 '1' '' grep -c '^Measured .* by `geodisk bench graphs florentine davis --dims 2 --keep kept --write table.md`:$' table.md
expect 0 '' '' "$GEODISK" bench graphs davis --dims 3 --keep kept --write table.md
expect 0 '2' '' grep -c '^Measured ' table.md
expect 0 '3' '' grep -c '^| [FS].* | [23] | 1.000 / ' table.md
expect 0 '' '' "$GEODISK" bench graphs davis --dims 3 --keep kept --write table.md
expect 0 '2' '' grep -c '^Measured ' table.md
expect 0 '3' '' grep -c '^| [FS].* | [23] | 1.000 / ' table.md
expect 1 '' '*the marks*are missing*' "$GEODISK" bench graphs florentine --dims 2 --keep kept --write kept/florentine.tsv
# Edges held out: two nodes of a ring of cliques share neighbours where they miss an edge, which all ways of training find too.
sh -c 'for a in 0 4 8 12; do for i in 0 1 2 3; do for k in 0 1 2 3; do [ $i -ge $k ] || printf "%s\t%s\n" $((a + i)) $((a + k)); done; done
  printf "%s\t%s\n" $a $(((a + 7) % 16)); done' >kept/lesmis.tsv
expect 0 '1' '' sh -c '"$0" bench graphs lesmis --held-out --dims 3 --keep kept --quiet | grep -c "^| Les Mis.* | 16, 28 | 3 | [01]\.[0-9]* (.*) | [01]\.[0-9]* (.*) | [01]\.[0-9]* (.*) | [01]\.[0-9]* (.*) |$"' "$GEODISK"
expect 2 '' '*there is no graph "kite"*' "$GEODISK" bench graphs kite
expect 2 '' '*--dims takes up to 8 numbers*' "$GEODISK" bench graphs grid --dims 2,x

finish

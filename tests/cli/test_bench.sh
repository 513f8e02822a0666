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
edges = all(row["edges"] == (4900 if key == "scale" else 6542) and row["edges_per_second"] > 0 for key, row in here.items())
fits = sys.argv[1] != "" or all(0 < row["peak_bytes"] <= row["peak_bytes_bound"] < 65e6 for row in here.values())
ratios = [row for row in bench.values() if isinstance(row, dict) and "ratio" in row]
print("yes" if len(rows) == 16 and len(here) >= 14 and edges and fits and len(ratios) == 11 else bench)
END

  # bench quality, on the mammals: what is promised of them is so (it is the same on every machine but for rounding). With
  # sanitizers only that it runs.
  "$GEODISK" bench quality mammals-2 mammals-default-2 --seeds 2 ${CFLAGS:+--epochs 3} --quiet --json >bench.json
  expect 0 'yes' '' python3 - "$CFLAGS" <<'END'
import json, sys
bench = json.load(open("bench.json", encoding="utf-8"))
row, pair = bench["mammals-2"], bench["mammals-default-2_less_mammals-2"]
kept = 1 <= row["mean_rank"] <= row["mean_rank_promised"] == 1.35 and 1 >= row["map"] >= row["map_promised"] == 0.945
kept = kept or sys.argv[1] != ""
differ = abs(bench["mammals-default-2"]["map"] - row["map"] - pair["map"]) < 1e-12
print("yes" if kept and differ and row["map_spread"] > 0 and row["cpu_seconds"] > 0 and bench["seeds"] == 2 else bench)
END
fi
expect 1 '' '*nowhere/index.noun: cannot open*' "$GEODISK" bench eval --dict nowhere
expect 1 '' '*nowhere/index.noun: cannot open*' "$GEODISK" bench train --dict nowhere
expect 1 '' '*nowhere/index.noun: cannot open*' "$GEODISK" bench quality mammals-2 --dict nowhere
expect 2 '' '*there is no row "soup"*' "$GEODISK" bench quality soup

finish

# geodisk bench mpi on small graphs: the same bytes, messages as the formula counts them, bytes near it (rows and edges that change
# ranks are as many as chance has it), memory within its bound. Speed is for a quiet machine.
. "$TESTS_DIR/mpi/ranks.sh"
[ -z "$CFLAGS" ] || skip 'sanitizers learn nothing from it that the other tests do not show'
PATH=$(dirname "$MPIRUN"):$PATH "$GEODISK" bench mpi --nodes 5000 --large-edges 20000 --repeats 1 --quiet --json >bench.json
python3 - <<'END'
import json
bench = json.load(open("bench.json", encoding="utf-8"))
assert bench["same_bytes"] and bench["efficiency"] > 0, bench
assert bench["peak_bytes"] <= bench["peak_bytes_bound"], bench
assert [row["ranks"] for row in bench["sent"]] == [2, 3, 4]
for row in bench["sent"]:
    assert row["messages"] == row["messages_formula"], row
    for key, tolerance in (("rows", 0.05), ("edges", 0.05), ("parts", 0.01)):
        assert abs(row[key] / row[key + "_formula"] - 1) < tolerance, (key, row)
END

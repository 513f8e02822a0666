# geodisk bench mpi on small graphs: the same bytes, no more sent than the formulas allow, memory within its bound. Speed is for a quiet machine.
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
    assert row["messages"] > 0 and row["rounds"] > 0, row
    assert 0 < row["units"] <= row["units_most"], row
    assert 0 < row["rows"] <= row["rows_most"] and 0 < row["sums"] <= row["sums_most"], row
END

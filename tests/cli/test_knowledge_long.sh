# What models trained as by default answer about the hierarchy they were shown: docs/knowledge.md has the figures, with a margin here.
. "$TESTS_DIR/cli/expect.sh"

mammals="$TESTS_DIR/../data/mammals.tsv"
"$GEODISK" graph generate recursive --nodes 300 --seed 7 -o chart.tsv --quiet
for dim in 2 10; do
  "$GEODISK" train "$mammals" -o "mammals.$dim.safetensors" --dim "$dim" --quiet
done
"$GEODISK" train chart.tsv --closure -o chart.10.safetensors --dim 10 --quiet

# judge MODEL GRAPH PARENT CHAIN: at least these shares of the nodes have a direct parent first, and all their ancestors right.
judge() {
  /usr/bin/python3 - "$GEODISK" "$@" <<'END'
import json, subprocess, sys
command, model, graph, parent, chain = sys.argv[1:]
above = {}
for line in open(graph):
    child, one = line.rstrip("\n").split("\t")[:2]
    above.setdefault(child, set()).add(one)
def ancestors(node, found):
    for p in above.get(node, ()):
        if p not in found:
            found.add(p)
            ancestors(p, found)
    return found
closed = {node: ancestors(node, set()) for node in above}
direct = {node: {p for p in all_ if not any(p in closed.get(q, ()) for q in all_)} for node, all_ in closed.items()}
asked = "\n".join(closed) + "\n"
answers = subprocess.run([command, "query", model, "--parents", "--ancestors"], input=asked, capture_output=True, text=True, check=True)
right = whole = 0
for line in answers.stdout.splitlines():
    a = json.loads(line)
    assert a["by"] == "half-space"
    right += bool(a["parents"]) and a["parents"][0]["node"] in direct[a["node"]]
    whole += {p["node"] for p in a["ancestors"]} == closed[a["node"]]
n = len(closed)
print("good" if right >= float(parent) * n and whole >= float(chain) * n else (right / n, whole / n))
END
}
expect 0 'good' '' judge mammals.2.safetensors "$mammals" 0.95 0.94
expect 0 'good' '' judge mammals.10.safetensors "$mammals" 0.99 0.98
expect 0 'good' '' judge chart.10.safetensors chart.tsv 0.99 0.98

# A new kind of dog: its likely parents begin with what is deepest above it.
printf 'labradoodle\tdog.n.01\nlabradoodle\tpoodle.n.01\n' >new.tsv
expect 0 'yes' '' sh -c '
  "$0" place mammals.10.safetensors new.tsv -o more.safetensors --parents 2 --quiet | cut -f 2 | grep -qx dog.n.01 && echo yes' "$GEODISK"

finish

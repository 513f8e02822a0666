# `geodisk query`: answers, their forms, names that are none; and gensim, where it is installed, gives the same answers.
. "$TESTS_DIR/cli/expect.sh"

g() { "$GEODISK" query --full --quiet "$@"; }
ask() { # ask NAMES arguments...: NAMES is standard input
  text=$1
  shift
  printf "$text" | "$GEODISK" query "$@"
}

# On a line: distances are differences of 2 artanh.
printf 'root\t0\nmid\t0.5\nleaf\t0.8\nother\t-0.5\nfar\t-0.9\n' >line.tsv
"$GEODISK" convert line.tsv -o line.safetensors

# Six digits are enough to read; --full has all of them, and so has JSON.
expect 0 'mid	1.09861
other	1.09861' '' "$GEODISK" query line.safetensors root -k 2
expect 0 '2.19722' '' "$GEODISK" query line.safetensors root --distance leaf
expect 0 '0' '' "$GEODISK" query line.safetensors root --vector
expect 0 '{"node": "root", "distance": 2.1972245773362196}' '' "$GEODISK" query line.safetensors root --distance leaf --json

expect 0 'mid	1.0986122886681098
other	1.0986122886681098' '' g line.safetensors root -k 2
expect 0 'mid	1.0986122886681098
other	1.0986122886681098
leaf	2.1972245773362196
far	2.9444389791664407' '' g line.safetensors root
expect 0 'mid	1.09861228866811' '' g line.safetensors leaf --parents
expect 0 'far	1.8458266904983311' '' g line.safetensors other --children
expect 0 'mid	1.09861228866811
root	2.1972245773362196
other	3.295836866004329' '' g line.safetensors leaf --parents --count 9
expect 0 '' '' g line.safetensors root --parents
expect 0 'mid	1.09861228866811
root	1.0986122886681098' '' g line.safetensors leaf --ancestors
expect 0 'mid	1.0986122886681098
leaf	1.09861228866811
far	5.14166355650266' '' g line.safetensors root --descendants
expect 0 'mid	1.0986122886681098' '' g line.safetensors root --descendants --depth 1
expect 0 '2.1972245773362196' '' g line.safetensors root --distance leaf
expect 0 '3' '' g line.safetensors root --rank leaf
expect 0 '1' '' g line.safetensors root --rank other
expect 0 '0.5' '' g line.safetensors root --difference mid
expect 0 '-0.5' '' g line.safetensors mid --difference root
expect 0 'norm	0.5
radius	1.0986122886681098' '' g line.safetensors mid --norm
expect 0 '0.5' '' g line.safetensors mid --vector
expect 0 '0	other	0
0.5	root	0
1	mid	0' '' g line.safetensors other --geodesic mid --steps 2
first_column() { "$GEODISK" query "$@" | cut -f 1; }
expect 0 'leaf' '' first_column line.safetensors root mid mid --analogy -k 1 # root is to mid as mid is to leaf: 0.5 (+) 0.5 = 0.8
expect 0 'root	0' '' g line.safetensors mid other --barycenter -k 1
expect 0 '{"point": [0], "gap": 1, "neighbours": [{"node": "root", "distance": 0}]}' '' \
  g line.safetensors mid other --barycenter -k 1 --json

# Several nodes, several questions.
expect 0 'mid	root	1.0986122886681098
leaf	mid	1.09861228866811' '' g line.safetensors mid leaf -k 1
expect 0 'mid	neighbours	root	1.0986122886681098
mid	distance	0
leaf	neighbours	mid	1.09861228866811
leaf	distance	1.09861228866811' '' g line.safetensors mid leaf -k 1 --distance mid
expect 0 '{"node": "mid", "neighbours": [{"node": "root", "distance": 1.0986122886681098}], "vector": [0.5], "gap": 0.75}
{"node": "leaf", "neighbours": [{"node": "mid", "distance": 1.09861228866811}], "vector": [0.8], "gap": 0.35999999999999993}' '' \
  g line.safetensors mid leaf -k 1 --vector --json

# Names from standard input.
expect 0 '{"node": "mid", "parents": [{"node": "root", "distance": 1.0986122886681098}], "by": "distance"}
{"node": "root", "parents": [], "by": "distance"}' '' ask 'mid\r\n\nroot' line.safetensors --parents
expect 1 '{"node": "med", "error": "no such node", "suggestions": ["mid"]}
{"node": "mid", "norm": 0.5, "radius": 1.0986122886681098}' '*1 names are not in line.safetensors' \
  ask 'med\nmid\n' line.safetensors --norm
expect 0 '' '' ask '' line.safetensors
# Long lines, many lines, the last without an end; answers come in the order of the names.
awk 'BEGIN { for (i = 0; i < 9000; i++) print "mid\nroot"; for (i = 0; i < 70000; i++) printf "x"; printf "\nleaf" }' >many.txt
answered() { "$GEODISK" query line.safetensors --norm <many.txt | cut -c 11-14 | awk '$0 != last { n++ } { last = $0 } END { print NR, n, last }'; }
expect 0 '18002 18002 leaf' '*1 names are not in*' answered
# A program that asks one name at a time gets its answer before it asks the next.
expect 0 'answered' '' python3 - "$GEODISK" <<'END'
import json, select, subprocess, sys
with subprocess.Popen([sys.argv[1], "query", "line.safetensors", "--norm"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as asked:
    for name in ("mid", "root", "mid"):
        asked.stdin.write(name.encode() + b"\n")
        asked.stdin.flush()
        if not select.select([asked.stdout], [], [], 30)[0] or json.loads(asked.stdout.readline())["node"] != name:
            asked.kill()
            sys.exit("no answer")
    asked.stdin.close()
print("answered" if asked.returncode == 0 else asked.returncode)
END

# Other formats, and a Euclidean model.
expect 0 'mid	1.0986122886681098' '' g line.tsv root -k 1
"$GEODISK" convert line.tsv --space euclidean -o flat.safetensors
expect 0 'mid	0.5' '' g flat.safetensors root -k 1
expect 0 'mid	0.5' '' g line.tsv root -k 1 --space euclidean
expect 0 'mid	0.5108256237659907' '' g line.tsv root -k 1 --radius 2 # log((2 + 0.5) / (2 - 0.5))
expect 0 'norm	0.5
radius	0.5' '' g flat.safetensors mid --norm
expect 0 '{"point": [1], "neighbours": [{"node": "leaf", "distance": 0.19999999999999996}]}' '' \
  g flat.safetensors root mid mid --analogy -k 1 --json

# Refusals.
expect 1 '' "*line.safetensors: no node 'rot'; did you mean 'root'?" g line.safetensors rot
expect 1 '' "*no node 'zzzzzz'" g line.safetensors zzzzzz
expect 1 '' "*no node 'lef'; did you mean 'leaf'?*" g line.safetensors root --distance lef
expect 1 '' '*missing: cannot open: No such file*' g missing root
expect 2 '' '*--analogy needs three nodes*' g line.safetensors root mid --analogy
expect 2 '' '*--barycenter goes with --neighbours only*' g line.safetensors root mid --barycenter --norm
expect 2 '' '*--neighbours: 0 is out of range*' g line.safetensors root -k 0
expect 2 '' '*MODEL*' g
expect 2 '' '*both be standard input*' g -
expect 1 '' '*two different nodes*' g line.safetensors root --rank root

# gensim.
if /usr/bin/python3 -c 'import gensim' 2>/dev/null; then
  cat >gensim_test.py <<'PYTHON'
import json, subprocess, sys
from gensim.models.poincare import PoincareModel

geodisk = sys.argv[1]
relations = [(f"n{i}", f"n{(i - 1) // 3}") for i in range(1, 120)]
model = PoincareModel(relations, size=4, negative=5, seed=1)
model.train(epochs=30)
kv = model.kv
kv.save_word2vec_format("gensim.txt", binary=False)

def query(*arguments):
    names = "\n".join(kv.index_to_key)
    out = subprocess.run([geodisk, "query", "gensim.txt", *arguments], input=names, text=True, check=True, capture_output=True).stdout
    return {answer["node"]: answer for answer in map(json.loads, out.splitlines())}

def close(a, b):
    return abs(a - b) <= 1e-6 * (1 + abs(b))

answers = query("--neighbours", "7", "--parents", "--children", "--ancestors", "--descendants", "--depth", "3", "--norm",
                "--distance", "n7", "--difference", "n7")
for key in kv.index_to_key:
    a = answers[key]
    theirs = [pair for pair in kv.most_similar(key, topn=8) if pair[0] != key][:7]  # gensim lists its first node as its own neighbour
    assert [n["node"] for n in a["neighbours"]] == [name for name, _ in theirs], (key, a, theirs)
    assert all(close(n["distance"], d) for n, (_, d) in zip(a["neighbours"], theirs))
    parent, child = kv.closest_parent(key), kv.closest_child(key)
    assert [n["node"] for n in a["parents"]] == ([] if parent is None else [parent])
    assert [n["node"] for n in a["children"]] == ([] if child is None else [child])
    assert [n["node"] for n in a["ancestors"]] == kv.ancestors(key)
    chain, at = [], key
    while len(chain) < 3 and kv.closest_child(at) is not None:
        at = kv.closest_child(at)
        chain.append(at)
    assert [n["node"] for n in a["descendants"]] == chain
    assert close(a["norm"], kv.norm(key)) and close(a["distance"], kv.distance(key, "n7"))
    assert close(a["difference"], kv.difference_in_hierarchy(key, "n7"))
for key in ("n0", "n50"):
    rank = subprocess.run([geodisk, "query", "gensim.txt", key, "--rank", "n7"], text=True, check=True, capture_output=True).stdout
    nearer = sum(kv.distance(key, other) < kv.distance(key, "n7") for other in kv.index_to_key if other != key)
    assert int(rank) == nearer + 1, (rank, nearer)
print("gensim agrees")
PYTHON
  expect 0 'gensim agrees' '*' /usr/bin/python3 gensim_test.py "$GEODISK"
fi

# What a model knows of its hierarchy: trained on a closure it has a threshold, on direct links an order beside the vectors; those of
# networks are asked by distance, and say so.
printf 'b\ta\nc\ta\nd\tb\ne\tb\nf\tc\ng\td\nh\td\ni\tf\n' >tree.tsv
"$GEODISK" train tree.tsv --closure -o tree.safetensors --dim 5 --seed 3 --quiet
"$GEODISK" train tree.tsv -o direct.safetensors --dim 5 --seed 3 --quiet
"$GEODISK" train tree.tsv -o network.safetensors --undirected --dim 5 --seed 3 --quiet
names() { "$GEODISK" query "$@" | cut -f 1 | tr '\n' ' '; }
expect 0 'd ' '' names tree.safetensors g --parents
expect 0 'a b d ' '' names tree.safetensors g --ancestors
expect 0 'h ' '' names tree.safetensors g --siblings
expect 0 'yes' '' sh -c '"$0" query tree.safetensors a --children | cut -f 1 | sort | tr -d "\n" | sed "s/^bc$/yes/"' "$GEODISK"
expect 0 'yes' '' sh -c '"$0" query tree.safetensors b --descendants | cut -f 1 | sort | tr -d "\n" | sed "s/^degh$/yes/"' "$GEODISK"
expect 0 '' '' names tree.safetensors a --parents
expect 0 'b' '' "$GEODISK" query tree.safetensors g e --lowest-common-ancestor
expect 0 'd' '' "$GEODISK" query tree.safetensors g d --lowest-common-ancestor
expect 0 'f ' '' names tree.safetensors g d i --analogy
expect 0 'i ' '' names tree.safetensors b d f --analogy
expect 0 'yes' '' sh -c '"$0" query tree.safetensors --is-a g b | cut -f 1' "$GEODISK"
expect 0 'no' '' sh -c '"$0" query tree.safetensors --is-a b g | cut -f 1' "$GEODISK"
expect 0 'yes' '' sh -c '"$0" query tree.safetensors --is-a b g --threshold 1000 | cut -f 1' "$GEODISK"
expect 0 'right' '' /usr/bin/python3 - "$GEODISK" <<'END'
import json, subprocess, sys
ask = lambda *more: json.loads(subprocess.run([sys.argv[1], "query", *more, "--json"], capture_output=True, check=True).stdout)
yes, no = (ask("tree.safetensors", "--is-a", *pair) for pair in (("g", "a"), ("e", "c")))
by = [ask(name + ".safetensors", "g", "--parents") for name in ("tree", "direct", "network")]
right = (yes["is_a"] is True and no["is_a"] is False and yes["probability"] > 0.5 > no["probability"] and yes["score"] < yes["threshold"]
         and no["score"] > no["threshold"] and [b["by"] for b in by] == ["half-space", "order", "distance"])
print("right" if right else (yes, no, by))
END
expect 0 '*' '*answers are by distance: network.safetensors was not trained on a hierarchy*' "$GEODISK" query network.safetensors g --parents
expect 1 '' '*network.safetensors: the model has no threshold*--threshold*' "$GEODISK" query network.safetensors --is-a g a
expect 0 'yes' '*by the order beside the vectors*, which over the closure of what direct.safetensors was trained on has an F1 of 1.000' \
  sh -c '"$0" query direct.safetensors --is-a g a | cut -f 1' "$GEODISK"
expect 0 'a b d ' '' names direct.safetensors g --ancestors --quiet
expect 0 'g h ' '' names direct.safetensors d --children --quiet
expect 0 'f ' '' names direct.safetensors g d i --analogy --quiet
# It is the last of what `eval` compares, and there for no other model.
"$GEODISK" graph closure tree.tsv -o closure.tsv --quiet
expect 0 'order_f1	1' '*' sh -c '"$0" eval direct.safetensors closure.tsv --tasks entailment --seed 1 | cut -f 1,2 | grep "^order_f1"' "$GEODISK"
expect 0 '0' '*' sh -c '"$0" eval tree.safetensors closure.tsv --tasks entailment --seed 1 | grep -c "^order" || true' "$GEODISK"
# Resumed at its end, and copied, a model keeps it; another format has vectors alone.
cp direct.safetensors resumed.safetensors
"$GEODISK" train tree.tsv -o resumed.safetensors --resume resumed.safetensors --quiet
expect 0 '' '' cmp direct.safetensors resumed.safetensors
"$GEODISK" convert direct.safetensors -o direct.tsv --quiet
expect 1 '' '*no threshold*' "$GEODISK" query direct.tsv --is-a g a
# Trained for it on direct links: one threshold for all, and the answer says so.
"$GEODISK" train tree.tsv -o arcs.safetensors --dim 5 --seed 3 --recipe entailment --quiet
expect 0 'yes' '*by the half-space score with one threshold for all, which over the closure of what arcs.safetensors was trained on*F1 of *' \
  sh -c '"$0" query arcs.safetensors --is-a g a | cut -f 1' "$GEODISK"
expect 0 'no half-space' '' sh -c '"$0" query arcs.safetensors --is-a e c --json | sed "s/.*\"is_a\": false.*\"by\": \"\(.*\)\"}/no \1/"' "$GEODISK"
expect 0 'a b d ' '' names arcs.safetensors g --ancestors --quiet
expect 1 '' "*no node 'zebra'*" "$GEODISK" query tree.safetensors --is-a zebra a
expect 2 '' '*--is-a needs two nodes*' "$GEODISK" query tree.safetensors --is-a g
expect 2 '' '*goes with no other question*' "$GEODISK" query tree.safetensors --is-a g a --parents
expect 2 '' '*--threshold goes with*' "$GEODISK" query tree.safetensors g --threshold 1
# Placing keeps what is known; a new node's likely parents are the deepest nodes above it.
printf 'new\td\nnew\tb\n' >new.tsv
expect 0 'yes' '' sh -c '"$0" place tree.safetensors new.tsv -o more.safetensors --parents 2 -q | cut -f 2 | tr "\n" " " | grep -q "d " && echo yes' "$GEODISK"
expect 0 'a b d ' '' names more.safetensors g --ancestors
"$GEODISK" place direct.safetensors new.tsv -o more.safetensors --quiet --parents 0
expect 0 'a b d ' '' names more.safetensors g --ancestors --quiet
expect 0 'a b d ' '' names more.safetensors new --ancestors --quiet

finish

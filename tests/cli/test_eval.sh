# `geodisk eval`: figures that can be worked out by hand, their forms, what goes with what, nodes that are missing; any number of
# threads gives the same bytes; embeddings of other programs; and gensim, where it is installed, finds the same.
. "$TESTS_DIR/cli/expect.sh"

g() { "$GEODISK" eval "$@"; }
last() { # last N arguments...: the last N lines
  lines=$1
  shift
  "$GEODISK" eval "$@" | tail -n "$lines"
}
untimed() { "$GEODISK" eval "$@" --json | sed 's/, "[a-z]*_seconds": [-0-9.e]*//g'; }

# On a line, in flat space: e - d - c - b - a at 0, 1, 2, 4, 7, and x at 3.9. Ranks: b from a 1; c from b 2, behind x; d from c 1; e
# from d 1.5, as c is just as near.
printf 'a\t7\nb\t4\nc\t2\nd\t1\ne\t0\nx\t3.9\n' >flat.tsv
printf 'a\tb\nb\tc\nc\td\nd\te\n' >chain.tsv
expect 0 'nodes	6
nodes_judged	4
pairs	4
mean_rank	1.375
map	0.791667
hits_at_1	0.5
hits_at_3	1
hits_at_10	1
auc	0.90625' '' g flat.tsv chain.tsv --space euclidean --tasks reconstruction
expect 0 '{"nodes": 6, "nodes_judged": 4, "pairs": 4, "mean_rank": 2.25, "map": 0.4583333333333333, "hits_at_1": 0, "hits_at_3": 1, "hits_at_10": 1, "auc": 0.75}' \
  '' untimed flat.tsv chain.tsv --space euclidean --tasks reconstruction --definition gensim

# Graph distances 1 2 3 4 1 2 3 1 2 1 against 3 5 6 7 2 3 4 1 2 1.
expect 0 'nodes	6
distance_pairs	10
unreachable_pairs	0
kendall_tau	0.756379
spearman	0.840365
depth_radius	1
distortion_mean	0.708333
distortion_scaled	0.295833
distortion_scale	0.5
distortion_worst	3
distortion_squared	2.33403
distortion_squared_scaled	0.528993' '' g flat.tsv chain.tsv --space euclidean --tasks kendall,distortion
expect 0 'unreachable_pairs	10
kendall_tau	0.756379
spearman	0.840365
depth_radius	1' '' last 4 flat.tsv chain.tsv --space euclidean --tasks kendall --directed
# The closure has the same reduction; as it is, all distances are 1.
expect 0 'kendall_tau	0.756379
spearman	0.840365
depth_radius	1' '' last 3 flat.tsv chain.tsv --space euclidean --tasks kendall --closure
expect 0 'kendall_tau	nan
spearman	nan
depth_radius	0.707107' '' last 3 flat.tsv chain.tsv --space euclidean --tasks kendall --closure --no-reduce
printf 'a\tb\t3\nb\tc\t2\nc\td\t1\nd\te\t1\n' >lengths.tsv
expect 0 'distortion_mean	0
distortion_scaled	0
distortion_scale	1
distortion_worst	1
distortion_squared	0
distortion_squared_scaled	0' '' last 6 flat.tsv lengths.tsv --space euclidean --tasks distortion --lengths

# The nearest 3 nodes hold the one target of each of a, b, c, d; every parcel arrives, as the chain lies on a line.
expect 0 'nodes	6
nodes_judged	4
pairs	4
precision_at_1	0.5
precision_at_3	0.333333
precision_at_10	0.1
precision_at_degree	0.5
routing_pairs	20
routing_success	1
routing_stretch	1' '' g flat.tsv chain.tsv --space euclidean --tasks precision,routing
# From a the way to c and d leads over b, which is farther than a, and so it does back.
printf 'a\t0\nb\t-5\nc\t3\nd\t4\n' >bent.tsv
printf 'a\tb\nb\tc\nc\td\n' >bend.tsv
expect 0 'routing_pairs	12
routing_success	0.666667
routing_stretch	1' '' last 3 bent.tsv bend.tsv --space euclidean --tasks routing

# The loss of one edge: d(a,b) = log 3 and d(a,c) = log 5, so log 3 + log(1/5 + 1/3) and log 3 + log(1/5 + 1).
printf 'a\t0.5\nb\t0\nc\t-0.25\n' >ball.tsv
printf 'a\tb\n' >edge.tsv
expect 0 'loss	0.470004
loss_complement	1.28093' '' last 2 ball.tsv edge.tsv --tasks loss
# In flat space: 0.5 + log(e^-0.75 + e^-0.5), 0.5 + log(e^-0.75 + 1).
expect 0 'loss	0.575939
loss_complement	0.886871' '' last 2 ball.tsv edge.tsv --tasks loss --space euclidean
g ball.tsv edge.tsv --tasks reconstruction,loss --per-node nodes.tsv >table.txt
expect 0 'node	positives	mean_rank	average_precision	loss	loss_complement
a	1	1	1	0.4700036292457356	1.2809338454620642' '' cat nodes.tsv
# In a ball of radius 2 the points a, b, c lie half as deep: d(a,b) = log(5/3), d(a,c) = log(15/7).
expect 0 'loss	0.575364
loss_complement	0.893818' '' last 2 ball.tsv edge.tsv --tasks loss --radius 2
# Too few pairs: all tasks but one, unless that was asked for.
expect 0 '*' '*distances are not compared: only one pair*' g ball.tsv edge.tsv
expect 1 'nodes	3' '*only one pair of the graph*' g ball.tsv edge.tsv --tasks kendall

# Link prediction: a - c is known, so b is first.
printf 'a\t0\nb\t0.5\nc\t0.3\nd\t-0.6\n' >link.tsv
printf 'a\tb\n' >test.tsv
printf 'a\tc\nb\tc\n' >train.tsv
expect 0 'mean_rank	2
map	0.5' '' sh -c '"$0" eval link.tsv test.tsv --tasks reconstruction | sed -n 4,5p' "$GEODISK"
expect 0 'nodes	4
nodes_judged	1
pairs	1
mean_rank	1
map	1
hits_at_1	1
hits_at_3	1
hits_at_10	1
auc	1' '' g link.tsv test.tsv --train train.tsv

# Words.
printf 'dog.n.01\t0.6\ndog.n.02\t-0.5\nanimal.n.01\t0.3\nentity\t0.05\n' >words.tsv
printf 'WORD1 WORD2 POS TYPE AVG_SCORE\ndog animal N hyp-1 6\nanimal entity N hyp-1 5.5\nentity animal N r-hyp 1\nanimal dog N r-hyp 0.5\nrun move V hyp-1 5\n' >lex.txt
expect 0 'nodes	4
lexical_pairs	4
lexical_unknown	1
lexical_spearman	1
lexical_kendall_tau	1
lexical_half_space_spearman	0.8
lexical_half_space_kendall_tau	0.666667' "*lex.txt: 1 of 5 pairs are left out, a word has no node: 'run'" g words.tsv --lexical lex.txt
expect 0 'lexical_unknown	0
lexical_spearman	1
lexical_kendall_tau	1
lexical_half_space_spearman	0.8
lexical_half_space_kendall_tau	0.666667' '' last 5 words.tsv --lexical lex.txt --pos n --alpha 10

# Nodes that the model lacks.
expect 1 '' "geodisk: error: chain.tsv: 2 of the graph's 5 nodes are not in the model: 'd', 'e'; skipping them would leave out 2 of 4 edges (--skip-missing does that)" \
  g ball.tsv chain.tsv
expect 0 '*' "*warning: 2 of the graph's 5 nodes are not in the model and left out, with 2 of 4 edges: 'd', 'e'*" \
  g ball.tsv chain.tsv --skip-missing --tasks reconstruction
printf 'p\tq\n' >strangers.tsv
expect 1 '' "*none of the graph's 2 nodes is in the model: 'p', 'q'" g ball.tsv strangers.tsv --skip-missing

# What goes with what.
expect 2 '' '*GRAPH is missing*' g ball.tsv
expect 2 '' "*'reconstruct' is not a task; did you mean 'reconstruction'*" g ball.tsv edge.tsv --tasks loss,reconstruct
expect 2 '' '*link-prediction needs --train*' g ball.tsv edge.tsv --tasks link-prediction
expect 2 '' '*with --train, GRAPH holds edges to predict*' g ball.tsv edge.tsv --train edge.tsv --tasks reconstruction
expect 2 '' '*lexical needs --lexical*' g ball.tsv edge.tsv --tasks lexical
expect 2 '' '*only --lexical does without*' g ball.tsv --lexical lex.txt --tasks loss
expect 2 '' '*--per-node needs*' g ball.tsv edge.tsv --tasks kendall --per-node n.tsv
expect 2 '' '*--pos is one letter*' g words.tsv --lexical lex.txt --pos nn
expect 2 '' '*--alpha goes with --lexical*' g ball.tsv edge.tsv --alpha 2
expect 1 '' '*no.tsv*' g ball.tsv no.tsv
expect 1 '' '*n.tsv*' g ball.tsv edge.tsv --tasks reconstruction --per-node no/such/n.tsv

# The mammals, trained a little: the same bytes for any number of threads, a sample that covers the truth, both precisions.
mammals=$TESTS_DIR/../data/mammals.tsv
"$GEODISK" train "$mammals" -o m.safetensors --dim 3 --epochs 20 --quiet
g m.safetensors "$mammals" --threads 1 >one.txt
for threads in 2 3 8; do
  g m.safetensors "$mammals" --threads $threads >many.txt
  expect 0 '' '' cmp one.txt many.txt
done
expect 0 'distance_pairs	697971
unreachable_pairs	0' '' sed -n '/_pairs/p' one.txt
sampled=$(g m.safetensors "$mammals" --sample 600 --seed 2 --json)
expect 0 'yes' '' python3 - "$sampled" "$(g m.safetensors "$mammals" --json)" <<'END'
import json, sys
sample, exact = map(json.loads, sys.argv[1:])
inside = [sample[k + "_interval"][0] <= exact[k] <= sample[k + "_interval"][1] for k in
          ("mean_rank", "map", "hits_at_10", "auc", "loss", "loss_complement", "kendall_tau", "spearman", "distortion_mean")]
intervals = {k for k in sample if k.endswith("_interval")}
print("yes" if sum(inside) >= 7 and len(intervals) == 14 and not any("interval" in k for k in exact) and sample["nodes_judged"] == 600 else (sample, exact))
END
expect 1 '*' '*40 at least*' g m.safetensors "$mammals" --sample 10 --tasks kendall
expect 0 '*' '*distances are not compared*' g m.safetensors "$mammals" --sample 10
"$GEODISK" convert m.safetensors -o m.txt --to word2vec --quiet
g m.safetensors "$mammals" --tasks reconstruction >direct.txt
g m.txt "$mammals" --tasks reconstruction >other.txt
expect 0 '' '' cmp direct.txt other.txt
expect 0 'yes' '' sh -c '
  "$0" eval m.safetensors "$1" --tasks reconstruction --precision float | join -t "	" - direct.txt |
    awk "/mean_rank|map/ { if (\$2 / \$3 > 1.001 || \$3 / \$2 > 1.001) bad = 1 } END { print bad ? \"no\" : \"yes\" }"' "$GEODISK" "$mammals"

# entailment: edges against non-edges, drawn or from files; the half-space score beats distance on a hierarchy.
"$GEODISK" graph split "$mammals" -o e --protocol entailment --closure-share 50 --quiet
"$GEODISK" train e.train.tsv -o e.safetensors --dim 2 --placement tree --epochs 1 --lr 1e-9 --quiet
e() { g e.safetensors e.test.tsv --tasks entailment "$@"; }
e --train e.train.tsv --validation e.validation.tsv --json >drawn.json
e --train e.train.tsv --validation e.validation.tsv --threads 1 --json >again.json
e --validation e.validation.tsv --non-edges e.test-non-edges.tsv --validation-non-edges e.validation-non-edges.tsv --json >files.json
expect 0 'yes' '' /usr/bin/python3 - <<'END'
import json
drawn, again, files = (json.load(open(name + ".json")) for name in ("drawn", "again", "files"))
for figures in (drawn, again, files):
    figures.pop("entailment_seconds")
good = [d["half_space_f1"] > 0.85 and d["half_space_f1"] > d["distance_f1"] + 0.05 and d["half_space_f1_interval"][0] < d["half_space_f1"]
        for d in (drawn, files)]
keys = all(s + "_" + k in drawn for s in ("half_space", "half_space_radius", "distance", "nickel_kiela", "cone")
           for k in ("f1", "precision", "recall", "auc", "average_precision", "threshold"))
print("yes" if all(good) and keys and drawn == again and drawn["entailment_edges"] > 100 else (drawn, again, files))
END
expect 0 '*' '*which flatters*' e --train e.train.tsv
expect 0 '*' '*e.test.tsv: the model was trained on another graph*' e --train e.test.tsv
expect 0 '0' '*' sh -c '"$0" eval e.safetensors e.test.tsv --train e.train.tsv --tasks entailment --threshold -100 | sed -n "s/^half_space_recall	\([0-9.]*\).*/\1/p"' "$GEODISK"
expect 2 '' '*--validation goes with --tasks entailment*' g e.safetensors e.test.tsv --validation e.validation.tsv
expect 2 '' '*goes with --validation*' e --validation-non-edges e.validation-non-edges.tsv
expect 1 '*' '*nowhere.tsv*' e --validation nowhere.tsv

# Non-edges are never drawn among edges that were trained on: without them it is refused, but of a model that does not say what it
# was trained on, which is told what is assumed. A model that is judged by its own edges needs no others.
expect 1 '*' '*non-edges cannot be drawn: *give them by --train, or non-edges by --non-edges and --validation-non-edges' e
expect 1 '*' '*by --non-edges and --validation-non-edges' e --validation e.validation.tsv --non-edges e.test-non-edges.tsv
expect 0 '*' '*which flatters*' e --non-edges e.test-non-edges.tsv
"$GEODISK" convert e.safetensors -o e.txt --to word2vec --quiet
expect 0 '*' '*as if there were no edges but those given*' g e.txt e.test.tsv --tasks entailment
expect 0 '*' '*which flatters*' g e.safetensors e.train.tsv --tasks entailment

# gensim, on its own terms.
python=/usr/bin/python3
if $python -c 'import gensim' 2>/dev/null; then
  expect 0 'equal' '' $python -B - "$GEODISK" "$mammals" <<'END'
import json, subprocess, sys
import numpy as np
from gensim.models.poincare import PoincareKeyedVectors, ReconstructionEvaluation

def less(self, other):  # as NumPy did it when gensim was written
    out = np.less(self.data, other)
    return np.ma.array(out, mask=np.broadcast_to(np.ma.getmaskarray(self), out.shape))

np.ma.MaskedArray.__lt__ = less
embedding = PoincareKeyedVectors.load_word2vec_format("m.txt", datatype=np.float64)
embedding.vectors = np.asarray(embedding.vectors, np.float64)
expected = ReconstructionEvaluation(sys.argv[2], embedding).evaluate()
got = json.loads(subprocess.run([sys.argv[1], "eval", "m.txt", sys.argv[2], "--definition", "gensim", "--tasks", "reconstruction",
                                 "--json"], capture_output=True, check=True).stdout)
same = got["mean_rank"] == expected["mean_rank"] and abs(got["map"] - expected["MAP"]) < 1e-14
print("equal" if same else (got, expected))
END
fi

finish

# `geodisk reproduce`: the quick version of all experiments, the claims that are theorems or clear-cut, and the same bytes again.
. "$TESTS_DIR/cli/expect.sh"

rm -rf first second
expect 2 '' "*'trees' is not an experiment*" "$GEODISK" reproduce trees -o first
expect 2 '' '*give -o DIR*' "$GEODISK" reproduce all
expect 1 '' '*cannot make this folder*' "$GEODISK" reproduce updates -o nowhere/first

# Sanitizers make arithmetic slow: the frame and the quick experiments are enough for them.
experiments=all again='updates barycenter tree wordnet theory beyond'
[ -z "$CFLAGS" ] || experiments='updates theory' again='updates theory'
for name in $experiments; do
  expect 0 'first/report.html' '*' "$GEODISK" reproduce "$name" --quick -o first --threads 2
done

# The claims, from the tables; and no table holds a NaN.
cat >claims.py <<'END'
import csv, glob, os, re, sys
def table(name):
    with open(f"first/{name}.tsv", encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))
wrong = []
for path in glob.glob("first/*.tsv"):
    with open(path, encoding="utf-8") as file:
        if any("nan" in line.split("\t") or "nan\n" in line for line in file):
            wrong.append(f"{path} holds a NaN")
for row in table("updates-steps"):
    if row["update"] == "geodesic" and abs(float(row["ratio"]) - 1) > 1e-13:
        wrong.append(f"a geodesic step of length 1 covers {row['covered']}")
for row in table("theory-bound"):
    if float(row["excess"]) > float(row["bound"]):
        wrong.append(f"descent above its bound: {row}")
if not all(float(row["worst"]) < 4 for name in ("exp-depth", "exp-parallel") for row in table(name) if row["method"] == "geodisk"):
    wrong.append("exp is less accurate than it says")
if sys.argv[1] == "all":
    rows = {(row["update"], float(row["rate"])): {key: float(row[key]) for key in row if key != "update"} for row in table("barycenter-offsets")}
    for (update, rate), row in rows.items():
        if update.startswith("geodesic") and abs(row["offset"]) > 3 * row["offset_error"]:
            wrong.append(f"geodesic offset {row['offset']} +- {row['offset_error']} at rate {rate}")
        if update == "euclidean" and row["loss"] <= 2 * row["optimum"]:
            wrong.append(f"the Euclidean update does not fail at rate {rate}")
    biases = [rows["natural", rate] for rate in (0.05, 0.1, 0.2)]
    if not all(row["offset"] > 3 * row["offset_error"] for row in biases) or not biases[0]["offset"] < biases[1]["offset"] < biases[2]["offset"]:
        wrong.append(f"natural offsets {[row['offset'] for row in biases]}")
    if len(rows) != 28:
        wrong.append(f"{len(rows)} rows of offsets")
    high = {row["update"]: float(row["loss"]) for row in table("tree-undirected") if row["rate"] == "2"}
    if not high["geodesic"] < high["natural"] < high["euclidean"]:
        wrong.append(f"losses of the tree at rate 2: {high}")
    equal = table("varies-barycenter-equal")
    if len(equal) != 18 or not all(float(row["nanoseconds"]) > 0 and float(row["iterations"]) > 0 and float(row["spent"]) > 0 for row in equal):
        wrong.append("equal time: a row is missing or empty")
    if os.path.exists("first/mammals-2.tsv"):
        pairs = {(row["dim"], row["rate"], row["update"]) for row in table("comparison")}
        for dim in "2", "5":
            for rate in "0.1", "2":
                if not {(dim, rate, "geodesic"), (dim, rate, "natural")} <= pairs:
                    wrong.append(f"comparison: dim {dim}, rate {rate} is missing")
        if os.path.exists("first/gensim-2.tsv") != (("2", "0.1", "gensim") in pairs):
            wrong.append("comparison: gensim is missing")
for ending in "md", "html":
    with open(f"first/report.{ending}", encoding="utf-8") as file:
        if re.search(r"[^a-z]nan[^a-z]", file.read()):
            wrong.append(f"report.{ending} holds a NaN")
print("fine" if not wrong else wrong)
END
expect 0 'fine' '' python3 claims.py "$experiments"

# Report and figures: every figure the report shows is there, or the report says that gnuplot is not.
if command -v gnuplot >/dev/null; then
  for figure in $(sed -n 's/^!\[\(.*\)\](.*/\1/p' first/report.md); do
    for ending in png svg; do
      checks=$((checks + 1))
      [ -s "first/$figure.$ending" ] || complain "no $figure.$ending" report
    done
  done
  expect 0 '4' '' sh -c 'ls first/updates.png first/updates.svg first/exp-error.png first/exp-error.svg | wc -l'
else
  expect 0 '*' '' grep -q 'gnuplot is not installed' first/report.md
fi
expect 0 '' '' sh -c 'grep -q "^## Claims" first/report.md && grep -q "<h2>Claims" first/report.html'
expect 0 '' '' sh -c 'grep -q "^| machine | " first/report.md && grep -q "^| seeds | .*seed 0 " first/report.md && grep -q "^| geodisk | [0-9]" first/report.md'

# What is there is not computed again; what is not, is, with one thread to the same bytes; without gnuplot there are no figures,
# which is said.
sum=$(cksum <first/updates-steps.tsv)
expect 0 'first/report.html' '*parts were done already, 0 were run' "$GEODISK" reproduce updates --quick -o first
expect 0 "$sum" '' sh -c 'cksum <first/updates-steps.tsv'
mkdir -p second bin
for name in $again; do
  expect 0 'second/report.html' '*gnuplot is not installed*' env PATH="$PWD/bin" "$GEODISK" reproduce "$name" --quick -o second --threads 1
done
expect 1 '' '' test -e second/updates.png
expect 0 '' '' grep -q 'gnuplot is not installed' second/report.md
for file in second/*.tsv; do
  name=${file#second/}
  case $name in
  varies-*) ;;
  *) expect 0 '' '' cmp "first/$name" "$file" ;;
  esac
done

# Without WordNet the mammals are left out, and it is said.
expect 0 'third/report.html' '*WordNet is not there*' env PATH="$PWD/bin" "$GEODISK" reproduce beyond --quick -o third --dict nowhere
rm -rf third

finish

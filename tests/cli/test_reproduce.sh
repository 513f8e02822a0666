# `geodisk reproduce`: the quick version of all experiments, the claims that are theorems or clear-cut, and the same bytes again;
# and that docs/reproduction.md says what the tables beside it hold.
. "$TESTS_DIR/cli/expect.sh"

rm -rf first second
expect 2 '' "*'trees' is not an experiment*" "$GEODISK" reproduce trees -o first
expect 2 '' '*give -o DIR*' "$GEODISK" reproduce all
expect 1 '' '*cannot make this folder*' "$GEODISK" reproduce updates -o nowhere/first

# Sanitizers make arithmetic slow: the frame and the quick experiments are enough for them.
experiments=all again='updates barycenter tree wordnet nouns theory beyond'
[ -z "$CFLAGS" ] || experiments='updates theory' again='updates theory'
for name in $experiments; do
  expect 0 'first/report.html' '*' "$GEODISK" reproduce "$name" --quick -o first --threads 2
done

expect 0 'fine' '' python3 "$TESTS_DIR/cli/check_reproduction.py" first

# The page: its tables and verdicts are those of the files beside it, and its figures are there. One number that is changed, in
# a summary or in what it comes from, is noticed.
docs=$TESTS_DIR/../docs
rm -rf page && mkdir page && cp "$docs"/reproduction/*.tsv page/ && cp "$docs/reproduction.md" page/page.md
expect 0 'page/report.html' '' "$GEODISK" reproduce page -o page --page page/page.md
expect 0 '' '' diff "$docs/reproduction.md" page/page.md
expect 0 '' '' diff "$docs/reproduction/claims.tsv" page/claims.tsv
expect 0 '' '' diff "$docs/reproduction/pairs.tsv" page/pairs.tsv
expect 0 '' '' diff "$docs/reproduction/checksums.tsv" page/checksums.tsv
expect 0 '' '' sh -c "cd page && awk -F '\t' 'NR > 2 { print \$3 }' checksums.tsv | xargs cksum | tr ' ' '\t' | diff - checksums.tsv | grep '^<'; true"
expect 0 'fine' '' python3 "$TESTS_DIR/cli/check_reproduction.py" page page/page.md
for figure in $(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$docs/reproduction.md"); do
  checks=$((checks + 1))
  [ -s "$docs/$figure" ] || complain "no $figure" docs/reproduction.md
done
rm -rf drift && mkdir drift && cp page/*.tsv drift/ && cp "$docs/reproduction.md" drift/page.md
awk -F '\t' -v OFS='\t' '$1 == "geodesic" && $2 == "0.5" { $8 = 0.123 } 1' page/tree-closure.tsv >drift/tree-closure.tsv
expect 0 'drift/report.html' '' "$GEODISK" reproduce page -o drift --page drift/page.md
expect 1 '*' '' diff "$docs/reproduction.md" drift/page.md
expect 0 '' '' sh -c "python3 $TESTS_DIR/cli/check_reproduction.py drift drift/page.md | grep '^tree-closure geodesic 0.5 .*by the seeds' >/dev/null"
for name in barycenter-trace circles-lines exp-depth embeddings-mammals seeds; do # tables of which page and claims show a part, or none
  cp page/*.tsv drift/
  sed '$ s/[0-9]\([^0-9]*\)$/x\1/; $ s/x/7/' page/$name.tsv >drift/$name.tsv
  cmp -s page/$name.tsv drift/$name.tsv && sed '$ s/[0-9]\([^0-9]*\)$/4\1/' page/$name.tsv >drift/$name.tsv
  expect 0 'drift/report.html' '' "$GEODISK" reproduce page -o drift
  expect 0 "$name.tsv" '' sh -c "diff $docs/reproduction/checksums.tsv drift/checksums.tsv | sed -n 's/^> .*[[:space:]]//p'"
done
printf '# A page\n' >drift/plain.md
expect 1 '' '*drift/plain.md: has no pair of marks*' "$GEODISK" reproduce page -o drift --page drift/plain.md
expect 1 '' '*nowhere.md: cannot read it*' "$GEODISK" reproduce page -o drift --page nowhere.md
rm -rf drift

# The claims, from the tables.
cat >claims.py <<'END'
import csv, os, re, sys
def table(name):
    with open(f"first/{name}.tsv", encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))
wrong = []
for row in table("updates-steps"):
    if row["update"] == "geodesic" and abs(float(row["ratio"]) - 1) > 1e-13:
        wrong.append(f"a geodesic step of length 1 covers {row['covered']}")
for row in table("theory-bound"):
    if row["reading"] == "half" and float(row["excess"]) > float(row["bound"]):
        wrong.append(f"descent above its bound: {row}")
verdicts = {row["number"]: (row["as_printed"], row["as_corrected"]) for row in table("claims")}
theorems = {"1": ("not", "reproduced"), "2": ("partly", "partly"), "3": ("reproduced", "reproduced"), "6": ("partly", "reproduced"),
            "7": ("not", "reproduced"), "8": ("not", "reproduced"), "9": ("partly", "reproduced"), "12": ("partly", "reproduced"),
            "23": ("reproduced", "reproduced"), "24": ("reproduced", "reproduced"), "25": ("reproduced", "reproduced")}
for number, said in theorems.items():
    if verdicts[number] != said:
        wrong.append(f"claim {number}: {verdicts[number]}")
leaves = {row["reading"]: float(row["leaves"]) for row in table("theory-bias") if row["reading"] != "geodesic"}
if abs(leaves["printed"] - 0.00176) > 1e-5 or abs(leaves["corrected"] / 2 - 0.0523) > 1e-4:
    wrong.append(f"the natural step leaves the disk at {leaves}")
if not all(float(row["worst"]) < 4 for name in ("exp-depth", "exp-parallel", "exp-inward") for row in table(name) if row["method"] == "geodisk"):
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
    if any(row["arrival"] == "inf" for row in equal if row["update"] != "euclidean"):
        wrong.append("equal time: not enough of it to arrive")
    if len(equal) != 18 or not all(float(row["nanoseconds"]) > 0 and float(row["iterations"]) > 0 and float(row["spent"]) > 0 for row in equal):
        wrong.append("equal time: a row is missing or empty")
    if os.path.exists("first/mammals-2.tsv"):
        for name, seeds in ("mammals-2", 5), ("mammals-5", 5), ("links-2", 5), ("uniform-2", 5), ("nouns", 1), ("beyond-rates", 5):
            updates = {(row["update"], float(row["seeds"])) for row in table(name)}
            if updates != {("geodesic", seeds), ("natural", seeds)}:
                wrong.append(f"{name}: {updates}")
        if verdicts["W4"][0] != "not judged: fewer than 5 seeds":
            wrong.append(f"one seed carries a verdict: {verdicts['W4']}")
        numbers = {row["number"]: row["numbers"] for row in table("claims")}
        with open("first/report.md", encoding="utf-8") as file:
            errors = [line for line in file if re.match(r"\| (reconstruction|tree|closure|mammals) \|.*±", line)]
        if re.search("[0-9]", numbers["W4"] + numbers["22"]) or errors:
            wrong.append(f"one seed carries a sentence or a standard error: {numbers['W4']} {numbers['22']} {errors}")
    stages = {row["iterations"] for row in table("tree-closure")}
    if stages != {"250", "500", "1000"}:
        wrong.append(f"stages of the tree: {stages}")
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
expect 0 '' '' sh -c 'grep -q "^## Claims: of [0-9]* published" first/report.md && grep -q "<h2>Claims" first/report.html'
expect 0 '' '' sh -c 'for what in machine commit "last command" "geodisk | [0-9]" "all | [0-9]"; do grep -q "^| $what" first/report.md || exit 1; done'

# What is not there is computed, with one thread to the same bytes; what is, is not; without gnuplot there are no figures, which is
# said.
mkdir -p second bin
for name in $again; do
  expect 0 'second/report.html' '*gnuplot is not installed*' env PATH="$PWD/bin" "$GEODISK" reproduce "$name" --quick -o second --threads 1
done
stamp=$(ls -l --full-time second/updates-steps.tsv)
expect 0 'second/report.html' '*parts were done already, 0 were run*' env PATH="$PWD/bin" "$GEODISK" reproduce updates --quick -o second
expect 0 "$stamp" '' ls -l --full-time second/updates-steps.tsv
expect 1 '' '' test -e second/updates.png
expect 0 '' '' grep -q 'gnuplot is not installed' second/report.md
for file in second/*.tsv; do
  name=${file#second/}
  case $name in
  varies-*) ;;
  claims.tsv) expect 0 '' '' sh -c "grep -v -E '^(4|15|17)	' first/$name >a && grep -v -E '^(4|15|17)	' $file | diff a -" ;; # times
  *) expect 0 '' '' cmp "first/$name" "$file" ;;
  esac
done

# Options change the plan, and what was made by another plan is made again.
expect 0 'fourth/report.html' '*' env PATH="$PWD/bin" "$GEODISK" reproduce tree --quick --seeds 2 --seed 7 --iterations 400 -o fourth
expect 0 '7 8' '' sh -c "cut -f 6 fourth/seeds.tsv | sort -u | grep '^[0-9]' | paste -s -d ' '"
expect 0 '100 200 400' '' sh -c "cut -f 3 fourth/tree-closure.tsv | sort -un | grep '^[0-9]' | paste -s -d ' '"
expect 0 'fourth/report.html' '*2 parts were done already, 2 were run*' env PATH="$PWD/bin" "$GEODISK" reproduce tree --quick --seeds 2 --seed 7 --iterations 400 -o fourth
expect 0 'fourth/report.html 38 claims, the 19th not judged: fewer than 5 seeds' '*' sh -c "PATH=$PWD/bin $GEODISK reproduce tree --quick --seeds 3 \
  --iterations 400 -o fourth --json | python3 -c 'import json, sys; d = json.load(sys.stdin)
print(d[\"report\"], len(d[\"claims\"]), \"claims, the 19th\", d[\"claims\"][18][\"as_printed\"])'"
expect 2 '' '*--seeds*' "$GEODISK" reproduce tree --seeds 0 -o fourth
if [ -r /usr/share/wordnet/data.noun ]; then
  expect 0 'fourth/report.html' '*' env PATH="$PWD/bin" "$GEODISK" reproduce nouns --quick --epochs 2 -o fourth
  expect 0 '2' '' sh -c "grep -c '^# nouns.* 2 epochs' fourth/nouns.tsv fourth/nouns-links.tsv | grep -c ':1'"
  expect 0 '' '' grep -q 'for 2 epochs' fourth/report.md
fi
rm -rf fourth

# The committed tables are those of this program: the full plan with one seed has the rows of seed 0. (Last digits are the C
# library's.)
if [ -z "$CFLAGS" ]; then
  rm -rf fifth
  expect 0 'fifth/report.html' '*' env PATH="$PWD/bin" "$GEODISK" reproduce updates -o fifth
  expect 0 'fifth/report.html' '*' env PATH="$PWD/bin" "$GEODISK" reproduce barycenter --seeds 1 -o fifth
  cat >same.py <<'END'
import csv, sys
def rows(path):
    with open(path, encoding="utf-8") as file:
        return [row for row in csv.reader((line for line in file if not line.startswith("#")), delimiter="\t")]
def close(a, b):
    try:
        return abs(float(a) - float(b)) <= 1e-5 * (1 + abs(float(b)))
    except ValueError:
        return a == b
def check(name, own, committed):
    if len(own) < 2 or len(own) != len(committed):
        print(f"{name}: {len(own)} rows, committed {len(committed)}")
    for a, b in zip(own, committed):
        if len(a) != len(b) or not all(map(close, a, b)):
            print(f"{name}: {a}, committed {b}")
for name in "updates-steps", "circles-points":
    check(name, rows(f"fifth/{name}.tsv"), rows(f"{sys.argv[1]}/{name}.tsv"))
seeds = rows(f"{sys.argv[1]}/seeds.tsv")
check("seeds", rows("fifth/seeds.tsv"), seeds[:1] + [row for row in seeds if row[0] == "barycenter" and row[5] == "0"])
END
  expect 0 '' '' python3 same.py "$docs/reproduction"
  rm -rf fifth
fi

# What the page says of the graph of mammals, its distances in the closure and in the hierarchy.
if [ -r /usr/share/wordnet/data.noun ]; then
  expect 0 '' '' "$GEODISK" graph import-wordnet --root mammal.n.01 -o mammals.tsv -q
  expect 0 '' '' "$GEODISK" graph reduce mammals.tsv -o reduced.tsv -q
  expect 0 '6542' '' sh -c 'wc -l <mammals.tsv'
  for case in mammals:2 reduced:16; do
    expect 0 "1182 ${case#*:}" '' sh -c "$GEODISK graph distances ${case%:*}.tsv | awk '\$1 == \"sources\" { n = \$2 } \$1 == \"longest\" { print n, \$2 }'"
  done
  expect 0 '' '' grep -q '1,182 nodes, 6,542 edges' "$docs/reproduction.md"
  expect 0 '' '' grep -q 'distance 1 or 2. In the hierarchy (the transitive reduction) they are 1 to 16 apart' "$docs/reproduction.md"
fi

# Without WordNet the mammals are left out, and it is said.
expect 0 'third/report.html' '*WordNet is not there*' env PATH="$PWD/bin" "$GEODISK" reproduce beyond --quick -o third --dict nowhere
rm -rf third

finish

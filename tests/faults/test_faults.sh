# test_faults.sh FAILING.SO STEP - every call that can fail, of every kind, fails once in each of the command's ways to work; STEP
# other than 1 leaves some of them out where there are many. failing.c says what must hold.
set -u
failing=$1 step=$2
bad=0
awk 'BEGIN { for (n = 1; n < 14; n++) print n "\t" int((n - 1) / 3) }' >tree.tsv
printf 'new\t3\nnewer\tnew\n' >new.tsv
printf 'p 0.1 0.2\nq 0.3 0\nr 0 0.5\n' >points.txt
printf '1 2 3.5\n2 3 1\n' >words.txt
gzip -c tree.tsv >tree.tsv.gz 2>/dev/null || cp tree.tsv tree.tsv.gz
"$GEODISK" train tree.tsv -o tree.st --dim 2 --epochs 2 --quiet || exit 1
printf 'what was there\n' >old.txt

# try STEP OUTPUT argument...: all kinds of fault in one call of the command; OUTPUT - for none, or one that checkpoints replace.
try() {
  by=$1 output=$2
  shift 2
  echo "geodisk $*"
  for kind in memory write short fsync rename close open read map thread; do
    [ "$output" = - ] || cp old.txt "$output"
    FAIL_KIND=$kind FAIL_STEP=$by
    [ "$kind" = memory ] || FAIL_STEP=1
    export FAIL_KIND FAIL_STEP
    if [ "$output" = - ]; then unset FAIL_OUTPUT; else export FAIL_OUTPUT="$output"; fi
    LD_PRELOAD=$failing "$GEODISK" "$@" --quiet --threads 2 >told.txt 2>wrong.txt || bad=$((bad + 1))
    grep -q "^$kind: [0-9]* faults of" told.txt || { echo "    $kind: failing.c was not there"; bad=$((bad + 1)); }
    grep -v ': 0 faults' told.txt | sed 's/^/    /'
    sed 's/^/    /' wrong.txt
    [ "$output" = - ] || cmp old.txt "$output" || bad=$((bad + 1))
  done
}

many=$((step == 1 ? 1 : 29)) some=$((step == 1 ? 1 : 7))
try 1 - graph check tree.tsv --no-delta
try 1 closure.tsv graph closure tree.tsv.gz -o closure.tsv
try $some model.st train tree.tsv -o model.st --dim 2 --epochs 2 --closure
try $some - train tree.tsv -o checkpoint.st --dim 2 --epochs 2 --checkpoint-every 1 --log log.jsonl
try $some model.st train tree.tsv -o model.st --dim 2 --epochs 3 --resume tree.st
try $some model.st train tree.tsv -o model.st --dim 2 --objective distances --epochs 2
try $some placed.st place tree.st new.tsv -o placed.st
try $many - eval tree.st tree.tsv --lexical words.txt
try $some nodes.tsv eval tree.st tree.tsv --tasks reconstruction --per-node nodes.tsv
try $many tree.svg plot tree.st tree.tsv -o tree.svg
if "$GEODISK" --version | grep -q 'without cairo'; then :; else
  try $many tree.png plot tree.st tree.tsv -o tree.png
  try $many tree.pdf plot tree.st tree.tsv -o tree.pdf
fi
try $some page.html view tree.st tree.tsv -o page.html
try $some model.tsv convert tree.st -o model.tsv
try $some imported.st convert points.txt --to model -o imported.st
try 1 - barycenter points.txt
try $some - query tree.st 1
try $some - compare tree.st tree.st

# An array and its names are two files: each as a whole or not at all.
try $some model.npy convert tree.st -o model.npy
echo "$bad wrong"
[ $bad -eq 0 ]

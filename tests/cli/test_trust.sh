# What must not go wrong around the work: outputs that are closed, full, pipes, links or inputs; signals; names that are not what
# they seem; files left by killed processes.
. "$TESTS_DIR/cli/expect.sh"

tab=$(printf '\t')
escape=$(printf '\033')
g() { "$GEODISK" "$@"; }
t() { "$GEODISK" train "$@" --quiet; }
awk 'BEGIN { for (n = 1; n < 85; n++) print n "\t" int((n - 1) / 4) }' >tree.tsv
printf 'one 0.1 0\ntwo 0 0.2\nthree 0.3 0.3\n' >points.txt
expect 0 '' '' t tree.tsv -o tree.st --dim 2 --epochs 3 --negatives 5

# Somebody reads one line of an endless stream of answers and goes away; or the disk is full.
endless() { yes one | timeout 20 "$GEODISK" query points.txt --quiet --neighbours 1 >/dev/full; }
expect 1 '' '*standard output: No space left on device' endless
hangs_up() { { yes one | timeout 20 "$GEODISK" query points.txt --quiet --neighbours 1; echo $? >code.txt; } | head -n 1 >/dev/null; cat code.txt; }
expect 0 1 '*standard output: Broken pipe' hangs_up
for command in '--version' 'query points.txt one --quiet' 'graph info tree.tsv --quiet' 'graph check tree.tsv --quiet --no-delta' \
  'graph closure tree.tsv --quiet' 'geometry distance --at 0.1 --to 0.2' 'eval tree.st tree.tsv --quiet' 'barycenter points.txt --quiet' \
  'convert tree.st --to tsv -o - --quiet' 'view tree.st -o - --quiet' 'plot tree.st --format svg -o - --quiet' 'train --help' \
  'train tree.tsv -o - --epochs 1 --dim 2 --quiet' 'bench --help'; do
  # shellcheck disable=SC2086 # words
  full() { timeout 60 "$GEODISK" $command >/dev/full; }
  expect 1 '' '*standard output:*No space left on device*' full
done

# The model has standard output for itself.
to_stdout() { "$GEODISK" train tree.tsv -o - --dim 2 --epochs 3 --negatives 5 >out.st; }
expect 0 '' '*3 epochs in * model -*' to_stdout
expect 0 '' '' cmp out.st tree.st
expect 2 '' '*--checkpoint-every needs -o FILE*' t tree.tsv -o - --checkpoint-every 1
expect 2 '' '*--json needs -o FILE*' t tree.tsv -o - --json
printf 'new\t0\n' >new.tsv
place() { "$GEODISK" place tree.st new.tsv -o - --quiet >placed.st; }
expect 0 '' "new${tab}*" place
expect 0 '*' '' g query placed.st new --quiet
expect 2 '' '*--json and -o - both want*' g place tree.st new.tsv -o - --json
expect 2 '' '*--per-node needs a file*' g eval tree.st tree.tsv --tasks reconstruction --per-node -

# A named pipe is opened once, when there is something to write.
rm -f pipe
mkfifo pipe
through() {
  cat pipe >piped.st &
  timeout 20 "$GEODISK" train tree.tsv -o pipe --dim 2 --epochs 3 --negatives 5 --quiet || return
  wait
}
expect 0 '' '' through
expect 0 '' '' cmp piped.st tree.st

# An output that is an input is refused, by whatever name.
cp tree.tsv kept.tsv
ln -sf tree.tsv link.tsv
for output in tree.tsv link.tsv ./tree.tsv; do
  expect 2 '' '*would overwrite the input tree.tsv*' t tree.tsv -o $output
  expect 2 '' '*would overwrite the input tree.tsv*' t tree.tsv -o x.st --log $output
  expect 2 '' '*would overwrite the input tree.tsv*' g graph closure tree.tsv -o $output
  expect 2 '' '*would overwrite the input tree.tsv*' g graph distances tree.tsv -o $output
  expect 2 '' '*would overwrite the input tree.tsv*' g plot tree.st tree.tsv -o $output --format svg
  expect 2 '' '*would overwrite the input tree.tsv*' g view tree.st tree.tsv -o $output
  expect 2 '' '*would overwrite the input tree.tsv*' g eval tree.st tree.tsv --tasks reconstruction --per-node $output
done
expect 2 '' '*would overwrite the input tree.st*' t tree.tsv -o tree.st --init tree.st
expect 2 '' '*would overwrite the input tree.st*' t tree.tsv -o x.st --log tree.st --resume tree.st
expect 2 '' '*--log new.st would overwrite the input new.st*' sh -c '>new.st; "$GEODISK" train tree.tsv -o new.st --log new.st'
for log in fresh.st ./fresh.st "$PWD/fresh.st" ../"${PWD##*/}"/fresh.st; do # neither is there yet
  expect 2 '' "*--log $log and fresh.st would be the same file*" t tree.tsv -o fresh.st --log "$log"
done
expect 1 '' '' test -e fresh.st
expect 2 '' '*would overwrite the input tree.st*' g convert tree.st -o tree.st --to model
expect 2 '' '*would overwrite the input tree.st*' g place tree.st new.tsv -o tree.st
expect 2 '' '*would overwrite the input points.txt*' g barycenter points.txt --trace points.txt
for option in validation non-edges; do
  expect 2 '' '*--per-node tree.tsv would overwrite the input tree.tsv*' g eval tree.st kept.tsv --tasks reconstruction,entailment --$option tree.tsv --per-node tree.tsv
done
expect 2 '' '*--output tree.tsv would overwrite the input tree.tsv*' g convert tree.st tree.tsv -o tree.tsv --to graphml
expect 2 '' '*--names points.txt would overwrite the input points.txt*' g convert points.txt -o points.npy --names points.txt
expect 2 '' '*--names and --output are the same file*' g convert points.txt -o points.npy --names points.npy
cp points.txt own.names
expect 2 '' '*the file of names own.names would overwrite the input own.names*' g convert own.names -o own.npy
expect 0 '' '' cp tree.tsv split.train.tsv
expect 2 '' '*would overwrite the input split.train.tsv*' g graph split split.train.tsv -o split
expect 0 '' '' cmp tree.tsv kept.tsv

# A link to nothing stays a link, and what it points at comes to be.
mkdir -p there
rm -f there/real.st dangling.st
ln -s there/real.st dangling.st
expect 0 '' '' t tree.tsv -o dangling.st --dim 2 --epochs 3 --negatives 5
expect 0 'there/real.st' '' readlink dangling.st
expect 0 '' '' cmp there/real.st tree.st

# What a killed process leaves is removed by the next that writes the same file, and nothing else.
rm -rf killed
mkdir killed
touch killed/.geodisk-0000000000000000-1-0.tmp
for seconds in 0.3 0.5 0.7; do
  "$GEODISK" train tree.tsv -o killed/big.st --dim 500 --epochs 100000 --negatives 1 --checkpoint-every 1 --quiet &
  pid=$!
  sleep $seconds
  kill -KILL $pid
  wait $pid # it is gone, and its locks with it
done
expect 0 '' '' t tree.tsv -o killed/big.st --dim 2 --epochs 1 --negatives 5
expect 0 'killed/.geodisk-0000000000000000-1-0.tmp' '' find killed -name '.geodisk-*.tmp'

# A file larger than allowed is an error like a full disk, not a death.
limited() { sh -c 'ulimit -f 1; exec "$GEODISK" train tree.tsv -o limited.st --dim 300 --epochs 1 --negatives 5 --quiet'; }
expect 1 '' '*limited.st: cannot write: File too large' limited
midway() { sh -c 'ulimit -f 1; exec "$GEODISK" train tree.tsv -o limited.st --dim 300 --epochs 9 --negatives 5 --checkpoint-every 2 --quiet'; }
expect 1 '' '*limited.st: cannot write: File too large; training stopped' midway

# A disk without room for the model is seen before anything is trained, or settings are tried. (What tells of the disk's room is played.)
if [ -z "$CFLAGS" ]; then
  printf '#include <sys/statvfs.h>\nint fstatvfs(int fd, struct statvfs *disk) {\n  (void)fd;\n  *disk = (struct statvfs){.f_frsize = 512, .f_blocks = 9, .f_bfree = 2};\n  return 0;\n}\n' >disk.c
  "$CC" -shared -fPIC -o disk.so disk.c
  small_disk() { LD_PRELOAD="$PWD/disk.so" "$GEODISK" train tree.tsv -o small.st --quiet "$@"; }
  expect 1 '' '*small.st: needs 1360 bytes, and its disk has 1024 free: No space left on device' small_disk --dim 2
  expect 1 '' '*small.st: needs 1360 bytes, and its disk has 1024 free: No space left on device' small_disk --dim 2 --objective distances
  expect 0 '' '' small_disk --dim 2 --precision float --epochs 3 --negatives 5
fi

# SIGTERM and SIGHUP save, as Ctrl-C does.
for signal in TERM:143 HUP:129 INT:130; do
  rm -f stopped.st
  "$GEODISK" train tree.tsv -o stopped.st --dim 2 --epochs 1000000 --negatives 5 --quiet --checkpoint-every 1 2>stopped.txt &
  pid=$!
  while [ ! -s stopped.st ]; do sleep 0.05; done
  kill -"${signal%:*}" $pid
  wait $pid
  expect 0 "${signal#*:}" '' echo $?
  expect 0 '1' '' grep -c 'interrupted after epoch [0-9]*; continue with --resume stopped.st' stopped.txt
done

# So does whoever still waits for the rest of its input.
rm -f slow
mkfifo slow
for command in 'train slow -o slow.st --dim 2' 'query slow 1' 'eval slow tree.tsv' 'graph info slow' 'barycenter slow'; do
  rm -f opened
  { printf '1 0.1\n' && touch opened && sleep 20; } >slow &
  slow=$!
  # shellcheck disable=SC2086 # words
  "$GEODISK" $command 2>slow.txt &
  pid=$!
  while [ ! -e opened ]; do sleep 0.05; done
  sleep 0.2
  kill -TERM $pid
  wait $pid
  expect 0 143 '' echo $?
  expect 0 0 '' sh -c 'grep -c error slow.txt; true'
  pkill -P $slow
done

# And whoever makes a graph that is too large to wait for.
for kind in 'tree --branching 1 --depth 400000000' 'recursive --nodes 400000000' 'grid --rows 20000 --columns 20000'; do
  # shellcheck disable=SC2086 # words
  "$GEODISK" graph generate $kind --quiet -o huge.tsv 2>huge.txt &
  pid=$!
  sleep 0.3
  kill -TERM $pid
  wait $pid
  expect 0 143 '' echo $?
done
expect 1 '' '' test -e huge.tsv

# So does a measurement, which is another process's, with the files it has made; and a step that is as long as a task.
rm -rf temporary
mkdir temporary
for topic in graph 'graphs lesmis karate' train eval; do
  # shellcheck disable=SC2086 # words
  TMPDIR=$PWD/temporary "$GEODISK" bench $topic >bench.txt 2>&1 &
  pid=$!
  sleep 0.7
  kill -TERM $pid
  wait $pid
  expect 0 "143 $topic" '' echo "$? $topic"
  expect 1 '' '' pgrep -f "$GEODISK bench $topic\$"
done
expect 0 '' '' find temporary -type f
"$GEODISK" barycenter points.txt --method sgd --batch 4000000000 --quiet 2>batch.txt &
pid=$!
sleep 0.3
kill -TERM $pid
wait $pid
expect 0 143 '' echo $?

# The log after a resume: each epoch once, also if the process was killed after its last checkpoint; no inf in it.
expect 0 '' '' t tree.tsv -o log.st --dim 2 --epochs 4 --negatives 5 --lr-schedule constant --log log.jsonl
printf '{"epoch":5,"lr":2}\n{"epoch":6,"l' >>log.jsonl
expect 0 '' '' t tree.tsv -o log.st --dim 2 --epochs 6 --negatives 5 --lr-schedule constant --resume log.st --log log.jsonl
expect 0 '123456' '' sh -c "sed 's/{\"epoch\":\\([0-9]*\\),.*}/\\1/' log.jsonl | tr -d '\n'"
expect 1 '' '*tree.tsv.copy: is not a log of geodisk train*' sh -c 'cp tree.tsv tree.tsv.copy; "$GEODISK" train tree.tsv -o log.st --dim 2 --epochs 7 --negatives 5 --lr-schedule constant --resume log.st --log tree.tsv.copy --quiet'
expect 0 '' '*log.st has had 6 epochs already; --epochs 5 adds none*' sh -c '"$GEODISK" train tree.tsv -o log.st --dim 2 --epochs 5 --negatives 5 --lr-schedule constant --resume log.st >/dev/null'

# A log that can no longer be written ends the training, and what was trained is kept.
expect 1 '' '*/dev/full: cannot write: No space left on device; training stopped; continue with --resume unlogged.st' t tree.tsv -o unlogged.st --dim 2 --epochs 3 --negatives 5 --log /dev/full
expect 0 '' '' t tree.tsv -o unlogged.st --dim 2 --epochs 3 --negatives 5 --resume unlogged.st
expect 0 '' '' cmp unlogged.st tree.st

# Four that write the same file at once: none takes what another is just putting in place for something left behind.
at_once() {
  for seed in 1 2 3 4; do
    "$GEODISK" train tree.tsv -o same.st --dim 2 --epochs 60 --negatives 1 --checkpoint-every 1 --quiet --seed $seed &
    writers="${writers-} $!"
  done
  for writer in $writers; do wait "$writer" || return; done
}
expect 0 '' '' at_once
expect 0 '*' '' g query same.st 1 --quiet
expect 0 '' '' find . -maxdepth 1 -name '.geodisk-*.tmp'

# A model to start from that lies in another ball.
printf '0\t0.5\t0\n1\t0\t1.5\n' >wide.tsv
expect 0 '' '*' g convert wide.tsv -o wide.safetensors --radius 2 --curvature 3
expect 1 '' '*wide.safetensors: its ball has radius 2 and curvature -3, and radius 1 and curvature -1 are asked for' t tree.tsv -o x.st --dim 2 --init wide.safetensors
expect 1 '' '*tree.st: its dim is 2, and 3 is asked for' t tree.tsv -o x.st --dim 3 --init tree.st
expect 1 '' '*tree.st: its space is hyperbolic, and euclidean is asked for' t tree.tsv -o x.st --dim 2 --space euclidean --init tree.st

# Names with tabs and line ends stay in their row; backslashes are doubled, so that they can be told apart.
printf '"a\tb",c\n"new\nline",c\nback\\slash,c\n' >odd.csv
expect 0 '' '' t odd.csv -o odd.st --dim 2 --epochs 2 --negatives 1
expect 0 '3 2' '' sh -c '"$GEODISK" query odd.st c --quiet | awk -F "\t" "{ fields = NF } END { print NR, fields }"'
expect 0 'a\tb back\\slash new\nline' '' sh -c '"$GEODISK" query odd.st c --quiet | cut -f 1 | sort | paste -sd " "'
expect 0 '3 5' '' sh -c '"$GEODISK" eval odd.st odd.csv --tasks reconstruction --per-node nodes.tsv --quiet >/dev/null; awk -F "\t" "NR > 1 { n++; bad += NF != 4 } END { print n, 5 - bad }" nodes.tsv'
printf '"x\ty",c\n' >newer.csv
expect 0 '3 4' '' sh -c '"$GEODISK" place odd.st newer.csv -o odd2.st --parents 3 --quiet | awk -F "\t" "{ fields = NF } END { print NR, fields }"'

# What comes from a file never steers the terminal.
raw() { "$@" 2>&1 | grep -c "$escape"; }
evil=$(printf 'evil\033[31m\233name')
printf '%s,b\nb,%s\n' "$evil" "$evil" >cycle.csv
expect 1 0 '' raw "$GEODISK" graph check cycle.csv --no-delta
expect 1 0 '' raw "$GEODISK" query points.txt "$evil"
expect 1 0 '' raw "$GEODISK" train "$evil.tsv" -o x.st
expect 1 0 '' raw "$GEODISK" eval points.txt cycle.csv
expect 1 0 '' raw "$GEODISK" graph "$evil"
expect 1 0 '' raw "$GEODISK" train tree.tsv -o x.st "--$evil"
expect 1 '' '*no node '\''evil\\x1b\[31m*' g query points.txt "$evil"
expect 1 0 '' raw "$GEODISK" train tree.tsv -o "$evil.st" --dim 2 --epochs 1 --negatives 5
expect 1 0 '' raw "$GEODISK" train tree.tsv -o "$evil.st" --dim 2 --epochs 0 --objective distances
turned=$(printf 'turned\342\200\256name') # U+202E, which turns the direction of what follows
printf '%s\t1\n' "$turned" >turned.tsv
turned() { "$GEODISK" place tree.st turned.tsv -o turned.st --quiet >placed.txt && "$GEODISK" query turned.st --norm --json "$turned" | cut -d , -f 1; }
expect 0 '{"node": "turned\u202ename"' '' turned

# What XML cannot have is refused by name, and nothing is written.
printf 'no\357\277\276xml,b\nno\013xml,b\n' >noxml.csv
for end in graphml gexf; do
  head -n 1 noxml.csv >nonchar.csv
  expect 1 '' '*no?*xml*U+FFFE or U+FFFF, which XML has not' "$GEODISK" graph convert nonchar.csv -o noxml.$end
  expect 1 '' '*no\\x0bxml*a control character*' sh -c 'tail -n 1 noxml.csv | "$GEODISK" graph convert - -o noxml.'$end
  expect 1 '' '' test -e noxml.$end
done

# JSON is JSON, whatever the bytes of a name.
json() { "$@" 2>/dev/null | /usr/bin/python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin.buffer.read().decode().splitlines()]; print("fine")'; }
expect 0 'fine' '' json sh -c 'printf "b\377d\nc\302\033\n" | "$GEODISK" query points.txt --quiet'
expect 0 'fine' '' json "$GEODISK" train tree.tsv --dim 2 --epochs 1 --json --quiet -o "$(printf 'bad\377.st')"
expect 0 'fine' '' json "$GEODISK" graph check cycle.csv --no-delta --json --quiet

# What never ends, or grows without end, is refused before the memory is full.
small() { sh -c 'ulimit -v 4000000; exec timeout 60 "$@"' sh "$@"; }
expect 1 '' '*/dev/zero*' small "$GEODISK" query /dev/zero x
expect 1 '' '*/dev/zero: not a model file*' small "$GEODISK" train tree.tsv -o x.st --resume /dev/zero --dim 2
expect 1 '' '*/dev/zero: a NUL byte*' small "$GEODISK" barycenter /dev/zero
expect 1 '' '*standard input: a line is longer than*' sh -c 'timeout 60 "$GEODISK" query points.txt --quiet </dev/zero'
expect 1 '' '*' small "$GEODISK" graph info /dev/zero
expect 1 '' '*/dev/zero: row 1: a line is longer than*' small "$GEODISK" geometry distance --at 0.1 /dev/zero
expect 1 '*' '*/dev/zero: line 1 is longer than*' small "$GEODISK" eval tree.st --lexical /dev/zero --quiet
expect 1 '' '*/dev/zero: is not a log of geodisk train*' small "$GEODISK" train tree.tsv -o log.st --dim 2 --epochs 4 --negatives 5 --resume tree.st --log /dev/zero --quiet
endless_model() { { cat tree.st; cat /dev/zero; } | small "$GEODISK" query - 1 --quiet; }
expect 1 '' '*standard input: *bytes after the last tensor*' endless_model
from_pipe() { cat tree.st | "$GEODISK" convert - -o - --to model --quiet | cmp - tree.st; }
expect 0 '' '' from_pipe
if "$GEODISK" --version | grep -q 'features: zlib'; then
  bomb() { yes 'a b' | head -c 80000000 | gzip -1 >bomb.gz; small "$GEODISK" graph info bomb.gz --quiet; }
  expect 1 '' '*bomb.gz: grows to more than 200 times its size*' bomb
  rm -f bomb.gz
fi
expect 1 '' '*standard input: line 101: more than 100 edges, the limit' sh -c 'yes "a b" | "$GEODISK" graph info - --max-edges 100'
expect 1 '' '*closure: it has more than 100 edges, the limit' t tree.tsv -o x.st --closure --max-edges 100
expect 0 '*' '' g graph info tree.tsv --max-edges 0 --quiet

# A model that another program cuts short while it is mapped. (The first answer says that it is.)
cut_short() {
  rm -f names answers.txt
  mkfifo names
  cp tree.st cut.st
  timeout -s KILL 60 "$GEODISK" query cut.st --quiet <names >answers.txt &
  pid=$!
  exec 3>names
  i=0
  while [ ! -s answers.txt ] && [ $i -lt 1000 ]; do # until its buffer is full, which a hundred answers do; it has to begin first
    echo 5 >&3
    [ $i -lt 100 ] || sleep 0.05
    i=$((i + 1))
  done
  : >cut.st
  echo 6 >&3
  exec 3>&-
  wait $pid
}
expect 1 '' '*geodisk: error: a file was cut short by another program while it was being read' cut_short

# Numbers at the end of their range: no answer is better than none that ends, or is no JSON.
awk 'BEGIN { for (n = 0; n < 12; n++) printf "%d,%de200,1e200\n", n, n % 5 * (n % 2 ? 1 : -1) }' >far.csv
awk 'BEGIN { for (n = 1; n < 12; n++) print n "\t" int((n - 1) / 2) }' >far.tsv
entailment() { timeout -s KILL 20 "$GEODISK" eval far.csv far.tsv --space euclidean --tasks entailment --quiet; }
expect 1 '*' '*entailment: points so far apart that their distance is not finite' entailment
printf 'a b 1e308\nb c 1e308\n' >long.tsv
expect 0 'fine' '' json "$GEODISK" graph distances long.tsv --weighted --json
awk 'BEGIN { print "n0\t3"; for (n = 1; n < 3000; n++) print "n" n "\tn" n - 1 }' >chain.tsv # as deep as a ball of double is, and deeper
expect 1 '' "*place: 'n[0-9]*': *not finite" g place tree.st chain.tsv -o chain.st --quiet

# What is asked for in several files has names, and is named.
expect 2 '' '*-o takes how the names of the files begin*' g graph split tree.tsv -o -
expect 2 '' '*-o PREFIX is missing*' g graph split tree.tsv -o ''
expect 1 '*' '*new.tsv: 1 of the graph*' g eval tree.st tree.tsv --tasks entailment --validation new.tsv --quiet

finish

# Ranks that die, are stopped, or are told to stop: the job ends within 10 s and says where to go on; what it then goes on to, on
# another number of ranks, is what it would have become.
. "$TESTS_DIR/mpi/ranks.sh"
[ -z "$CFLAGS" ] || skip 'sanitizers learn nothing from it that the other tests do not show'

# Nothing that depends on the number of epochs, so that a training may be ended anywhere.
set -- "$data/mammals.tsv" --negatives 20 --dim 3 --lr-schedule constant --lr 0.5 --core-epochs 0 --units edge --batch 2000 --quiet --threads 1

# begin ARGUMENT...: three ranks in the background that train for very long; returns when there is a checkpoint.
begin() {
  rm -f work.st
  "$MPIRUN" --oversubscribe -n 3 "$GEODISK" train "$@" -o work.st --epochs 1000000 --checkpoint-every 7 </dev/null >out.txt 2>err.txt &
  job=$!
  for _ in $(seq 300); do
    [ ! -e work.st ] || break
    sleep 0.1
  done
  [ -e work.st ] || fail "no checkpoint: $(cat err.txt)"
  members=$(pgrep -P $job)
  [ "$(echo "$members" | wc -l)" = 3 ] || fail "not three ranks: $members"
}

# finish SECONDS: waits for the job, which must end in time; its exit code is in $code.
finish() {
  started=$(date +%s)
  code=0
  wait $job || code=$?
  [ $(($(date +%s) - started)) -le "$1" ] || fail "the job took more than $1 s to end"
  [ $code != 0 ] || fail 'the job ended well'
}

# resumed N argument...: from the checkpoint, 5 epochs more on N ranks, against a training that was never interrupted.
resumed() {
  n=$1
  shift
  epochs=$(tr -d '\\' <work.st | grep -ao '"position":"[0-9]*"' | head -n 1 | tr -dc 0-9)
  [ "$epochs" -ge 7 ] || fail "a checkpoint of epoch $epochs"
  "$GEODISK" train "$@" -o plain.st --epochs $((epochs + 5))
  ranks "$n" train "$@" -o work.st --resume work.st --epochs $((epochs + 5))
  cmp plain.st work.st || fail "resumed on $n ranks after epoch $epochs: other bytes"
}

# One rank is killed: not the first, then the first.
begin "$@"
kill -9 "$(echo "$members" | tail -n 1)"
finish 10
grep -q 'rank 2 .*signal 9' err.txt || fail "nobody names the rank: $(cat err.txt)"
[ "$(occurrences 'continue with --resume work.st' err.txt)" = 1 ] || fail "nobody names the checkpoint: $(cat err.txt)"
resumed 4 "$@"

begin "$@"
kill -9 "$(echo "$members" | head -n 1)"
finish 10
grep -q 'rank 0 .*signal 9' err.txt || fail "nobody names the rank: $(cat err.txt)"
[ "$(occurrences 'continue with --resume work.st' err.txt)" = 1 ] || fail "nobody names the checkpoint: $(cat err.txt)"
resumed 2 "$@"

# All at once, with mpirun.
begin "$@"
# shellcheck disable=SC2086 # a list of processes
kill -9 $members $job
finish 10
resumed 1 "$@"

# Asked to stop (mpirun hands the signal on): the epoch is finished and saved.
begin "$@"
kill -USR1 $job
finish 10
[ $code = 130 ] || fail "exit code $code instead of 130"
[ "$(occurrences 'interrupted after epoch' err.txt)" = 1 ] || fail "not said once: $(cat err.txt)"
resumed 3 "$@"

# Ctrl-C at mpirun: it ends the ranks a second later, which is enough for epochs as short as these.
begin "$@"
kill -INT $job
finish 10
[ "$(occurrences 'told to end' err.txt)" = 1 ] || fail "not said once: $(cat err.txt)"
resumed 2 "$@"

# A rank that sleeps for 2 s delays the others, no more.
rm -f log.jsonl
"$GEODISK" train "$@" -o plain.st --epochs 400
"$MPIRUN" --oversubscribe -n 3 "$GEODISK" train "$@" -o work.st --epochs 400 --log log.jsonl </dev/null >out.txt 2>err.txt &
job=$!
for _ in $(seq 300); do
  [ ! -s log.jsonl ] || break
  sleep 0.1
done
sleeper=$(pgrep -P $job | tail -n 1)
kill -STOP "$sleeper"
before=$(wc -l <log.jsonl)
[ "$before" -lt 390 ] || fail 'the training was over before the rank could be stopped'
sleep 2
[ $(($(wc -l <log.jsonl) - before)) -le 2 ] || fail 'the others went on without it'
kill -CONT "$sleeper"
wait $job || fail "the job failed: $(cat err.txt)"
cmp plain.st work.st || fail 'other bytes after a rank slept'

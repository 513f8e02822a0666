# geodisk train: the same file on any number of threads and across an interruption, errors before and during training.
. "$TESTS_DIR/cli/expect.sh"

# A tree of 341 nodes, closed: node n has the children 4n+1 .. 4n+4.
awk 'BEGIN { for (n = 1; n < 341; n++) for (a = int((n - 1) / 4); ; a = int((a - 1) / 4)) { print n "\t" a; if (a == 0) break } }' >tree.tsv

t() { "$GEODISK" train "$@" --quiet; }
same() { cmp "$1" "$2"; }

expect 0 '' '' t tree.tsv -o one.st --dim 3 --epochs 6 --negatives 10 --threads 1
for threads in 2 3 8; do
  expect 0 '' '' t tree.tsv -o many.st --dim 3 --epochs 6 --negatives 10 --threads $threads
  expect 0 '' '' same one.st many.st
done

# A run that stops half-way and goes on ends with the same bytes.
expect 0 '' '' t tree.tsv -o long.st --dim 3 --epochs 6 --lr-schedule constant --negatives 10
expect 0 '' '' t tree.tsv -o half.st --dim 3 --epochs 3 --lr-schedule constant --negatives 10 --log log.jsonl
expect 0 '' '' t tree.tsv -o half.st --dim 3 --epochs 6 --lr-schedule constant --negatives 10 --resume half.st --log log.jsonl
expect 0 '' '' same long.st half.st
expect 0 '6' '' awk '/^{"epoch":[1-6],"lr":2,"loss":/ { n++ } END { print n }' log.jsonl

# Left to itself it ends when the loss has converged, and says so; interrupted and resumed, with the same bytes.
says() { pattern=$1; shift; "$@" | grep -c "$pattern"; }
expect 0 1 '*' says 'held-out sample has converged' "$GEODISK" train tree.tsv -o auto.st --dim 3 --negatives 10 --threads 1 --log auto.jsonl
expect 0 '' '' t tree.tsv -o auto2.st --dim 3 --negatives 10 --threads 2 --epochs auto
expect 0 '' '' same auto.st auto2.st
expect 0 '1' '' awk '/"held_out":/ { n++ } END { print (n > 19 && n == NR) }' auto.jsonl

# Mean rank and MAP on the way are those of `geodisk eval`.
expect 0 1 '*epoch 6: mean rank*' says 'model watched.st' "$GEODISK" train tree.tsv -o watched.st --dim 3 --epochs 6 --negatives 10 --eval-every 3 --log watched.jsonl
expect 0 '2' '' grep -c '"map":' watched.jsonl
expect 0 '' '' same one.st watched.st
logged=$(sed -n '6s/.*"map":\([0-9.]*\).*/\1/p' watched.jsonl)
expect 0 1 '' says "\"map\": $logged," "$GEODISK" eval watched.st tree.tsv --json --quiet

# Ctrl-C: the epoch is finished, the model saved, exit code 130; going on gives the bytes of an uninterrupted run.
rm -f stopped.st
"$GEODISK" train tree.tsv -o stopped.st --dim 3 --epochs 4000 --lr-schedule constant --negatives 10 --quiet --checkpoint-every 1 2>stopped.txt &
pid=$!
while [ ! -s stopped.st ]; do sleep 0.05; done
kill -INT $pid
wait $pid
expect 0 '130' '' echo $?
expect 0 '1' '' grep -c 'interrupted after epoch [0-9]*; continue with --resume stopped.st' stopped.txt
done_epochs=$(sed 's/.*after epoch \([0-9]*\).*/\1/' stopped.txt)
expect 0 '' '' t tree.tsv -o whole.st --dim 3 --epochs "$((done_epochs + 2))" --lr-schedule constant --negatives 10
expect 0 '' '' t tree.tsv -o stopped.st --dim 3 --epochs "$((done_epochs + 2))" --lr-schedule constant --negatives 10 --resume stopped.st
expect 0 '' '' same whole.st stopped.st

# Epochs of the core come first and can be cut short too.
expect 0 '' '' t tree.tsv -o whole.st --dim 3 --core-epochs 6 --epochs 3 --negatives 10 --log core.jsonl
expect 0 '9' '' grep -c . core.jsonl
expect 0 '2' '' sh -c "tr ',' '\n' <core.jsonl | grep '\"edges\":' | sort -u | wc -l"
expect 0 '' '' t tree.tsv -o saved.st --dim 3 --core-epochs 6 --epochs 3 --negatives 10 --checkpoint-every 2
expect 0 '' '' same whole.st saved.st
expect 0 '' '' t tree.tsv -o five.st --recipe nouns --dim 5 --core-epochs 3 --epochs 1 --negatives 10
expect 0 '' '' t tree.tsv -o x.st --recipe nouns --dim 5 --epochs 1 --negatives 10 --init five.st
expect 1 '' '*core epochs arrange points anew*' t tree.tsv -o x.st --dim 3 --core-epochs 2 --epochs 2 --init whole.st

# Other options or another graph are refused by name.
expect 1 '' '*trained with other options: dim was 3, now 4*' t tree.tsv -o x.st --dim 4 --epochs 6 --lr-schedule constant --negatives 10 --resume long.st
head -n 500 tree.tsv >part.tsv
expect 1 '' '*its graph is another one*' t part.tsv -o x.st --dim 3 --epochs 6 --lr-schedule constant --negatives 10 --resume long.st

# JSON for machines.
json=$("$GEODISK" train tree.tsv -o x.st --dim 2 --epochs 2 --negatives 10 --json --quiet)
case $json in
'{"epochs":2,"edges_per_second":'*',"loss":'*',"seconds":'*',"stopped_because":"epochs","model":"x.st"}') ;;
*) complain "JSON is $json" train --json ;;
esac

# Errors.
expect 2 '' '*say where the model goes: -o FILE*' "$GEODISK" train tree.tsv
expect 1 '' '*missing/x.st*' t tree.tsv -o missing/x.st
expect 1 '' '*nothing.tsv*' t nothing.tsv -o x.st
expect 2 '' '*--epochs takes a whole number from 1 up or "auto", not "many"*' t tree.tsv -o x.st --epochs many
expect 2 '' '*--negatives takes a whole number from 1 up or "all", not "0"*' t tree.tsv -o x.st --negatives 0
expect 2 '' '*--dim*' t tree.tsv -o x.st --dim 0
expect 2 '' '*--lr*' t tree.tsv -o x.st --lr nan
expect 2 '' '*--recipe takes nouns*' t tree.tsv -o x.st --recipe soup
expect 1 '' '*sharpness must be 1, 2, 4, 8 or 16, not 3*' t tree.tsv -o x.st --sharpness 3
expect 1 '' '*complement*sharpness 1, not 2*' t tree.tsv -o x.st --sharpness 2 --loss complement
printf 'a\ta\n' >loop.tsv
expect 1 '' '*the graph has 1 node;*' t loop.tsv -o x.st
printf 'a\ta\nb\tb\n' >loops.tsv
expect 1 '' '*the graph has no edges*' t loops.tsv -o x.st
finish

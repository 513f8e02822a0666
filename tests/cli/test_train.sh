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

# More epochs later end with the same bytes, where the schedule does not depend on their number.
expect 0 '' '' t tree.tsv -o long.st --dim 3 --epochs 6 --core-epochs 0 --units edge --lr-schedule constant --negatives 10
expect 0 '' '' t tree.tsv -o half.st --dim 3 --epochs 3 --core-epochs 0 --units edge --lr-schedule constant --negatives 10 --log log.jsonl
expect 0 '' '' t tree.tsv -o half.st --dim 3 --epochs 6 --core-epochs 0 --units edge --lr-schedule constant --negatives 10 --resume half.st --log log.jsonl
expect 0 '' '' same long.st half.st
expect 0 '6' '' awk '/^{"epoch":[1-6],"lr":0.3,"loss":[^,]*,"sample":/ { n++ } END { print n }' log.jsonl

# The plain loop and the kernels give the same file.
GEODISK_ISA=ref
export GEODISK_ISA
expect 0 '' '' t tree.tsv -o many.st --dim 3 --epochs 6 --negatives 10 --threads 2
unset GEODISK_ISA
expect 0 '' '' same one.st many.st

# Left to itself it chooses how long to train, and says how good it has become.
says() { pattern=$1; shift; "$@" | grep -c "$pattern"; }
expect 0 1 '*' says 'mean rank 1.[0-9]*, MAP 0.9[0-9]*$' "$GEODISK" train tree.tsv -o auto.st --dim 3 --negatives 10 --threads 1 --log auto.jsonl
expect 0 '' '' t tree.tsv -o auto2.st --dim 3 --negatives 10 --threads 2 --epochs auto --core-epochs auto
expect 0 '' '' same auto.st auto2.st
expect 0 '1' '' awk '/"sample":/ { n++ } END { print (n > 19) }' auto.jsonl
expect 0 '' '' t tree.tsv -o auto2.st --dim 3 --negatives 10 --threads 2 --recipe auto
expect 0 '' '' same auto.st auto2.st

# A network is tried: the same choice on any number of threads, said in a line, kept in the model; what is given is not chosen.
"$GEODISK" graph generate grid --rows 6 --columns 6 --undirected -o grid.tsv --quiet
expect 0 1 '*a network without hubs: sharpness *, random placement, the best of * trial*' says 'mean rank 1.*, MAP' "$GEODISK" train grid.tsv -o grid1.st --dim 3 --threads 1
expect 0 '' '' t grid.tsv -o grid2.st --dim 3 --threads 3
expect 0 '' '' same grid1.st grid2.st
expect 0 '1' '' grep -ac '"choice":"a network without hubs: ' grid1.st
expect 0 1 '*a network without hubs: sharpness 5, rate 0.2*' says 'MAP' "$GEODISK" train grid.tsv -o x.st --dim 3 --sharpness 5 --lr 0.2

# Ctrl-C while it is tried: the best so far is saved, and can be trained.
"$GEODISK" graph generate barabasi-albert --nodes 3000 --attach 3 --undirected -o hubs.tsv --quiet
"$GEODISK" train hubs.tsv -o tried.st --dim 3 2>tried.txt &
pid=$!
sleep 1
kill -INT $pid
wait $pid
expect 0 '130' '' echo $?
expect 0 '1' '' grep -ac 'interrupted while choosing; train the best so far with --resume tried.st' tried.txt
expect 0 '' '' t hubs.tsv -o tried.st --dim 3 --resume tried.st --epochs 2
expect 0 '1' '' grep -ac '"choice":"a network with hubs: ' tried.st

# Mean rank and MAP on the way are those of `geodisk eval`.
expect 0 1 '*epoch 6: mean rank*' says 'model watched.st' "$GEODISK" train tree.tsv -o watched.st --dim 3 --epochs 6 --negatives 10 --core-epochs 0 --eval-every 3 --log watched.jsonl
expect 0 '2' '' grep -c '"map":' watched.jsonl
expect 0 '' '' t tree.tsv -o one.st --dim 3 --epochs 6 --negatives 10 --core-epochs 0
expect 0 '' '' same one.st watched.st
logged=$(sed -n '6s/.*"map":\([0-9.]*\).*/\1/p' watched.jsonl)
expect 0 1 '' says "\"map\": $logged," "$GEODISK" eval watched.st tree.tsv --json --quiet

# Ctrl-C: the epoch is finished, the model saved, exit code 130; going on gives the bytes of an uninterrupted run.
rm -f stopped.st
"$GEODISK" train tree.tsv -o stopped.st --dim 3 --epochs 4000 --core-epochs 0 --units edge --lr-schedule constant --negatives 10 --quiet --checkpoint-every 1 2>stopped.txt &
pid=$!
while [ ! -s stopped.st ]; do sleep 0.05; done
kill -INT $pid
wait $pid
expect 0 '130' '' echo $?
expect 0 '1' '' grep -c 'interrupted after epoch [0-9]*; continue with --resume stopped.st' stopped.txt
done_epochs=$(sed 's/.*after epoch \([0-9]*\).*/\1/' stopped.txt)
expect 0 '' '' t tree.tsv -o whole.st --dim 3 --epochs "$((done_epochs + 2))" --core-epochs 0 --units edge --lr-schedule constant --negatives 10
expect 0 '' '' t tree.tsv -o stopped.st --dim 3 --epochs "$((done_epochs + 2))" --core-epochs 0 --units edge --lr-schedule constant --negatives 10 --resume stopped.st
expect 0 '' '' same whole.st stopped.st

# Epochs of the core come first and can be cut short too.
expect 0 '' '' t tree.tsv -o whole.st --dim 3 --core-epochs 6 --epochs 3 --negatives 10 --log core.jsonl
expect 0 '9' '' grep -c . core.jsonl
expect 0 '2' '' sh -c "tr ',' '\n' <core.jsonl | grep '\"edges\":' | sort -u | wc -l"
expect 0 '' '' t tree.tsv -o saved.st --dim 3 --core-epochs 6 --epochs 3 --negatives 10 --checkpoint-every 2
expect 0 '' '' same whole.st saved.st
expect 0 '' '' t tree.tsv -o five.st --dim 5 --core-epochs 3 --epochs 1 --negatives 10
expect 0 '' '' t tree.tsv -o x.st --dim 5 --epochs 1 --negatives 10 --init five.st
expect 1 '' '*core epochs arrange points anew*' t tree.tsv -o x.st --dim 3 --core-epochs 2 --epochs 2 --init whole.st

# Other options or another graph are refused by name.
expect 1 '' '*trained with other options: dim was 3, now 4*' t tree.tsv -o x.st --dim 4 --epochs 6 --core-epochs 0 --units edge --lr-schedule constant --negatives 10 --resume long.st
head -n 500 tree.tsv >part.tsv
expect 1 '' '*its graph is another one*' t part.tsv -o x.st --dim 3 --epochs 6 --core-epochs 0 --units edge --lr-schedule constant --negatives 10 --resume long.st

# JSON for machines.
json=$("$GEODISK" train tree.tsv -o x.st --dim 2 --epochs 2 --negatives 10 --json --quiet)
case $json in
'{"epochs":2,"edges_per_second":'*',"loss":'*',"seconds":'*',"stopped_because":"epochs","model":"x.st","mean_rank":'*',"map":0.'*',"nodes_judged":340,"choice":"a closed hierarchy: sharpness 4, rate 1, tree placement","trials":0}') ;;
*) complain "JSON is $json" train --json ;;
esac

# Errors.
expect 2 '' '*say where the model goes: -o FILE*' "$GEODISK" train tree.tsv
expect 1 '' '*missing/x.st*' t tree.tsv -o missing/x.st
expect 1 '' '*nothing.tsv*' t nothing.tsv -o x.st
expect 2 '' '*--epochs takes a whole number or "auto", not "many"*' t tree.tsv -o x.st --epochs many
expect 2 '' '*--negatives takes a whole number from 1 up or "all", not "0"*' t tree.tsv -o x.st --negatives 0
expect 2 '' '*--dim*' t tree.tsv -o x.st --dim 0
expect 2 '' '*--lr*' t tree.tsv -o x.st --lr nan
expect 2 '' '*there is no recipe "soup"; there are auto, paper, gensim, entailment and link-prediction*' t tree.tsv -o x.st --recipe soup
expect 2 '' '*--sharpness*0.0625*64*' t tree.tsv -o x.st --sharpness 65
expect 2 '' '*--batch takes a whole number from 1 up or "all", not "none"*' t tree.tsv -o x.st --batch none
expect 2 '' '*--core-epochs takes a whole number or "auto", not "x"*' t tree.tsv -o x.st --core-epochs x
expect 2 '' '*--block*' t tree.tsv -o x.st --block 33
expect 2 '' '*--units*source*edge*' t tree.tsv -o x.st --units node

# What is gone names its successor.
expect 2 '' '*--variant*--units source*--units edge*' t tree.tsv -o x.st --variant grouped
expect 2 '' '*--async*--units edge*' t tree.tsv -o x.st --async
expect 2 '' '*--parts*--batch*' t tree.tsv -o x.st --parts 4
for recipe in nouns nouns-best mammals; do
  expect 2 '' "*the recipe \"$recipe\" is gone: training without a recipe does what it did*" t tree.tsv -o x.st --recipe $recipe
done

# The options of the loop, all at once and by kind.
expect 0 '' '' t tree.tsv -o x.st --dim 4 --epochs 2 --negatives 20 --sharpness 3.7 --sharpness-first 0.5 --block 8 --batch 64 --cap 0.5 --bound 0 --sparse 0 --nearby 0.4 --rise 0.2 --lr 0.5 --lr-first 0.1 --lr-last 0.01 --placement tree --core-epochs 0
expect 0 '' '' t tree.tsv -o y.st --dim 4 --epochs 2 --negatives 20 --resume x.st
expect 0 '' '' same x.st y.st
expect 0 '' '' t tree.tsv -o x.st --dim 2 --epochs 1 --units edge --batch 1 --cap 0 --negatives all
expect 0 '' '' t tree.tsv -o x.st --dim 2 --epochs 1 --batch all --sampling degree --power 0.75 --burn-in 1 --regularization 0.1
expect 0 '' '' t tree.tsv -o x.st --dim 2 --epochs 1 --space euclidean --loss complement --undirected
expect 0 '' '' t tree.tsv -o x.st --dim 2 --epochs 1 --recipe paper
expect 0 '' '' t tree.tsv -o x.st --dim 2 --epochs 1 --recipe gensim
printf 'a\ta\n' >loop.tsv
expect 1 '' '*the graph has 1 node;*' t loop.tsv -o x.st
printf 'a\ta\nb\tb\n' >loops.tsv
expect 1 '' '*the graph has no edges*' t loops.tsv -o x.st

# A tree constructed: exact without an epoch; what does not fit the precision is told.
printf 'b\ta\nc\ta\nd\ta\ne\tb\nf\tb\ng\tb\n' >small.tsv
expect 0 '' '' t small.tsv -o exact.st --dim 2 --placement construction --epochs 0 --undirected
expect 0 1 '' says '^map[^0-9]*1$' "$GEODISK" eval exact.st small.tsv --undirected
expect 0 '' '' "$GEODISK" graph generate barabasi-albert --nodes 3000 --attach 1 --seed 3 -q -o deep.tsv
expect 0 1 '*the construction of the tree needs a radius of 4* in 2 dimensions to be exact, more than double resolves: it has 37.0*' says 'model deep.st' "$GEODISK" train deep.tsv -o deep.st --dim 2 --placement construction --epochs 0 --undirected

# Weights are lengths: how well they are kept is told, as eval does.
printf 'b\ta\t1.5\nc\ta\t2\nd\tb\t0.7\ne\tb\t3\nf\te\t1\ng\tf\t2.5\n' >lengths.tsv
expect 0 '' '' t lengths.tsv -o lengths.st --dim 2 --placement construction --epochs 0 --undirected
kept=$("$GEODISK" eval lengths.st lengths.tsv --undirected --lengths --tasks distortion | awk '$1 == "distortion_scaled" { mean = $2 } $1 == "distortion_worst" { printf "%.4g on the mean, %.4g at worst", mean, $2 }')
expect 0 1 '*is exact*' says "lengths are kept up to a scale with a distortion of $kept" "$GEODISK" train lengths.tsv -o lengths.st --dim 2 --placement construction --epochs 0 --undirected --threads 1

# A long path with tufts is bent where it would not fit.
awk 'BEGIN { for (n = 1; n < 400; n++) { print n "\t" n - 1; for (l = 0; l < 3; l++) print n "l" l "\t" n } }' >long.tsv
expect 0 1 '*the construction of the tree is exact, with a radius of 7.*' says 'MAP 1.0000' "$GEODISK" train long.tsv -o long.st --dim 2 --placement construction --epochs 0 --undirected
expect 1 '' '*trees are constructed in hyperbolic space*' t small.tsv -o x.st --space euclidean --placement construction

# Distances: of a graph, of a square of numbers with names and without; what is none is told.
expect 0 1 '' says '^distortion 0.0[01].*begun from a tree, model kept.st$' "$GEODISK" train small.tsv -o kept.st --dim 2 --objective distances --epochs 100
expect 0 1 '' says '^distortion_scaled[^0-9]*0.0[01]' "$GEODISK" eval kept.st small.tsv --undirected
expect 0 '' '' t small.tsv -o kept2.st --dim 2 --objective distances --epochs 100 --threads 3
expect 0 '' '' same kept.st kept2.st
printf 'a,0,1,2,3\nb,1,0,1,2\nc,2,1,0,1\nd,3,2,1,0\n' >square.csv
cut -d, -f2- square.csv >bare.csv
for file in square bare; do
  expect 0 1 '*' says 'distortion 0.00' "$GEODISK" train --distances $file.csv -o x.st --dim 2 --epochs 100 --space euclidean
done
printf 'a,0,1\nb,2,0\n' >uneven.csv
expect 1 '' '*uneven.csv: row 1, number 2 (a to b): not the same both ways (1, and 2 the other way)*' t --distances uneven.csv -o x.st
printf 'a,0,1,2\nb,1,0,1\n' >oblong.csv
expect 1 '' '*oblong.csv: 2 rows of 3 numbers: distances are a square*' t --distances oblong.csv -o x.st
printf '0,1,1\n1,0,1\n1,1,0\n' >equal.csv # whose first column is no names: they would be the same
expect 0 1 '' says '^distortion 0.0.* over 3 pairs' "$GEODISK" train --distances equal.csv -o x.st --dim 2 --epochs 30
printf '0,1,1\nnan,0,1\n1,1,0\n' >spoilt.csv
expect 1 '' '*spoilt.csv: with a first column of names, 3 rows of 2 numbers, which is no square; without, *line 2: column 1 is not*' t --distances spoilt.csv -o x.st
piped() { cat "$1" | "$GEODISK" train --distances - -o x.st --dim 2 --epochs 5 --quiet; }
expect 0 '' '' piped square.csv
expect 1 '' '*standard input: *it must be a file, not a pipe' piped equal.csv
expect 2 '' '*say what to embed: GRAPH, or --distances FILE*' t -o x.st
expect 2 '' '*give one of them*' t small.tsv --distances square.csv -o x.st
for bad in 'a,0,-1 b,-1,0=row 1, number 2 (a to b): a distance below 0' 'a,0,1 b,1,2=row 2, number 2 (b to b): the distance of a node to itself is not 0' 'a,0,nan b,nan,0=line 1: column 3 is not a finite number'; do
  printf '%s\n' ${bad%%=*} >wrong.csv
  expect 1 '' "*wrong.csv*${bad#*=}*" t --distances wrong.csv -o x.st
done
for option in '--resume kept.st' '--checkpoint-every 2' '--log x.log' '--recipe paper' '--device cuda'; do
  expect 1 '' "*--objective distances does not take ${option%% *}*" t small.tsv --objective distances $option -o x.st
done
expect 0 1 '' says 'in flat space 0\.' "$GEODISK" train small.tsv -o x.st --dim 2 --objective distances --epochs 30
finish

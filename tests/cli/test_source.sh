# One way from the command line to a graph: every command that reads one has the same options, and does the same with them.
. "$TESTS_DIR/cli/expect.sh"

tab='	'
for command in train eval place plot view 'graph info' 'graph check' 'graph closure' 'graph reduce' 'graph undirected' \
  'graph subgraph' 'graph split' 'graph distances'; do
  # shellcheck disable=SC2086 # two words
  "$GEODISK" $command --help >help.txt
  for option in reverse closure undirected separator header weights strict no-quotes no-comments; do
    checks=$((checks + 1))
    [ "$(grep -c -- "^  --$option\b" help.txt)" = 1 ] || complain "--$option is missing, or there twice" "$command"
  done
done

# train reads what graph reads.
printf 'a;b;x\nc;d;y\n' >odd.csv
expect 0 '*' '*' "$GEODISK" train odd.csv -o odd.safetensors --header yes --separator semicolon --weights no --epochs 2 -q
expect 0 'nodes	2' '' sh -c '"$0" eval odd.safetensors odd.csv --header yes --weights no -q --tasks reconstruction | head -n 1' "$GEODISK"
printf 'dog mammal\ncat mammal\nmammal animal\nfish animal\n' >direct.txt
expect 0 '*' '' "$GEODISK" train direct.txt -o closed.safetensors --closure --epochs 3 -q
expect 0 '*' '' "$GEODISK" train direct.txt -o both.safetensors --undirected --epochs 3 -q
expect 0 '*' '' "$GEODISK" train direct.txt -o closed-both.safetensors --closure --undirected --epochs 3 -q
"$GEODISK" graph closure direct.txt -o closed.tsv -q
"$GEODISK" graph reduce direct.txt --closure --undirected >/dev/null 2>stderr.txt && complain 'a graph with cycles was reduced' reduce
expect 0 "nodes              5${newline}edges              6" '' sh -c '"$0" graph info direct.txt --closure | head -n 2' "$GEODISK"
expect 0 "nodes              5${newline}edges              12" '' \
  sh -c '"$0" graph info direct.txt --closure --undirected | head -n 2' "$GEODISK"
expect 0 '*' '' "$GEODISK" plot closed.safetensors direct.txt --closure -o closed.svg -q
expect 0 '*' '' "$GEODISK" plot both.safetensors direct.txt --undirected -o both.svg -q
expect 0 '*' '' "$GEODISK" view both.safetensors direct.txt --undirected -o both.html -q
printf 'mammal;wolf\n' >new.txt
expect 0 "wolf${tab}*" '' sh -c '"$0" place closed.safetensors new.txt --reverse --separator ";" -o more.safetensors --parents 1 -q |
  sed "s/\t.*/\t*/"' "$GEODISK"

finish

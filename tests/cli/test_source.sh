# One way from the command line to a graph: every command that reads one has the same options, and does the same with them.
. "$TESTS_DIR/cli/expect.sh"

tab='	'
for command in train eval place plot view 'graph info' 'graph check' 'graph closure' 'graph reduce' 'graph undirected' \
  'graph subgraph' 'graph split' 'graph distances'; do
  # shellcheck disable=SC2086 # two words
  "$GEODISK" $command --help >help.txt
  for option in reverse columns closure undirected separator header weights strict no-quotes no-comments; do
    checks=$((checks + 1))
    [ "$(grep -cE -- "^  --$option( |\$)" help.txt)" = 1 ] || complain "--$option is missing, or there twice" "$command"
  done
done

# A table of five columns, whichever command reads it.
printf 'name,manager,title,office,since\nAnn,Bob,Engineer,Rome,2020\nCid,Bob,Clerk,Oslo,2021\nBob,Eve,Head,Rome,2001\n' >staff.csv
said='geodisk: staff.csv: the first line is a header (name, manager); child from column 1, parent from column 2'
expect 0 "Ann${tab}Bob${newline}Bob${tab}Eve${newline}Cid${tab}Bob" "$said" "$GEODISK" graph reduce staff.csv --columns name,manager
expect 0 "Ann${tab}Bob${tab}2020${newline}Bob${tab}Eve${tab}2001${newline}Cid${tab}Bob${tab}2021" "$said; weight from column 5" \
  sh -c '"$0" graph subgraph staff.csv --below Eve --columns 1,2,since' "$GEODISK"
expect 0 '*' "$said${newline}a*: sharpness * placement" "$GEODISK" train staff.csv -o staff.safetensors --columns name,manager --epochs 2 --closure
expect 0 '*' '' "$GEODISK" eval staff.safetensors staff.csv --columns name,manager --closure -q
expect 0 '*' '' "$GEODISK" view staff.safetensors staff.csv --columns name,manager --closure -q -o staff.html
expect 1 '' "geodisk: error: staff.csv: line 1: there is no column 'boss' in the header (name, manager, title, office, since)" \
  "$GEODISK" train staff.csv -o no.safetensors --columns name,boss
expect 1 '' "geodisk: error: columns: 'name' is not CHILD,PARENT or CHILD,PARENT,WEIGHT" "$GEODISK" graph info staff.csv --columns name
expect 0 '*' '*warning: staff.csv: lines with a third field that is no number, ignored with what follows it: 3 (first at line 2)*' \
  "$GEODISK" graph info staff.csv

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

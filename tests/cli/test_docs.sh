# The documents say what the command prints: every ```console block of the documents named below is run again. In
# such a block "$ " starts a command, "> " continues it, and what follows is its whole output, messages included.
. "$TESTS_DIR/cli/expect.sh"

PATH=$(dirname "$GEODISK"):$PATH
rm -f ./*.command ./*.output
ln -sfn "$TESTS_DIR/../data" data

documents='math errata numerics graphs optimisation your-own-data'
[ -n "$CFLAGS" ] || documents="$documents pictures" # it trains: too slow under sanitizers
for document in $documents; do
  path=$TESTS_DIR/../docs/$document.md
  # One pair of files per command, named by the line it stands on.
  awk -v name="$document" '
    /^```/       { on = ($0 == "```console"); file = ""; next }
    !on          { next }
    /^\$ /       { file = sprintf("%s.%04d", name, NR); print substr($0, 3) > (file ".command"); printf "" > (file ".output"); next }
    /^> /        { print substr($0, 3) > (file ".command"); next }
    file == ""   { print name ".md:" NR ": output without a command" > "/dev/stderr"; exit 1 }
                 { print > (file ".output") }
  ' "$path" || complain 'malformed block' "$path"
  ls "$document".*.command >/dev/null 2>&1 || complain 'no console block' "$path"
done

for command in *.command; do
  line=${command%.command}
  checks=$((checks + 1))
  sh "$command" >"$line.actual" 2>&1
  if ! diff "$line.output" "$line.actual" >"$line.diff"; then
    complain "docs: < is what the document says, > what is printed$newline$(cat "$line.diff")" "$line: $(cat "$command")"
  fi
done

finish

# The README's C example, taken from the README itself, compiles without a warning against an installed copy and prints what the
# README says: the first ```c block and the ```text block that follows it. The same for its shell examples.
. "$TESTS_DIR/packaging/install.sh"
readme=$TESTS_DIR/../README.md
awk '/^```c$/ {on = 1; next} /^```/ {if (on) exit} on' "$readme" >example.c
awk '/^```c$/ {seen = 1} seen && /^```text$/ {on = 1; next} /^```$/ {if (on) exit} on' "$readme" >expected.txt
[ -s example.c ] && [ -s expected.txt ]
sed '1d' "$TESTS_DIR/../examples/embed_tree.c" | diff - example.c # it is the file that the README names
# shellcheck disable=SC2046,SC2086 # flags are words
$CC $CFLAGS -std=c17 -Wall -Wextra -Wpedantic -Werror example.c $(pkg-config --cflags --libs geodisk) -Wl,-rpath,"$LIBRARY_DIR" -o example
./example >actual.txt
diff expected.txt actual.txt

# Its shell examples: every "$ geodisk ..." line and what stands below it. Lines with a comment need files that are not there.
PATH=$PWD/prefix/bin:$PATH
awk '/^    \$ geodisk [^#]*$/ {print substr($0, 7)}' "$readme" >commands.sh
awk '/^    \$ geodisk [^#]*$/ {on = 1; next} /^    \$/ || !/^    / {on = 0} on {print substr($0, 5)}' "$readme" >expected-shell.txt
[ -s commands.sh ]
sh -e commands.sh >actual-shell.txt
diff expected-shell.txt actual-shell.txt
echo "the README's examples print what the README says"

# Its links lead somewhere, it begins with the shell, and it says when the loader needs help.
grep -o '](\([^)#]*\)' "$readme" | sed 's/](//' | sort -u >links.txt
[ "$(wc -l <links.txt)" -gt 15 ]
while read -r link; do
  case $link in
  http*) ;;
  *) [ -e "$TESTS_DIR/../$link" ] || { echo "README: $link is not there" && exit 1; } ;;
  esac
done <links.txt
for document in "$TESTS_DIR"/../docs/*.md; do
  grep -qx "docs/$(basename "$document")" links.txt || { echo "README: no link to $document" && exit 1; }
done
[ "$(sed -n 's/^## //p' "$readme" | head -n 1)" = 'From the shell' ]
grep -q 'ldconfig' "$readme" && grep -q 'LD_LIBRARY_PATH' "$readme"
echo "the README's links lead somewhere"

# `make` builds the command and the library, `make test` the rest.
make -n -C "$TESTS_DIR/.." all >make.txt
grep -q 'GEODISK_BUILD_TESTS=OFF.*GEODISK_BUILD_PYTHON=OFF' make.txt
make -n -C "$TESTS_DIR/.." test >make.txt
grep -q 'GEODISK_BUILD_TESTS=ON.*GEODISK_BUILD_PYTHON=ON' make.txt

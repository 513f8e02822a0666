# The README's C example, taken from the README itself, compiles without a warning against an installed copy and prints what the
# README says: the first ```c block and the ```text block that follows it. The same for its shell examples.
. "$TESTS_DIR/packaging/install.sh"
readme=$TESTS_DIR/../README.md
awk '/^```c$/ {on = 1; next} /^```/ {if (on) exit} on' "$readme" >example.c
awk '/^```c$/ {seen = 1} seen && /^```text$/ {on = 1; next} /^```$/ {if (on) exit} on' "$readme" >expected.txt
[ -s example.c ] && [ -s expected.txt ]
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

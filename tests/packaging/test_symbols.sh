# The shared library exports geodisk_* and nothing else, and carries its soname.
set -eu
symbols=$(nm -D --defined-only "$LIBRARY" | awk '{print $NF}')
strange=$(printf '%s\n' "$symbols" | grep -v '^geodisk_' || true)
[ -z "$strange" ] || { echo "exported, but not geodisk_*: $strange"; exit 1; }
printf '%s\n' "$symbols" | grep -qx geodisk_exp
readelf -d "$LIBRARY" | grep -q 'SONAME.*libgeodisk\.so\.0\]'

# What the library exports, the headers declare; and the other way round (the batches come with src/ball/batch.c; mpi.h belongs to another library).
printf '%s\n' "$symbols" | sort >exported.txt
find "$TESTS_DIR/../include/geodisk" -name '*.h' ! -name mpi.h -exec grep -hoE '^GEODISK_API .*\bgeodisk_[a-z0-9_]+\(' {} + | grep -oE 'geodisk_[a-z0-9_]+\($' | tr -d '(' |
  sort -u >declared.txt
comm -23 exported.txt declared.txt >undeclared.txt
comm -13 exported.txt declared.txt >undefined.txt
[ ! -s undeclared.txt ] || { echo "exported, but not declared: $(cat undeclared.txt)"; exit 1; }
if [ -e "$TESTS_DIR/../src/ball/batch.c" ]; then
  [ ! -s undefined.txt ] || { echo "declared, but not in the library: $(cat undefined.txt)"; exit 1; }
fi

echo "$(printf '%s\n' "$symbols" | wc -l) symbols, all geodisk_*"

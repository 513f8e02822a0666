# The shared library exports geodisk_* and nothing else, and carries its soname.
set -eu
symbols=$(nm -D --defined-only "$LIBRARY" | awk '{print $NF}')
strange=$(printf '%s\n' "$symbols" | grep -v '^geodisk_' || true)
[ -z "$strange" ] || { echo "exported, but not geodisk_*: $strange"; exit 1; }
printf '%s\n' "$symbols" | grep -qx geodisk_exp
readelf -d "$LIBRARY" | grep -q 'SONAME.*libgeodisk\.so\.0\]'

echo "$(printf '%s\n' "$symbols" | wc -l) symbols, all geodisk_*"

# The page's geometry (web/src/disk.ts, as bundled by web_rebuild) against the command's.
set -eu
[ -f web/geometry.mjs ] || {
  echo "skipped: web_rebuild has not made web/geometry.mjs"
  exit 77
}
node "$SOURCE_DIR/tests/web/geometry.mjs" "$PWD/web/geometry.mjs"

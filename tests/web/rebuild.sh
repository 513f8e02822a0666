# Rebuilds the viewer from web/ and its lock file in the working directory, and compares it with what is committed.
set -eu
command -v node >/dev/null && command -v npm >/dev/null || {
  echo "skipped: node and npm are not here"
  exit 77
}
rm -rf web
mkdir web
(cd "$SOURCE_DIR/web" && tar cf - --exclude=node_modules --exclude=dist .) | tar xf - -C web
cd web
if ! npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000 >npm.log 2>&1; then
  cat npm.log
  if grep -q -E 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|E40[0-9]|E50[0-9]|network' npm.log; then
    echo "skipped: the packages cannot be fetched"
    exit 77
  fi
  exit 1
fi
npm run --silent check
node build.mjs geometry.mjs
if grep -q '"resolved"' package-lock.json; then
  echo "package-lock.json names a registry: strip its \"resolved\" lines"
  exit 1
fi
cmp dist/viewer.html "$SOURCE_DIR/web/dist/viewer.html" || {
  echo "web/dist is not what web/src gives: run 'npm ci && npm run build' in web/ and commit the result"
  exit 1
}
echo "web/dist/viewer.html: the same $(wc -c <dist/viewer.html) bytes"

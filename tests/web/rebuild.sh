# Checks the types of web/src, bundles the viewer from it in the working directory, and compares it with what is committed. Debian's
# tsc and esbuild do that (node-typescript, esbuild). The bytes depend on esbuild's version: they are compared where it is the one that
# web/package.json names, which npm brings; where there is neither, the bundle only has to come to be, and web_geometry tests it.
set -eu
missing=''
for program in node tsc esbuild; do
  command -v $program >/dev/null || missing="$missing $program"
done
wanted=$(sed -n 's/.*"esbuild": "\(.*\)".*/\1/p' "$SOURCE_DIR/web/package.json")
rm -rf web
mkdir web
(cd "$SOURCE_DIR/web" && tar cf - --exclude=node_modules --exclude=dist .) | tar xf - -C web
cd web
if grep -q '"resolved"' package-lock.json; then
  echo "package-lock.json names a registry: strip its \"resolved\" lines"
  exit 1
fi

# With the packages of the lock file, if they can be fetched and Debian's would give other bytes.
from_npm() {
  command -v node >/dev/null && command -v npm >/dev/null || return 1
  [ -n "$missing" ] || [ "$(esbuild --version)" != "$wanted" ] || return 1
  npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000 >npm.log 2>&1
}
if from_npm; then
  npm run --silent check
  node build.mjs geometry.mjs
  version=$wanted
elif [ -z "$missing" ]; then
  tsc --noEmit -p .
  mkdir -p dist
  common='--bundle --target=es2021 --charset=utf8 --legal-comments=none'
  # shellcheck disable=SC2086 # words
  esbuild src/main.ts $common --minify --format=iife --outfile=dist/viewer.js --log-level=warning
  # shellcheck disable=SC2086
  esbuild src/disk.ts $common --format=esm --outfile=geometry.mjs --log-level=warning
  version=$(esbuild --version)
  echo "bundled by Debian's esbuild $version: $(wc -c <dist/viewer.js) bytes of script"
else
  echo "skipped: not here:$missing (Debian: nodejs, node-typescript, esbuild), and npm cannot bring them"
  exit 77
fi
if [ "$version" != "$wanted" ] || [ ! -f dist/viewer.html ]; then
  echo "web/dist is made with esbuild $wanted and was not compared"
  exit 0
fi
cmp dist/viewer.html "$SOURCE_DIR/web/dist/viewer.html" || {
  echo "web/dist is not what web/src gives: run 'npm ci && npm run build' in web/ and commit the result"
  exit 1
}
echo "web/dist/viewer.html: the same $(wc -c <dist/viewer.html) bytes"

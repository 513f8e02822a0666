# Checks the types of web/src, bundles the viewer from it in the working directory, and compares it with what is committed, by Debian's tsc
# and esbuild (node-typescript, esbuild). The bytes depend on esbuild's version: they are compared where it is Debian 12's; elsewhere the
# bundle only has to come to be, and web_geometry tests it.
set -eu
for program in node:nodejs tsc:node-typescript esbuild:esbuild; do
  command -v "${program%:*}" >/dev/null || {
    echo "skipped: ${program%:*} is not here (Debian: ${program#*:})"
    exit 77
  }
done
rm -rf web
mkdir web
(cd "$SOURCE_DIR/web" && tar cf - --exclude=dist .) | tar xf - -C web
cd web
tsc --noEmit -p .
node build.mjs geometry.mjs
version=$(esbuild --version)
if [ "$version" != 0.17.0 ]; then
  echo "web/dist is made with esbuild 0.17.0, this is $version: not compared"
  exit 0
fi
cmp dist/viewer.html "$SOURCE_DIR/web/dist/viewer.html" || {
  echo "web/dist is not what web/src gives: run 'node build.mjs' in web/ and commit the result"
  exit 1
}
echo "web/dist/viewer.html: the same $(wc -c <dist/viewer.html) bytes"

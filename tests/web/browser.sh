# The page in Chromium, driven by playwright-core (web_rebuild brings it). Screenshots lie in shots/ in the working directory.
set -eu
[ -d web/node_modules/playwright-core ] || {
  echo "skipped: playwright-core is not here"
  exit 77
}
chromium=$(command -v chromium || command -v chromium-browser || true)
[ -n "$chromium" ] || {
  echo "skipped: chromium is not here"
  exit 77
}
rm -rf shots
mkdir -p shots
"$GEODISK" train "$SOURCE_DIR/data/mammals.tsv" --dim 2 --recipe mammals -o mammals.safetensors --quiet
"$GEODISK" view mammals.safetensors "$SOURCE_DIR/data/mammals.tsv" -o mammals.html --quiet
cat >hostile.tsv <<'END'
<img src=x onerror=window.hacked=1>	0.1	0
</script><script>window.hacked=1</script>	0.5	0.1
"""quotes"" & 'ticks' \ back"	-0.4	0.3
<!-- <script>	0.2	-0.6
END
printf '%s\t%s\n' '</script><script>window.hacked=1</script>' '<img src=x onerror=window.hacked=1>' \
  '<!-- <script>' '<img src=x onerror=window.hacked=1>' >hostile-edges.tsv
"$GEODISK" view hostile.tsv hostile-edges.tsv --no-quotes -o hostile.html --quiet --title '<b>title</b>'
CHROMIUM=$chromium node "$SOURCE_DIR/tests/web/browser.mjs" "$PWD"

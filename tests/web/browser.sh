# The page in Chromium, driven by chromium.mjs. Screenshots lie in shots/ in the working directory.
set -eu
command -v node >/dev/null || {
  echo "skipped: node is not here (Debian: nodejs)"
  exit 77
}
chromium=$(command -v chromium || command -v chromium-browser || true)
[ -n "$chromium" ] || {
  echo "skipped: chromium is not here"
  exit 77
}
rm -rf shots
mkdir -p shots
"$GEODISK" train "$SOURCE_DIR/data/mammals.tsv" --dim 2 -o mammals.safetensors --quiet
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
# Zachary's karate club, each friendship once, at places on a spiral around (0.3, 0).
echo "0 1,0 2,0 3,0 4,0 5,0 6,0 7,0 8,0 10,0 11,0 12,0 13,0 17,0 19,0 21,0 31,
1 2,1 3,1 7,1 13,1 17,1 19,1 21,1 30,2 3,2 7,2 8,2 9,2 13,2 27,2 28,2 32,
3 7,3 12,3 13,4 6,4 10,5 6,5 10,5 16,6 16,8 30,8 32,8 33,9 33,13 33,14 32,14 33,
15 32,15 33,18 32,18 33,19 33,20 32,20 33,22 32,22 33,23 25,23 27,23 29,23 32,23 33,24 25,24 27,
24 31,25 31,26 29,26 33,27 33,28 31,28 33,29 32,29 33,30 32,30 33,31 32,31 33,32 33" |
  tr ',' '\n' | sed '/^$/d; s/\([0-9]*\) \([0-9]*\)/member \1\tmember \2/; s/member 3[23]/& of the club that broke apart/g' >club.tsv
awk 'BEGIN { for (i = 0; i < 34; i++) { r = 0.15 + 0.5 * i / 34; a = 2.4 * i
  printf "member %d%s\t%.17g\t%.17g\n", i, i < 32 ? "" : " of the club that broke apart", 0.3 + r * cos(a), r * sin(a) } }' >club-places.tsv
"$GEODISK" view club-places.tsv club.tsv -o club.html --quiet
CHROMIUM=$chromium node "$SOURCE_DIR/tests/web/browser.mjs" "$PWD"

#!/bin/sh
# demo.sh - brings what a bare Debian lacks, builds geodisk, embeds WordNet's mammals in the hyperbolic disk, asks the result, and
# draws it. GEODISK=geodisk ./demo.sh shows a command that is there already.
set -eu
cd "$(dirname "$0")"
if [ -z "${GEODISK-}" ]; then
  . tools/setup.sh
  setup_packages demo
  build=build/demo
  mkdir -p "$build"
  echo "Building in $build ..."
  if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGEODISK_BUILD_TESTS=OFF -DGEODISK_BUILD_PYTHON=OFF &&
    cmake --build "$build"; } >"$build/build.log" 2>&1; then
    tail -n 30 "$build/build.log"
    echo "The build failed; the whole log is $build/build.log."
    exit 1
  fi
  GEODISK=$build/geodisk
fi

say() { printf '\n%s\n' "$*"; }
show() { # prints the command as one would type it, then runs it
  printf '  $ geodisk'
  for word in "$@"; do
    case $word in
    *' '*) printf ' "%s"' "$word" ;;
    *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  "$GEODISK" "$@" 2>&1 | sed 's/^/  /'
}

show --version

say "WordNet's mammals: 1,182 synsets and all their hypernyms. Everything from here on is learned from these pairs alone:"
show graph info data/mammals.tsv

say "Embedding them in the hyperbolic disk (2 dimensions):"
out=out
mkdir -p "$out"
show train data/mammals.tsv -o "$out/mammals.safetensors" --dim 2

say "How good is it? Of all other synsets, are a synset's own hypernyms the nearest (mean rank 1, MAP 1)?"
show eval "$out/mammals.safetensors" data/mammals.tsv

say "What does it know? What is nearest to a dog, and what is above a golden retriever:"
show query "$out/mammals.safetensors" dog.n.01 --neighbours 5
show query "$out/mammals.safetensors" golden_retriever.n.01 --ancestors

say "The disk is an infinite plane: the nearer to the rim, the farther away. The distance from the centre to 0.9, and to the
last double before 1:"
show geometry distance --at "0 0" --to "0.9 0"
show geometry distance --at "0 0" --to "0.9999999999999999 0"

say "A long step close to the rim. The published closed form (Theorem 1) lands on the wrong point; the exponential map does not:"
show geometry exp --at "0.11348391 0.876214" --direction "-0.57900225 -0.81532595" --length 4.64915
show geometry exp --at "0.11348391 0.876214" --direction "-0.57900225 -0.81532595" --length 4.64915 --method theorem1

say "The middle of three points, with a bound on its own error:"
printf '0.9 0\n0 0.9\n-0.5 -0.5\n' >"$out/points.tsv"
show barycenter "$out/points.tsv"

say "The picture: all of them in the disk, edges as geodesics, a colour for each branch:"
show plot "$out/mammals.safetensors" data/mammals.tsv -o "$out/mammals.png" --size 1400

say "And a page to walk around in: one file, which any browser opens, without a network:"
show view "$out/mammals.safetensors" data/mammals.tsv -o "$out/mammals.html"

say "Look at $out/mammals.png, and open $out/mammals.html in a browser. The model is $out/mammals.safetensors. More: $GEODISK --help, README.md. The tests: ./test.sh"

#!/bin/sh
# demo.sh - brings what a bare Debian lacks, builds geodisk, and takes a short tour of the hyperbolic disk.
set -eu
cd "$(dirname "$0")"
. tools/setup.sh
setup_packages demo

build=build/demo
mkdir -p "$build"
echo "Building in $build ..."
if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGEODISK_BUILD_TESTS=OFF &&
  cmake --build "$build"; } >"$build/build.log" 2>&1; then
  tail -n 30 "$build/build.log"
  echo "The build failed; the whole log is $build/build.log."
  exit 1
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
  "$build/geodisk" "$@" 2>&1 | sed 's/^/  /'
}

show --version

say "The disk of radius 1 is an infinite plane: the nearer to the rim, the farther away. The distance from the centre to 0.9,
to 0.999999, and to the last double before 1:"
show geometry distance --at "0 0" --to "0.9 0"
show geometry distance --at "0 0" --to "0.999999 0"
show geometry distance --at "0 0" --to "0.9999999999999999 0"

say "Two points so close that the usual formula, arcosh(1 + ...), finds them equal:"
show geometry distance --at "0.3 0.4" --to "0.3 0.400000001"

say "From (0.5, 0), walk a length of 1 straight up: the exponential map. The logarithm finds the way back:"
show geometry exp --at "0.5 0" --direction "0 1" --length 1
point=$("$build/geodisk" geometry exp --at "0.5 0" --direction "0 1" --length 1 | tr '\t' ' ')
show geometry log --at "0.5 0" --to "$point"

say "The middle between two points on the rim's two sides lies near the centre: geodesics bend inwards, as paths in a tree
go through the common ancestor:"
show geometry geodesic --at "0.99 0" --to "0 0.99"

say "A long step close to the rim. The published closed form (Theorem 1) lands on the wrong point; the exponential map does not:"
show geometry exp --at "0.11348391 0.876214" --direction "-0.57900225 -0.81532595" --length 4.64915
show geometry exp --at "0.11348391 0.876214" --direction "-0.57900225 -0.81532595" --length 4.64915 --method theorem1

say "The same point in other models of hyperbolic space: the hyperboloid, Klein's disk, the half-plane:"
show geometry convert --at "0.5 0.25" --to lorentz
show geometry convert --at "0.5 0.25" --to klein
show geometry convert --at "0.5 0.25" --to halfspace

say "More: $build/geodisk --help, README.md. The tests: ./test.sh"

# setup.sh - sourced by demo.sh and test.sh: brings the Debian packages that packages.txt lists and the machine lacks.
#
#   setup_packages demo|test    returns when all are there; ends the script with exit code 1 when they cannot be
#
# Plain POSIX sh: this runs before there is anything else.

setup_packages() {
  if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "This is not a Debian system: packages.txt lists what is needed, under Debian's names. Going on with what is there."
    return 0
  fi
  wanted=$(awk -v who="$1" '{sub(/#.*/, "")} $2 == "demo" || (who == "test" && $2 == "test") {print $1}' packages.txt)
  # shellcheck disable=SC2086 # a list of words
  missing=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null |
    awk -v wanted="$wanted" '$2 == "installed" {have[$1] = 1}
         END {n = split(wanted, name); for (i = 1; i <= n; i++) if (!(name[i] in have)) printf "%s ", name[i]}')
  missing=${missing% }
  [ -n "$missing" ] || return 0

  install="apt-get update && apt-get install --yes --no-install-recommends $missing"
  echo "Missing Debian packages: $missing"
  if [ "$(id -u)" -eq 0 ]; then
    run_install "$install" env && return 0
    echo "Installing them failed; what apt-get said stands above."
  elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    run_install "$install" sudo && return 0
    echo "Installing them with sudo failed."
  fi
  echo "Run this as root, then start again:"
  echo
  echo "    $install"
  echo
  exit 1
}

# run_install COMMAND env|sudo
run_install() {
  echo "Installing them: $1"
  "$2" DEBIAN_FRONTEND=noninteractive sh -c "$1"
}

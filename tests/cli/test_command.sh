# The command as such: help, version, options, refusals, a full disk, a closed pipe.
. "$TESTS_DIR/cli/expect.sh"

g() { "$GEODISK" "$@"; }
first_line() { "$GEODISK" "$@" | head -n 1; }
closed_pipe() { # runs when the reader is certainly gone: a write has failed
  {
    trap '' PIPE
    while echo x 2>/dev/null; do :; done
    "$GEODISK" "$@"
    echo $? >code.txt
  } | true
  return "$(cat code.txt)"
}
full_disk() { "$GEODISK" "$@" >/dev/full; }
with_isa() {
  isa=$1
  shift
  GEODISK_ISA=$isa "$GEODISK" "$@"
}

expect 0 'geodisk 0.1.0' '' first_line --version
expect 0 'Usage: geodisk COMMAND [options] [arguments]' '' first_line --help
expect 0 'Usage: geodisk COMMAND [options] [arguments]' '' first_line help
expect 0 'Usage: geodisk geometry COMMAND [options] [arguments]' '' first_line help geometry
expect 0 'Usage: geodisk geometry exp [options] [FILE]' '' first_line help geometry exp
expect 0 'Usage: geodisk geometry exp [options] [FILE]' '' first_line geometry exp --help

expect 2 '' '*which command?*' g
expect 2 '' "*unknown command 'geometri'; did you mean 'geometry'?*" g geometri
expect 2 '' "*unknown command 'dist'; did you mean 'distance'?*" g geometry dist
expect 2 '' "*unknown command 'zzz'*--help'." g zzz
expect 2 '' "*unknown option '--frobnicate'*" g --frobnicate
expect 2 '' "*unknown option '--curvatur'; did you mean --curvature?*" g geometry distance --curvatur 1
expect 2 '' "*unknown option '-z'*" g geometry distance -z
expect 2 '' '*--radius needs a value*' g geometry distance --radius
expect 2 '' "*--radius: 'one' is not a finite number*" g geometry distance --radius one
expect 2 '' "*--threads: '1.5' is not a whole number*" g geometry distance --threads 1.5
expect 2 '' "*--threads: ' 1' is not a whole number*" g geometry distance --threads ' 1'
expect 2 '' '*--threads: 99999 is out of range; it must be from 0 to 1024*' g geometry distance --threads 99999
expect 2 '' "*--method: 'magic' is not one of exp|theorem1|natural*" g geometry exp --method magic
expect 2 '' '*--quiet takes no value*' g geometry distance --quiet=yes
expect 2 '' "*unexpected argument 'b'*" g geometry distance a b
expect 0 '0' '' g geometry distance --at=0 --to=-0.0 -q
expect 1 '' '*--zzz: No such file*' g geometry distance -- --zzz

expect 1 '' '*standard output: *' closed_pipe --version
expect 1 '' '*standard output: No space left*' full_disk --help
expect 0 '*' '' with_isa ref --version
expect 1 '' "*GEODISK_ISA='mmx'*" with_isa mmx --version

# Every command has help with an example, and a man page.
for name in $("$GEODISK" --commands | tr ' ' '/'); do
  words=$(printf %s "$name" | tr '/' ' ')
  # shellcheck disable=SC2086 # split on purpose
  expect 0 '*' '' g $words --help
  case $words in
  *' '*)
    # shellcheck disable=SC2086
    "$GEODISK" $words --help | grep -q '^Examples:' || complain 'no example in the help' "$words"
    ;;
  esac
done

finish

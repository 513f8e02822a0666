# Completions: what bash proposes, that zsh and fish understand theirs, and colours on a terminal.
. "$TESTS_DIR/cli/expect.sh"

for shell in bash zsh fish; do
  expect 0 '*' '' "$GEODISK" completion $shell
  "$GEODISK" completion $shell >geodisk.$shell
  # every command and every option of its help is in it
  for command in train query 'graph check' 'geometry exp' 'bench graph'; do
    # shellcheck disable=SC2086 # two words
    for option in $("$GEODISK" $command --help | sed -n 's/^  \(-., \)\?--\([a-z-]*\).*/\2/p'); do
      checks=$((checks + 1))
      grep -q -e "[' -]$option[' :=]\| -l $option " geodisk.$shell || complain "$shell does not know --$option" "$command"
    done
  done
  checks=$((checks + 1))
  if command -v $shell >/dev/null; then
    $shell -n geodisk.$shell || complain "$shell does not understand it" "$shell"
  fi
done
expect 2 '' "*'tcsh' is not one of bash, zsh, fish*" "$GEODISK" completion tcsh
expect 2 '' '*an argument is missing*' "$GEODISK" completion

# propose WORD...: what bash offers for the last word
cat >propose.bash <<'END'
source ./geodisk.bash
COMP_WORDS=(geodisk "$@")
COMP_CWORD=$#
COMPREPLY=()
_geodisk
echo "${COMPREPLY[@]}"
END
propose() { bash propose.bash "$@"; }
if command -v bash >/dev/null; then
  expect 0 'train' '' propose tr
  expect 0 'geometry graph' '' propose g
  expect 0 'check convert closure' '' propose graph c
  expect 0 '--epochs --eval-every' '' propose train --e
  expect 0 '--epochs --eval-every' '' propose train data.tsv -o x --e
  expect 0 'geodesic natural euclidean' '' propose train --update ''
  expect 0 'natural' '' propose train --update n
  expect 0 '' '' propose train --dim ''
  expect 0 '' '' propose train '' # files, which bash finds itself
  expect 0 'auto yes no' '' propose graph check --header ''
fi

# Colours on a terminal only, and not with NO_COLOR.
if command -v script >/dev/null; then
  on_terminal() { TERM=xterm script -qec "$*" /dev/null | tr -d '\r'; }
  red=$(printf '\033[1;31merror:\033[0m')
  checks=$((checks + 3))
  case $(NO_COLOR='' on_terminal "$GEODISK" graph info no-such-file) in
  *"$red"*) ;;
  *) complain 'no colours on a terminal' error ;;
  esac
  case $(NO_COLOR=1 on_terminal "$GEODISK" graph info no-such-file) in
  *"$(printf '\033')"*) complain 'colours in spite of NO_COLOR' error ;;
  esac
  case $(NO_COLOR='' on_terminal "$GEODISK" train --help) in
  *"$(printf '\033[1mOptions:\033[0m')"*) ;;
  *) complain 'no bold headings on a terminal' help ;;
  esac
fi
expect 1 '' 'geodisk: error: no-such-file: cannot open: No such file or directory' "$GEODISK" graph info no-such-file

finish

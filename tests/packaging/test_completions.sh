# The completions are installed where the shells look for them, and are what the installed command prints.
. "$TESTS_DIR/packaging/install.sh"
for pair in bash=bash-completion/completions/geodisk zsh=zsh/site-functions/_geodisk fish=fish/vendor_completions.d/geodisk.fish; do
  prefix/bin/geodisk completion "${pair%%=*}" | diff - "prefix/share/${pair#*=}"
done
echo "three completions, as the command prints them"

# --device where there is no device: refused with the reason, or left aside by `auto`; a library of another version is not used.
. "$TESTS_DIR/cli/expect.sh"

awk 'BEGIN { for (n = 1; n < 85; n++) for (a = int((n - 1) / 4); ; a = int((a - 1) / 4)) { print n "\t" a; if (a == 0) break } }' >tree.tsv
t() { "$GEODISK" train tree.tsv --dim 3 --epochs 2 --negatives 10 --threads 1 "$@"; }
same() { cmp "$1" "$2"; }
rm -f nowhere.so # of a run before
GEODISK_CUDA=$PWD/nowhere.so
export GEODISK_CUDA

expect 0 '' '' t -o cpu.st --quiet
expect 1 '' '*no CUDA device: libgeodisk-cuda cannot be loaded: *nowhere.so*' t -o cuda.st --device cuda
expect 1 '' '' test -e cuda.st
expect 0 '*' '*training on the processor: for this graph and these options a device would be no faster*' t -o auto.st --device auto
expect 0 '' '' same cpu.st auto.st
awk 'BEGIN { for (n = 0; n < 12; n++) print n "\t" (n + 1) % 12 "\n" n "\t" (n + 3) % 12 }' >net.tsv # whose settings are found by trials
first() { "$GEODISK" train "$@" -o first.st 2>&1 >/dev/null | sed -n 1p; }
here='geodisk: training on the processor: for this graph and these options a device would be no faster'
expect 0 "$here" '' first net.tsv --dim 2 --threads 1 --device auto
expect 0 "$here" '' first tree.tsv --dim 3 --epochs 2 --threads 1 --device auto
expect 0 "$here" '' first tree.tsv --dim 3 --resume auto.st --epochs 3 --threads 1 --device auto
expect 0 '' '' first tree.tsv --dim 3 --epochs 2 --quiet --device auto
expect 2 '' '*--device*' t -o cuda.st --device gpu
expect 1 '*' '*no CUDA device*' "$GEODISK" eval cpu.st tree.tsv --tasks reconstruction --device cuda
expect 1 '*' '*no CUDA device*' "$GEODISK" eval cpu.st tree.tsv --tasks loss --device cuda
ranks() { "$GEODISK" eval cpu.st tree.tsv --tasks reconstruction "$@"; }
expect 0 "$(ranks)" '' ranks --device auto
near() { "$GEODISK" query cpu.st 3 -k 5 "$@"; }
expect 1 '' '*no CUDA device*' near --device cuda
expect 0 "$(near)" '' near --device auto
expect 1 '' '*no CUDA device*' "$GEODISK" bench cuda tree.tsv
awk 'BEGIN { for (n = 0; n < 6000; n++) for (k = 1; k < 12; k++) print n "\t" (7 * n + 13 * k * k) % 6000 }' >large.tsv # a network
expect 0 '*' '*training on the processor: no CUDA device: libgeodisk-cuda cannot be loaded*' \
  "$GEODISK" train large.tsv -o large.st --dim 2 --epochs 1 --negatives 10 --device auto
lines() { "$GEODISK" --version | grep -c "$1"; }
expect 0 1 '' lines '^device: no CUDA device: libgeodisk-cuda cannot be loaded: .*nowhere.so' 

# A library that is none of ours, and one of another version.
printf 'int nothing;\n' >empty.c
$CC $CFLAGS -shared -fPIC empty.c -o nowhere.so
expect 1 '' '*libgeodisk-cuda is of another version than this library*' t -o cuda.st --device cuda
printf 'const struct { unsigned layout; const char *version; } geodisk_device_table = {1, "0.0.0"};\n' >old.c
$CC $CFLAGS -shared -fPIC old.c -o nowhere.so
expect 1 '' '*libgeodisk-cuda is of another version than this library*' t -o cuda.st --device cuda

# What computes on a device, compiled for the host: the same bytes and answers; the device's name comes first, before any trial.
GEODISK_CUDA=$HOST_DEVICE
expect 0 '' '' t -o host.st --device cuda --quiet
expect 0 '' '' same cpu.st host.st
expect 0 "$(GEODISK_CUDA=$PWD/nowhere.so ranks)" '' ranks --device cuda
expect 0 "$(GEODISK_CUDA=$PWD/nowhere.so near)" '' near --device cuda
expect 0 'geodisk: training on the host' '' first net.tsv --dim 2 --threads 1 --device cuda --negatives 3 --lr 0.3 --sharpness 2
expect 0 'geodisk: training on the host' '' first tree.tsv --dim 3 --epochs 2 --threads 1 --device cuda

# The rows of the bench.
PYTHON3=/usr/bin/python3 # as the tests of the documents have it
b() { "$GEODISK" bench cuda tree.tsv --threads 1 "$@"; }
columns() { b --only short --cpu --markdown | sed -n 's/^| row/| row/p'; }
written() { "$PYTHON3" "$TESTS_DIR/../tools/measure-docs" --columns cuda; }
[ ! -x "$PYTHON3" ] || expect 0 "$(written)" '' columns
says() { b "$@" | sed 's/[0-9][0-9.]* s\([:;]\)/N s\1/g; s/MAP [0-9.]*/MAP M/'; }
expect 0 'the host; dim 10, float
command: N s: train, from the TSV to the model, N s; eval, all ranks, N s; MAP M' '*' says --only command
expect 0 'the host; dim 10, float
bytes: 20 sets of options on 3 graphs, float and double, 120 trainings: the same bytes as the processor'"'"'s' '*' says --only bytes --runs 1
rows() { b --json --only "$1" --large-nodes 200 --tree-nodes 300 --runs 1 | sed 's/^{"row":"\([a-z-]*\)".*/\1/'; }
for row in large large-hierarchy tree; do
  expect 0 "$row" '*' rows $row
done
finish

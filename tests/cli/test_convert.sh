# `geodisk convert`: formats there and back, what is lost, refusals; and gensim, where it is installed, reads what we write and the
# other way round.
. "$TESTS_DIR/cli/expect.sh"

g() { "$GEODISK" convert "$@"; }
same() { cmp "$1" "$2"; }
from_text() { # from_text TEXT arguments...: TEXT is standard input
  text=$1
  shift
  printf "$text" | "$GEODISK" convert "$@"
}

rm -f ./*.safetensors ./*.npy ./*.names ./*.txt ./*.bin ./*.tsv ./*.csv

# A model from a table, and every format from it and back: the same bytes.
printf 'dog.n.01\t0.1\t0.2\ncat.n.01\t-0.3\t1e-5\nroot\t0\t0\n' >table.tsv
expect 0 '' '' g table.tsv -o model.safetensors
for file in out.txt out.tsv out.csv out.npy; do
  expect 0 '' '' g model.safetensors -o "$file"
  expect 0 '' '*' g "$file" -o back.safetensors
  expect 0 '' '' same model.safetensors back.safetensors
done
expect 0 'dog.n.01	0.1	0.2
cat.n.01	-0.3	0.00001
root	0	0' '' g model.safetensors --to tsv -o -
expect 0 '3 2
dog.n.01 0.1 0.2
cat.n.01 -0.3 0.00001
root 0 0' '' g model.safetensors --to word2vec -o -
expect 0 'name,x1,x2
dog.n.01,0.1,0.2
cat.n.01,-0.3,0.00001
root,0,0' '' g model.safetensors --to csv -o -
expect 0 '' '' g model.safetensors --precision float -o single.safetensors
expect 0 '' '' g model.safetensors -o out.bin
for file in single.safetensors out.bin; do
  expect 0 'dog.n.01	0.10000000149011612	0.20000000298023224
cat.n.01	-0.30000001192092896	9.999999747378752e-6
root	0	0' '' g "$file" --to tsv -o -
done
expect 0 '{"nodes": 3, "dim": 2, "renamed": 0, "moved": 0, "worst_move": 0, "pulled": 0, "left_out": 0}' '' \
  g model.safetensors -o out.txt --json

# Standard input and output, models too.
expect 0 'a	0.5' '' from_text 'a 0.5\n' - --to tsv -o -
model_pipe() { "$GEODISK" convert model.safetensors --to model -o - | "$GEODISK" convert - --to tsv -o -; }
expect 0 'dog.n.01	0.1	0.2
cat.n.01	-0.3	0.00001
root	0	0' '' model_pipe

# The hyperboloid, and points that only it can tell.
expect 0 '' '' from_text 'a 0.5 0\n' - --to lorentz -o out.tsv
expect 0 'a	1.6666666666666667	1.3333333333333333	0' '' cat out.tsv
expect 0 'a	0.5	0' '' g out.tsv --from lorentz --to tsv -o -
printf 'deep\t1.2676506002282294e30\t1.2676506002282294e30\t0\n' >deep.tsv # 2^100
expect 0 '' '' g deep.tsv --from lorentz -o deep.safetensors
expect 0 '' '' g deep.safetensors --to lorentz -o back.tsv
expect 0 'deep	1.2676506002282294e30	1.2676506002282293e30	0' '' cat back.tsv
expect 0 '*' "*1 points near the rim are not where they were (float64, without gaps): 'deep' at radius 70.01 by a distance of *" \
  g deep.safetensors -o deep.txt
expect 0 '*' "*1 points near the rim are not where they were (float32, without gaps)*" g deep.safetensors -o deep.bin
expect 0 '*' '' g deep.safetensors -o deep.bin --quiet

# Names with blanks.
printf 'new york\t0.1\nnew_york\t0.2\n' >names.tsv
expect 0 '2 1
new_york_0 0.1
new_york 0.2' '*1 names changed*' g names.tsv --to word2vec -o -

# Refusals.
expect 2 '' '*where to? give -o FILE*' g model.safetensors
expect 2 '' "*--to: 'xml' is not one of model|word2vec|word2vec-bin|tsv|csv|npy|lorentz*" g model.safetensors --to xml -o x
expect 1 '' '*x.xyz: its end does not tell the format*' g model.safetensors -o x.xyz
expect 1 '' '*missing.tsv: cannot open: No such file*' g missing.tsv -o x.tsv
expect 1 '' '*no/x.tsv: cannot open for writing: No such file*' g model.safetensors -o no/x.tsv
expect 1 '' "*standard input: row 2 ('b') lies outside the ball*--space euclidean*" from_text 'a 0 0\nb 3 4\n' - -o x.tsv
expect 0 'a	0	0
b	3	4' '' from_text 'a 0 0\nb 3 4\n' - --space euclidean --to tsv -o -
expect 0 'a	0	0
b	3	4' '*does not hold the ball: radius 6*' from_text 'a 0 0\nb 3 4\n' - --radius 6 --to tsv -o -
expect 1 '' '*radius -1*' from_text 'a 0 0\n' - --radius -1 --to tsv -o -
printf '{' >broken.safetensors
expect 1 '' '*broken.safetensors*' g broken.safetensors --from model -o x.tsv
expect 1 '' '*standard output: cannot write: No space left*' sh -c '"$GEODISK" convert model.safetensors --to tsv -o - >/dev/full'

# A file-size limit is a full disk for us: the old file stays, nothing is left behind.
printf 'old' >old.txt
expect 1 '' '*old.txt: cannot write: File too large*' sh -c '
  awk "BEGIN { for (i = 0; i < 20000; i++) print i, 0.1, 0.2 }" >many.txt
  trap "" XFSZ; ulimit -f 64; "$GEODISK" convert many.txt --to tsv -o old.txt'
expect 0 'old' '' cat old.txt
expect 0 '' '' sh -c 'ls -a | grep "geodisk-.*tmp" || true'

# gensim.
if /usr/bin/python3 -c 'import gensim' 2>/dev/null; then
  cat >gensim_test.py <<'PYTHON'
import subprocess, sys
import numpy as np
from gensim.models import KeyedVectors
from gensim.models.poincare import PoincareModel, PoincareKeyedVectors

geodisk = sys.argv[1]
def convert(*arguments):
    subprocess.run([geodisk, "convert", *arguments, "--quiet"], check=True)

relations = [("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal"), ("bird", "animal"), ("caf\u00e9", "place"), ("animal", "thing"),
             ("place", "thing")]
model = PoincareModel(relations, size=5, negative=2, seed=3)
model.train(epochs=20)
for binary in (False, True):
    model.kv.save_word2vec_format("gensim.out", binary=binary)
    convert("gensim.out", "-o", "gensim.safetensors")
    for target, is_binary in (("again.txt", False), ("again.bin", True)):
        convert("gensim.safetensors", "-o", target)
        dtype = np.float32 if binary or is_binary else np.float64
        back = PoincareKeyedVectors.load_word2vec_format(target, binary=is_binary, datatype=dtype)
        assert len(back) == len(model.kv) and back.vector_size == 5
        for key in model.kv.index_to_key:
            assert np.array_equal(back[key], model.kv[key].astype(dtype)), (key, back[key], model.kv[key])
        assert abs(back.distance("dog", "thing") - model.kv.distance("dog", "thing")) < 1e-5
    plain = KeyedVectors.load_word2vec_format("again.bin", binary=True)
    assert plain["caf\u00e9"].shape == (5,)
convert("gensim.safetensors", "-o", "gensim.npy", "--precision", "double")
vectors = np.load("gensim.npy")
names = open("gensim.names", encoding="utf-8").read().splitlines()
assert vectors.shape == (len(names), 5) and vectors.dtype == np.float64
np.save("back.npy", np.asfortranarray(vectors))
open("back.names", "w", encoding="utf-8").write("\n".join(names))
convert("back.npy", "-o", "back.tsv")
for line in open("back.tsv", encoding="utf-8"):
    name, *numbers = line.rstrip("\n").split("\t")
    assert np.array_equal(vectors[names.index(name)], np.array([float(x) for x in numbers]))
convert("gensim.safetensors", "--to", "lorentz", "-o", "lorentz.npy", "--precision", "double")
points = np.load("lorentz.npy")
assert points.shape == (len(names), 6) and np.allclose(points[:, 0] ** 2 - (points[:, 1:] ** 2).sum(1), 1, atol=1e-6)

# The model file by the book: the header's length, JSON, arrays at their offsets.
import json, struct
data = open("gensim.safetensors", "rb").read()
(length,) = struct.unpack("<Q", data[:8])
header = json.loads(data[8 : 8 + length])
assert (8 + length) % 8 == 0 and header.pop("__metadata__")["format"] == "geodisk"
types = {"F64": "<f8", "F32": "<f4", "U64": "<u8", "U32": "<u4", "U8": "u1"}
arrays, end = {}, 0
for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
    begin, stop = entry["data_offsets"]
    assert begin == end
    end = stop
    arrays[name] = np.frombuffer(data[8 + length + begin : 8 + length + stop], types[entry["dtype"]]).reshape(entry["shape"])
assert 8 + length + end == len(data)
offsets, text = arrays["name_offsets"], arrays["names"].tobytes()
for i, key in enumerate(model.kv.index_to_key):
    row = [text[int(offsets[k]) : int(offsets[k + 1]) - 1].decode() for k in range(len(names))].index(key)
    assert np.array_equal(arrays["vectors"][row], model.kv[key].astype(np.float32))
    assert abs(arrays["gap"][row] - (1 - (model.kv[key] ** 2).sum())) < 1e-6
try:
    from safetensors.numpy import load_file
    assert np.array_equal(load_file("gensim.safetensors")["vectors"], arrays["vectors"])
except ImportError:
    pass
print("gensim agrees")
PYTHON
  expect 0 'gensim agrees' '*' /usr/bin/python3 gensim_test.py "$GEODISK"
fi

finish

"""compare_numpy.py - epochs of `geodisk train` in plain C against the same epochs done here with NumPy.

What is written down a second time: the random numbers (Philox, the hash), the shuffle of units, the batches, the comb of negatives, losses,
pulls as whole numbers, the bound of the pushes, thinning, the cap, and the steps. Directions and steps are by the general maps of
docs/math.md, in Moebius form, and gaps are 1 - |x|^2: none of the short cuts of the loop. Units are edges, which draw negatives of their
own, or sources with all nodes as candidates, for which neither order nor blocks matter. Both programs must agree in every coordinate and
gap to 1e-10, in the loss to what its whole numbers resolve.
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import numpy as np

TOLERANCE, LOSS_TOLERANCE = 1e-10, 2**-20
SHUFFLE, BLOCK, BATCH = 2, 3, 4
LEAST_WEIGHT, SMALL_PUSH, TARGET_INDEX = 1e-4, 0.03, 1 << 24
SCALE = 2.0**40


# ---- random numbers --------------------------------------------------------------------------------------------------------------


def words(seed, use, epoch, number):
    """Four words: Philox4x32-10, key = seed, counter = (number, stream)."""
    stream = use << 56 | epoch << 24 | number >> 40
    c, key = [number % 2**32, number >> 32 & 0xFF, stream % 2**32, stream >> 32], [seed % 2**32, seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ key[0], b % 2**32, a >> 32 ^ c[3] ^ key[1], a % 2**32]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return c


def hashed(key, i):
    h = (key + i * 0x9E3779B9) % 2**32
    h = (h ^ h >> 16) * 0x85EBCA6B % 2**32
    h = (h ^ h >> 13) * 0xC2B2AE35 % 2**32
    return h ^ h >> 16


def shuffled(i, n, keys):
    """Where a Feistel network of eight rounds on the bits of n - 1 takes i, walked along until it is below n."""
    bits = max(2, (n - 1).bit_length())
    split = bits // 2
    while True:
        halves = [i >> split, i % 2**split]
        for r, key in enumerate(keys):
            x = (key ^ halves[1 - r % 2]) * 0x9E3779B97F4A7C15 % 2**64
            x = (x ^ x >> 32) * 0xD6E8FEB86659FD93 % 2**64 >> 32
            halves[r % 2] ^= x % 2 ** (split if r % 2 else bits - split)
        i = halves[0] << split | halves[1]
        if i < n:
            return i


# ---- the schedule ----------------------------------------------------------------------------------------------------------------


class Graph:
    """Edges (child, parent) by number; rows ascending."""

    def __init__(self, path):
        number, edges = {}, {}
        for line in open(path, encoding="utf-8"):
            child, parent, *weight = line.rstrip("\n").split("\t")
            u, v = (number.setdefault(name, len(number)) for name in (child, parent))
            edges[u, v] = float(weight[0]) if weight else 1.0
        self.names, self.n, self.edges = list(number), len(number), edges
        self.mean_weight = sum(edges.values()) / len(edges)
        self.parents = [[] for _ in range(self.n)]
        for u, v in sorted(edges):
            self.parents[u].append(v)


def edge_batches(graph, seed, epoch, size, wanted):
    """For each batch its units: (source, targets, negatives, key)."""
    edges = sorted(graph.edges)
    batches = -(-len(edges) // size)
    keys = words(seed, SHUFFLE, epoch, 0) + words(seed, SHUFFLE, epoch, 1)
    for batch in range(batches):
        units = []
        for i in range(-(-len(edges) // batches)):
            first, second, _, _ = words(seed, BATCH, epoch, i)
            block = i * batches + (batch + (first << 32 | second)) % batches if batches > 1 else i
            if block >= len(edges):
                continue
            u, v = edges[shuffled(block, len(edges), keys)]
            key = words(seed, BLOCK, epoch, block)
            slices = [(k * graph.n // wanted, (k + 1) * graph.n // wanted) for k in range(wanted)]
            drawn = [begin + (hashed(key[1], (1 << 16) + k) * (end - begin) >> 32) for k, (begin, end) in enumerate(slices)]
            units.append((u, [v], [m for m in drawn if m != u and m not in graph.parents[u]], hashed(key[0], 0)))
        yield units


def source_batches(graph):
    """One batch of all sources, each with every node as a candidate."""
    yield [(u, graph.parents[u], [m for m in range(graph.n) if m != u and m not in graph.parents[u]], 0) for u in range(graph.n)
           if graph.parents[u]]


# ---- pulls and steps -------------------------------------------------------------------------------------------------------------


def dot(a, b):
    return (a * b).sum(-1, keepdims=True)


def add(x, y):
    """Moebius addition of rows."""
    xy, xx, yy = dot(x, y), dot(x, x), dot(y, y)
    return ((1 + 2 * xy + yy) * x + (1 - xx) * y) / (1 + 2 * xy + xx * yy)


def unit_of(x):
    return x / np.sqrt(dot(x, x))


def move(x, direction, length, update, margin):
    """From x by so much hyperbolic length; `direction` is a unit vector in the ordinary sense."""
    gap = 1 - dot(x, x)
    if update == "geodesic":
        return add(x, np.tanh(length / 2) * direction)
    x = x + direction * length * (gap / 2 if update == "natural" else 2 / gap)
    norm = np.sqrt(dot(x, x))
    return np.where(norm > 1 - margin, x * (1 - margin) / norm, x)


def thinned(pull, sparse, key, index):
    """A pull below `sparse` becomes that, or nothing."""
    return pull if not sparse or pull >= sparse else sparse if (hashed(key, index) >> 8) * 2.0**-24 * sparse < pull else 0.0


def pull(graph, x, unit, sums, rule):
    """Adds the pulls of a unit to the sums, the path last; returns its loss."""
    u, targets, negatives, key = unit
    here, b = x[[u]], rule["sharpness"]

    def distances(rows):
        difference, there = x[rows] - here, x[rows]
        return 2 * np.arcsinh(np.sqrt(dot(difference, difference) / ((1 - dot(here, here)) * (1 - dot(there, there)))))[:, 0]

    far = distances(targets)
    kept = [m for m, d in zip(negatives, distances(negatives)) if np.exp(-b * (d - far.max())) >= LEAST_WEIGHT]
    if not kept:
        return 0.0
    likely, own = np.exp(-b * distances(kept)), np.exp(-b * far)
    weights = np.array([graph.edges[u, v] / graph.mean_weight for v in targets])
    whole = likely.sum() + (1.0 if rule["complement"] else own)
    shares = weights / whole
    pulls = weights if rule["complement"] else shares * likely.sum()
    pushes = likely * shares.sum()
    pressure = np.minimum(pushes, SMALL_PUSH).sum()
    if rule["bound"] and pressure > rule["bound"]:
        pushes = pushes * rule["bound"] / pressure
    pulls = [thinned(p, rule["sparse"], key, TARGET_INDEX + j) for j, p in enumerate(pulls)]
    pushes = [-thinned(p, rule["sparse"], key, j) for j, p in enumerate(pushes)]
    rows, strength = kept + targets, np.array(pushes + pulls)[:, None]
    there = x[rows]
    moves = strength * unit_of(add(-there, here))
    for row, m, s, target in zip(rows, moves, strength, [False] * len(kept) + [True] * len(targets)):
        drag = rule["regularization"] * (1 - x[row] @ x[row]) * x[row] if target else 0.0
        sums[row, :-1] += np.rint((m - drag) * SCALE)
        sums[row, -1] += np.rint(abs(s[0]) * SCALE)
    sums[u, :-1] += np.rint((strength * unit_of(add(-here, there))).sum(0) * SCALE)
    sums[u, -1] += np.rint(np.abs(strength).sum() * SCALE)
    return float((weights * np.log(whole / own)).sum())


def epoch(graph, x, batches, rule):
    """One epoch on the rows of x; returns the mean loss."""
    loss = 0.0
    for units in batches:
        sums = np.zeros((graph.n, x.shape[1] + 1))
        loss += sum(pull(graph, x, unit, sums, rule) for unit in units)
        rows = [row for row in range(graph.n) if sums[row].any()]
        g, path = sums[rows, :-1] / SCALE, sums[rows, -1:] / SCALE
        step = np.minimum(rule["lr"], rule["cap"] / path) if rule["cap"] else rule["lr"]
        norm = np.sqrt(dot(g, g))
        x[rows] = move(x[rows], g / np.where(norm > 0, norm, 1), step * norm, rule["update"], 1e-5)
    return loss / len(graph.edges)


# ---- the comparison --------------------------------------------------------------------------------------------------------------


def write_graph(path, weighted):
    """A tree of 341 nodes, each with four children, some with a second parent; closed, in no order."""
    dice = random.Random(1)
    above = {n: {(n - 1) // 4} for n in range(1, 341)}
    for n in dice.sample(range(30, 341), 60):
        above[n].add(dice.randrange(1, n // 2))
    for n in range(1, 341):
        above[n] |= set().union(*(above.get(p, set()) for p in above[n]))
    lines = [f"n{n}\tn{p}" + f"\t{dice.choice([0.5, 1, 3])}" * weighted for n in above for p in sorted(above[n])]
    dice.shuffle(lines)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def read_model(path):
    """Coordinates, gaps and names of a safetensors file."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    begin, end = header["names"]["data_offsets"]
    tensors = {}
    for name in ("vectors", "gap"):
        first, last = header[name]["data_offsets"]
        tensors[name] = np.frombuffer(data[first:last], {"F64": "<f8"}[header[name]["dtype"]]).reshape(header[name]["shape"])
    return tensors["vectors"].copy(), tensors["gap"], data[begin:end].decode().split("\0")[:-1]


def train(graph, model, *options):
    subprocess.run([os.environ["GEODISK"], "train", graph, "-o", model, "--lr-schedule", "constant", "--quiet", *options], check=True,
                   env={**os.environ, "GEODISK_ISA": "ref"})


CASES = [  # dim, seed, weighted, units, batch, K, options
    (5, 1, False, "edge", 50, 10, {}),
    (2, 2**40 + 3, True, "edge", 1, 10, {"lr": 0.1}),
    (3, 3, False, "edge", 10**6, 30, {"cap": 0.5, "sparse": 0.05}),
    (4, 5, True, "edge", 200, 10, {"loss": "complement", "sharpness": 0.5, "lr": 0.03}),
    (5, 6, False, "edge", 77, 10, {"update": "natural", "sharpness": 2.0}),
    (3, 7, False, "edge", 64, 10, {"update": "euclidean", "lr": 0.01, "regularization": 0.5}),
    (3, 8, False, "source", "all", "all", {"bound": 1.0, "sharpness": 3.7}),
    (5, 9, True, "source", "all", "all", {"cap": 1.0, "epochs": 3}),
    (2, 10, True, "source", "all", "all", {"loss": "complement", "cap": 0.3, "regularization": 0.2}),
]
DEFAULTS = {"lr": 0.3, "update": "geodesic", "loss": "nickel-kiela", "sharpness": 1.0, "cap": 0.0, "bound": 0.0, "sparse": 0.0,
            "regularization": 0.0, "epochs": 1}


def main():
    worst = worst_loss = 0.0
    for weighted in (False, True):
        write_graph(f"graph{int(weighted)}.tsv", weighted)
    for dim, seed, weighted, units, batch, wanted, more in CASES:
        path, rule = f"graph{int(weighted)}.tsv", {**DEFAULTS, **more}
        graph = Graph(path)
        # Euclidean steps grow with 1/S^2: they are compared near the origin, where they are stable
        placement = "random" if rule["update"] == "euclidean" else "tree"
        train(path, "start", "--dim", str(dim), "--epochs", "3", "--negatives", "10", "--lr", "0.2", "--seed", "9", "--placement",
              placement, "--core-epochs", "0")
        train(path, "end", "--dim", str(dim), "--units", units, "--batch", str(batch), "--negatives", str(wanted), "--seed", str(seed),
              "--init", "start", "--sampling", "uniform", "--log", "log", "--sharpness-first", str(rule["sharpness"]),
              *(word for key, value in rule.items() for word in (f"--{key}", str(value))))
        x, _, names = read_model("start")
        assert names == graph.names
        before = x.copy()
        rule["complement"] = rule["loss"] == "complement"
        losses = [epoch(graph, x, edge_batches(graph, seed, number, batch, wanted) if units == "edge" else source_batches(graph), rule)
                  for number in range(rule["epochs"])]
        end, gap, _ = read_model("end")
        logged = [json.loads(line)["loss"] for line in open("log", encoding="utf-8")]
        errors = {"coordinates": np.abs(end - x).max(), "gaps": np.abs(gap - (1 - dot(x, x)[:, 0])).max(),
                  "losses": np.abs(np.array(logged) - losses).max()}
        what = f"dim {dim}, seed {seed}, weighted {weighted}, {units} units, batch {batch}, K {wanted}, {more}"
        print(what, {key: float(f"{value:.2g}") for key, value in errors.items()})
        assert np.abs(end - before).max() > 1e-3, f"{what}: nothing moved"
        worst, worst_loss = max(worst, errors["coordinates"], errors["gaps"]), max(worst_loss, errors["losses"])
    if not worst <= TOLERANCE or not worst_loss <= LOSS_TOLERANCE:
        sys.exit(f"FAILED: points differ by {worst:g}, losses by {worst_loss:g}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()

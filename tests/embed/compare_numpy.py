"""compare_numpy.py - an epoch of `geodisk train` in plain C against the same epoch done here with NumPy.

What is written down a second time: the random numbers (Philox), the dealing of nodes into parts, the order of edges, the tournament,
the draws of negatives, the losses, and the steps. Steps are taken by the general maps of docs/math.md, in Moebius form, and gaps are
1 - |x|^2: none of the short cuts of the kernel. Both must agree in every coordinate, every gap and the loss to 1e-10.
"""
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

import numpy as np

TOLERANCE = 1e-10


# ---- random numbers: Philox4x32-10, key = seed, counter = (position, stream) -----------------------------------------------------


def philox(seed, stream, first, blocks):
    """Four words for each of so many positions, from `first` on."""
    low = np.uint64(0xFFFFFFFF)
    position = np.arange(first, first + blocks, dtype=np.uint64)
    stream = np.full(blocks, stream, np.uint64)
    c = [position & low, position >> np.uint64(32), stream & low, stream >> np.uint64(32)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(key[0]), b & low, (a >> np.uint64(32)) ^ c[3] ^ np.uint64(key[1]), a & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, axis=1).reshape(-1)


DEAL, BUCKET = 2, 3
WORDS = 256


class Stream:
    """The numbers of one use: whole words, and halves of words. Each kind takes 256 words at a time."""

    def __init__(self, seed, use, epoch, place):
        self.seed, self.stream, self.position = seed, use << 56 | epoch << 24 | place, 0
        self.words, self.halves = [], []

    def block(self):
        words = philox(self.seed, self.stream, self.position, WORDS // 4)
        self.position += WORDS // 4
        return words

    def below(self, n):
        """A whole number below n, none favoured: Lemire's method."""
        while True:
            if not self.words:
                self.words = self.block().tolist()
            product = self.words.pop(0) * n
            if product % 2**32 >= 2**32 % n:
                return product >> 32

    def take_halves(self, n):
        while len(self.halves) < n:
            words = self.block()
            self.halves += np.stack([words & np.uint64(0xFFFF), words >> np.uint64(16)], axis=1).reshape(-1).tolist()
        taken, self.halves = self.halves[:n], self.halves[n:]
        return taken


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


def card(i, n, keys):
    """Where a Feistel network of six rounds on the bits of n - 1 takes i, walked along until it is below n."""
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


def deal(graph, parts, seed, epoch):
    """The nodes of each part, by number."""
    words = philox(seed, DEAL << 56 | epoch << 24, 0, 3).tolist()
    keys = [words[2 * r] << 32 | words[2 * r + 1] for r in range(6)]
    cards = [card(i, graph.n, keys) for i in range(graph.n)]
    assert sorted(cards) == list(range(graph.n))
    return [[u for u in range(graph.n) if graph.n * p // parts <= cards[u] < graph.n * (p + 1) // parts] for p in range(parts)]


def scattered(count):
    """All places in steps near the golden section."""
    jump = int(count * 0.6180339887) | 1
    while math.gcd(jump, count) != 1:
        jump += 2
    return [i * jump % count for i in range(count)]


def games(parts):
    """Pairs of parts in the order of their rounds; within a round they touch different rows."""
    yield from ((a, a) for a in range(parts))
    even = parts + parts % 2
    for turn in range(even - 1 if parts > 1 else 0):
        for game in range(even // 2):
            x, y = even - 1 if game == 0 else (turn + game) % (even - 1), (turn - game) % (even - 1)
            if max(x, y) < parts:
                yield min(x, y), max(x, y)


class Comb:
    """For one edge or two, one draw from each of n slices of a ring of `count` places, which a random turn shifts; those that may
    not be used are drawn again from all places. Of two edges the first takes one half of a slice and the second the other."""

    def __init__(self, count, n, edges, stream):
        self.count, self.stream = count, stream
        turn = stream.below(count)
        halves = [stream.take_halves(n) for _ in range(edges)]
        self.drawn, self.loose = [], set()
        for numbers in halves:
            places = []
            for j, (number, first) in enumerate(zip(numbers, halves[0])):
                begin, length = j * count // n, (j + 1) * count // n - j * count // n
                if edges == 1:
                    at = number * length // 2**16
                else:
                    upper = (first >= 2**15) == (numbers is halves[0])
                    at = upper * (length // 2) + number % 2**15 * (length // 2) // 2**15
                places.append((begin + at + turn) % count)
            self.drawn.append(places)
        assert len(set(sum(self.drawn, []))) == edges * n

    def again(self, closed):
        for _ in range(64):
            place = self.stream.below(self.count)
            if place not in closed and place not in self.loose and all(place not in drawn for drawn in self.drawn):
                self.loose.add(place)
                return place
        return None

    def mended(self, i, closed):
        """The places of edge i, but none of those that are closed to it; None if there are not enough."""
        places = list(self.drawn[i])
        for place in closed:
            if place in self.drawn[i]:
                places[self.drawn[i].index(place)] = self.again(closed)
                if None in places:
                    return None
        return places


class Negatives:
    """K distinct nodes of u's part that are neither u nor above it; all of them if they are no more."""

    def __init__(self, graph, pool, wanted, stream, listed):
        self.graph, self.pool, self.wanted, self.stream = graph, pool, wanted, stream
        self.place = {node: i for i, node in enumerate(pool)}
        self.listed = listed  # of a game: the node whose complement was listed last, and that

    def places(self, nodes):
        return [self.place[node] for node in nodes if node in self.place]

    def combed(self, edges):
        """Those of all edges, by a comb; None where that is not possible."""
        count = len(self.pool)
        if count < 2 * self.wanted or self.listed[0] in [u for u, _ in edges]:
            return None
        comb, rows = Comb(count, self.wanted, len(edges), self.stream), []
        company = self.places([u for u, _ in edges] + [v for _, v in edges])
        for i, (u, _) in enumerate(edges):
            own = self.places([u] + self.graph.parents[u])
            mended = comb.mended(i, own + [place for place in company if place not in own])
            if not mended:
                return None
            rows.append([self.pool[place] for place in mended])
        return rows

    def draw(self, edges):
        """Of one edge or two."""
        return self.combed(edges) or [(len(edges) > 1 and self.combed([edge]) or [self.draw_alone(edge[0])])[0] for edge in edges]

    def draw_alone(self, u):
        count, wanted = len(self.pool), self.wanted
        if self.listed[0] != u and wanted < count:
            taken, found, tries = set(self.places([u] + self.graph.parents[u])), [], 0
            while len(found) < wanted and tries < 16 * wanted + 64:
                place, tries = self.stream.below(count), tries + 1
                if place not in taken:
                    taken.add(place)
                    found.append(self.pool[place])
            if len(found) == wanted:
                return found
        if self.listed[0] != u:  # the complement is small: it is listed, and shuffled as far as needed
            self.listed[:] = u, [m for m in self.pool if m != u and m not in self.graph.parents[u]]
        rest = self.listed[1]
        for i in range(min(wanted, len(rest))):
            j = i + self.stream.below(len(rest) - i)
            rest[i], rest[j] = rest[j], rest[i]
        return rest[:wanted]


def couples(links, place, wanted, count):
    """Two edges at a time from four runs, each of which comes first in turn, and the next one that shares no node with it. Nodes are
    told apart by the last six bits of their places, so some seem to be shared that are not."""
    if wanted >= count:  # one after the other
        yield from ([link] for link in links)
        return
    length = -(-len(links) // 4)
    runs = [links[i * length:(i + 1) * length] for i in range(4)]
    runs = [[run[i] for i in scattered(len(run))] for run in runs]
    turn = 0
    while any(runs):
        chosen, nodes = [], set()
        for run in (runs[(turn + i) % 4] for i in range(4)):
            bits = {place[node] % 64 for node in run[0]} if run else set()
            if run and not nodes & bits:
                chosen.append(run)
                nodes |= bits
        yield [run.pop(0) for run in chosen[:2 if count >= 2 * wanted else 1]]
        turn += 1


def side_by_side(halves):
    """Couples of the halves of a game, each with its draws: always of the half of which the larger share is left."""
    left = [count for count, _, _ in halves]
    while any(left):
        behind = max(range(len(halves)), key=lambda h: (left[h] / max(halves[h][0], 1), -h))
        _, couple_of, draws = halves[behind]
        couple = next(couple_of)
        left[behind] -= len(couple)
        yield couple, draws


# ---- the loss and the steps ------------------------------------------------------------------------------------------------------


def dot(a, b):
    return (a * b).sum(-1, keepdims=True)


def add(x, y):
    """Moebius addition of rows."""
    xy, xx, yy = dot(x, y), dot(x, x), dot(y, y)
    return ((1 + 2 * xy + yy) * x + (1 - xx) * y) / (1 + 2 * xy + xx * yy)


def unit(x):
    return x / np.sqrt(dot(x, x))


def move(x, direction, length, update, margin):
    """From x by so much hyperbolic length; `direction` is a unit vector in the ordinary sense."""
    gap = 1 - dot(x, x)
    if update == "geodesic":
        return add(x, np.tanh(length / 2) * direction)
    x = x + direction * length * (gap / 2 if update == "natural" else 2 / gap)
    norm = np.sqrt(dot(x, x))
    return np.where(norm > 1 - margin, x * (1 - margin) / norm, x)


def step(x, u, v, negatives, weight, lr, update, complement, margin, sharpness):
    """Moves u, v and the negatives at once; returns the loss."""
    rows = negatives + [v]
    here, there = x[[u]], x[rows]
    d = 2 * np.arcsinh(np.sqrt(dot(here - there, here - there) / ((1 - dot(here, here)) * (1 - dot(there, there)))))
    e = np.exp(-sharpness * (d - d[-1])) if sharpness > 1 else np.exp(-d)  # relative to the positive, or far ones are 0
    total = e[:-1].sum() + (1.0 if complement else e[-1, 0])
    slope = -weight * sharpness * e / total  # of the loss by each distance
    slope[-1] = weight * (1.0 if complement else sharpness * e[:-1].sum() / total)
    pull = (slope * unit(add(-here, there))).sum(0, keepdims=True)  # downhill for u: to the positive, off the negatives
    x[rows] = move(there, unit(add(-there, here)), lr * slope, update, margin)
    x[[u]] = move(here, unit(pull), lr * np.sqrt(dot(pull, pull)), update, margin)
    return weight * (math.log(total) if sharpness > 1 else d[-1, 0] + math.log(total))


def epoch(graph, x, number, parts, seed, wanted, **rule):
    """One epoch on the rows of x; returns the mean loss."""
    dealt = deal(graph, parts, seed, number)
    part_of = {u: p for p in range(parts) for u in dealt[p]}
    place = {u: i for part in dealt for i, u in enumerate(part)}
    losses = []
    for a, b in games(parts):
        stream, listed, halves = Stream(seed, BUCKET, number, a << 12 | b), [None, []], []
        for source, target in [(a, b), (b, a)] if a != b else [(a, a)]:
            draws = Negatives(graph, dealt[source], wanted, stream, listed)
            sources = [dealt[source][at] for at in scattered(len(dealt[source]))]
            links = [(u, v) for u in sources for v in graph.parents[u] if part_of[v] == target]
            halves.append((len(links), couples(links, place, wanted, len(dealt[source])), draws))
        for couple, draws in side_by_side(halves):
            for (u, v), negatives in zip(couple, draws.draw(couple)):
                weight = graph.edges[u, v] / graph.mean_weight
                losses.append(step(x, u, v, negatives, weight, **rule))
    return sum(losses) / len(losses)


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


CASES = [  # dim, K, parts, epochs, rate, seed, weighted, further options
    (5, 10, 10, 1, 0.5, 1, False, {}),
    (2, 10, 7, 1, 0.3, 2**40 + 3, True, {}),
    (3, 30, 10, 1, 0.2, 3, False, {}),  # as many as there are in a part: complements are listed
    (3, 5, 1, 2, 0.3, 4, False, {"loss": "complement"}),
    (4, 10, 10, 1, 0.5, 5, True, {"loss": "complement"}),
    (5, 10, 10, 1, 1.0, 6, False, {"update": "natural"}),
    (5, 10, 10, 1, 0.3, 8, True, {"sharpness": "2"}),
    (3, 20, 4, 1, 0.05, 9, False, {"sharpness": "8"}),
    (3, 10, 2, 1, 0.3, 10, False, {}),  # games long enough for several turns of either half
    (3, 10, 4, 1, 0.01, 7, False, {"update": "euclidean"}),
]


def main():
    worst = 0.0
    for weighted in (False, True):
        write_graph(f"graph{int(weighted)}.tsv", weighted)
    for dim, wanted, parts, epochs, rate, seed, weighted, more in CASES:
        path = f"graph{int(weighted)}.tsv"
        graph = Graph(path)
        # Euclidean steps grow with 1/S^2: they are compared near the origin, where they are stable
        placement = "random" if more.get("update") == "euclidean" else "tree"
        train(path, "start", "--dim", str(dim), "--epochs", "3", "--negatives", "10", "--lr", "0.2", "--seed", "9", "--placement",
              placement)
        train(path, "end", "--dim", str(dim), "--epochs", str(epochs), "--negatives", str(wanted), "--parts", str(parts), "--lr",
              str(rate), "--seed", str(seed), "--init", "start", "--sampling", "uniform", "--log", "log",
              *(word for key, value in more.items() for word in (f"--{key}", value)))
        x, _, names = read_model("start")
        assert names == graph.names
        before = x.copy()
        rule = {"lr": rate, "update": more.get("update", "geodesic"), "complement": "loss" in more, "margin": 1e-5,
                "sharpness": int(more.get("sharpness", 1))}
        losses = [epoch(graph, x, number, parts, seed, wanted, **rule) for number in range(epochs)]
        end, gap, _ = read_model("end")
        logged = [json.loads(line)["loss"] for line in open("log", encoding="utf-8")]
        errors = {"coordinates": np.abs(end - x).max(), "gaps": np.abs(gap - (1 - dot(x, x)[:, 0])).max(),
                  "losses": np.abs(np.array(logged) - losses).max()}
        what = f"dim {dim}, K {wanted}, {parts} parts, {epochs} epochs, rate {rate}, seed {seed}, weighted {weighted}, {more}"
        print(what, {key: float(f"{value:.2g}") for key, value in errors.items()})
        assert np.abs(end - before).max() > 1e-3, f"{what}: nothing moved"
        worst = max(worst, *errors.values())
    if not worst <= TOLERANCE:
        sys.exit(f"FAILED: they differ by {worst:g}, more than {TOLERANCE:g}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()

#!/usr/bin/python3
"""python_speed.py [training] [distances] [--quality] [--markdown] [REPEATS] - the Python package against gensim and NumPy, in one run on this machine.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_speed.py

One epoch of PoincareModel.train with 10 dimensions and 10 negatives, by gensim and by geodisk.gensim on one thread and on two: WordNet's
mammals, and the first 60,000 edges of WordNet's nouns. A million distances by Ball.distance and by NumPy. The time of one call.
Of several runs the fastest counts. What runs on one thread is measured in processor seconds, so that other work on the machine does not
count; what runs on two by the clock, where it does. --quality trains WordNet's mammals for 50 epochs by each, which takes half a minute,
and says how good the vectors are. With "training" or "distances" only that is measured; --markdown prints its table for the documents
(tools/measure-docs), and what else is said on standard error.
"""
import contextlib
import datetime
import logging
import os
import pathlib
import subprocess
import sys
import time
import timeit

import numpy as np

import geodisk
from geodisk import gensim as ours

ROOT = pathlib.Path(__file__).resolve().parents[1]


def best(repeats, make, run, clock=time.process_time, at_least=3.0):
    """The fastest of several runs, each with something fresh: so many of them, and for a while."""
    times, end = [], time.perf_counter() + at_least
    while len(times) < repeats or (time.perf_counter() < end and sum(times) < at_least):
        thing = make()
        started = clock()
        run(thing)
        times.append(clock() - started)
    return min(times)


def edge_lists():
    yield "mammals", list(ours.PoincareRelations(ROOT / "data" / "mammals.tsv"))
    try:
        nouns = geodisk.Graph.wordnet()
    except FileNotFoundError:
        print("nouns: wordnet-base is not installed")
        return
    names = nouns.names
    yield "nouns", [(names[u], names[v]) for u, v in nouns.edges[:60000].tolist()]


def compare_training(repeats):
    """Prints times; returns, for each list of edges, gensim's seconds and those of geodesic steps on one thread and two."""
    found = []
    try:
        from gensim.models import poincare as theirs
    except ImportError:
        print("training: python3-gensim is not installed")
        return found
    logging.disable(logging.CRITICAL)
    print("one epoch, dim 10, 10 negatives      seconds     edges/s    times gensim")
    for name, relations in edge_lists():
        settings = {"size": 10, "negative": 10, "burn_in": 0}

        def make(module, **more):
            return lambda: module.PoincareModel(relations, **settings, **more)

        seconds = {"gensim": best(max(1, repeats // 3), make(theirs), lambda m: m.train(epochs=1), at_least=0.0)}
        for workers in (1, 2):
            for update in ("geodesic", "natural"):
                label = f"geodisk, {update}, {workers} thread{'s' if workers > 1 else ''}"
                clock = time.process_time if workers == 1 else time.perf_counter
                seconds[label] = best(repeats, make(ours, workers=workers, update=update), lambda m: m.train(epochs=1), clock)
        for label, t in seconds.items():
            print(f"{name:8s} {label:27s} {t:9.4f} {len(relations) / t:11.0f} {seconds['gensim'] / t:11.0f}")
        found.append({"what": f"{len(relations):,} relations of the {name}", "gensim": seconds["gensim"],
                      "one": seconds["geodisk, geodesic, 1 thread"], "two": seconds["geodisk, geodesic, 2 threads"]})
    return found


def compare_quality():
    """gensim's default settings in 5 dimensions; everybody is judged by the same exact evaluation."""
    from gensim.models import poincare as theirs

    path = ROOT / "data" / "mammals.tsv"
    relations = list(ours.PoincareRelations(path))
    print("\nmammals, dim 5, 10 + 50 epochs            MAP   mean rank  processor seconds")
    kinds = (("geodisk, geodesic", ours, {}), ("geodisk, natural", ours, {"update": "natural"}),
             ("geodesic, not regularised", ours, {"regularization_coeff": 0.0}), ("gensim", theirs, {}))
    for label, module, more in kinds:
        model = module.PoincareModel(relations, size=5, **more)
        started = time.process_time()
        model.train(epochs=50)
        seconds = time.process_time() - started
        figures = ours.ReconstructionEvaluation(path, model.kv).evaluate()
        print(f"         {label:27s} {figures['MAP']:8.3f} {figures['mean_rank']:11.2f} {seconds:18.2f}")


def numpy_distance(u, v):
    """The usual expression."""
    return np.arccosh(1 + 2 * np.sum((u - v) ** 2, axis=1) / ((1 - np.sum(u**2, axis=1)) * (1 - np.sum(v**2, axis=1))))


def compare_distances(repeats):
    """Prints times; returns, for each dimension, NumPy's seconds and ours on one thread and two."""
    found = []
    n = 1_000_000
    print(f"\n{n} distances                       seconds     times NumPy")
    for dim in (2, 5, 10):
        x, y = np.random.default_rng(0).uniform(-0.3, 0.3, (2, n, dim))
        seconds = {"NumPy": best(repeats, lambda: None, lambda _: numpy_distance(x, y))}
        for threads in (1, 2):
            ball, clock = geodisk.Ball(dim, threads=threads), time.process_time if threads == 1 else time.perf_counter
            seconds[f"Ball.distance, {threads} thread{'s' if threads > 1 else ''}"] = best(repeats, lambda: None, lambda _: ball.distance(x, y), clock)
        for label, t in seconds.items():
            print(f"dim {dim:2d}   {label:27s} {t:9.4f} {seconds['NumPy'] / t:11.1f}")
        found.append({"what": f"dim {dim}", "numpy": seconds["NumPy"], "one": seconds["Ball.distance, 1 thread"],
                      "two": seconds["Ball.distance, 2 threads"]})
    return found


def time_calls():
    ball, x, y = geodisk.Ball(10), np.full(10, 0.1), np.full(10, 0.2)
    lib, doubles = geodisk._native.lib, geodisk._arrays.pointer
    out = np.empty(10)
    pointers = [doubles(x), doubles(y)]
    print("\none call, two points of 10 numbers    all      of which the library itself and cffi's call (microseconds)")
    for name, arguments in (("distance", pointers), ("exp", pointers + [doubles(out)]), ("log", pointers + [doubles(out)]),
                            ("mobius_add", pointers + [doubles(out)])):
        method, function = getattr(ball, name), getattr(lib, "geodisk_" + name)
        whole, inside = (min(timeit.repeat(f, number=20000, repeat=7)) / 20000 * 1e6
                         for f in (lambda: method(x, y), lambda: function(ball._ball, *arguments)))
        print(f"         Ball.{name:24s} {whole:9.2f} {inside:8.2f}   overhead {whole - inside:.2f}")


def rounded(value):
    """Three digits, without an exponent."""
    text = f"{value:.3g}"
    return text if "e" not in text else f"{float(text):.0f}"


def print_table(first, other, rows, words):
    """The table of the documents: when, where, of which commit and by which command, then columns and rows."""
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), os.uname().machine)
    commit = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty=, changed since", "--abbrev=12"], capture_output=True,
                            text=True, check=True).stdout.strip()
    print(f"Measured {datetime.date.today()} on {model}, {os.cpu_count()} cores, commit {commit}, by "
          f"`{' '.join(['bench/python_speed.py', *words])}`:\n")
    columns = [first, f"{other}, ms", "one thread, ms", "times", "two threads, ms", "times"]
    print("| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns))
    for row in rows:
        theirs = row[other.lower()]
        print("| " + " | ".join([row["what"], rounded(1e3 * theirs), rounded(1e3 * row["one"]), rounded(theirs / row["one"]),
                                 rounded(1e3 * row["two"]), rounded(theirs / row["two"])]) + " |")


def main():
    words = [word for word in sys.argv[1:] if word != "--markdown"]
    markdown, everything = "--markdown" in sys.argv, not {"training", "distances"} & set(words)
    repeats = int(next((word for word in words if word.isdigit()), 5))
    training = distances = None
    with contextlib.redirect_stdout(sys.stderr if markdown else sys.stdout):
        if everything or "training" in words:
            training = compare_training(repeats)
        if "--quality" in words:
            compare_quality()
        if everything or "distances" in words:
            distances = compare_distances(repeats)
        if everything:
            time_calls()
    if markdown and training is not None:
        print_table("one epoch, dim 10, 10 negatives", "gensim", training, words)
    if markdown and distances is not None:
        print_table("10⁶ distances", "NumPy", distances, words)


if __name__ == "__main__":
    main()

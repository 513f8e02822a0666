#!/usr/bin/python3
"""compare_readers.py BUILD_DIR [EDGES.tsv] - reading one edge list with geodisk, pandas and networkx, in one run.

Without a file: the closure of WordNet's nouns, 743,241 lines, made by `BUILD_DIR/geodisk graph import-wordnet`. Needs Debian's
python3-pandas and python3-networkx. What is read in each case:
  geodisk      geodisk_graph_read: a graph with names, rows both ways
  pandas       read_csv: two columns of strings
  pandas, ids  read_csv, then factorize: names and two columns of ids, which is nearer to a graph
  networkx     read_edgelist: a DiGraph
Processor seconds, the best of the runs, and how many times geodisk's.
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import time

import networkx
import pandas

REPEATS = {"networkx": 1}  # it takes seconds; the others the best of five


def geodisk_reader(build):
    lib = ctypes.CDLL(os.path.join(build, "libgeodisk.so"))
    lib.geodisk_graph_read.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)]
    lib.geodisk_graph_destroy.argtypes = [ctypes.c_void_p]
    lib.geodisk_graph_edges.argtypes = [ctypes.c_void_p]
    lib.geodisk_graph_edges.restype = ctypes.c_size_t

    def read(path):
        graph = ctypes.c_void_p()
        if lib.geodisk_graph_read(None, path.encode(), None, None, ctypes.byref(graph)) != 0:
            sys.exit(f"geodisk cannot read {path}")
        edges = lib.geodisk_graph_edges(graph)
        lib.geodisk_graph_destroy(graph)
        return edges

    return read


def pandas_reader(path):
    return len(pandas.read_csv(path, sep="\t", header=None, names=["child", "parent"], dtype=str, na_filter=False))


def pandas_ids_reader(path):
    table = pandas.read_csv(path, sep="\t", header=None, names=["child", "parent"], dtype=str, na_filter=False)
    ids, _ = pandas.factorize(pandas.concat([table.child, table.parent]))
    return len(ids) // 2


def networkx_reader(path):
    return networkx.read_edgelist(path, delimiter="\t", create_using=networkx.DiGraph, data=False, comments=None).number_of_edges()


def best_time(name, read, path):
    best, edges = float("inf"), 0
    for _ in range(REPEATS.get(name, 5)):
        start = time.process_time()
        edges = read(path)
        best = min(best, time.process_time() - start)
    return best, edges


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = sys.argv[2] if len(sys.argv) == 3 else os.path.join(folder, "nouns.tsv")
        if len(sys.argv) == 2:
            subprocess.run([os.path.join(build, "geodisk"), "graph", "import-wordnet", "-q", "-o", path], check=True)
        print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB")
        print(f"{'':14}{'edges':>9}{'cpu s':>9}{'ratio':>8}")
        first = None
        for name, read in (("geodisk", geodisk_reader(build)), ("pandas", pandas_reader), ("pandas, ids", pandas_ids_reader),
                           ("networkx", networkx_reader)):
            seconds, edges = best_time(name, read, path)
            first = first or seconds
            print(f"{name:14}{edges:9}{seconds:9.3f}{seconds / first:8.1f}")
    print(f"pandas {pandas.__version__}, networkx {networkx.__version__}")


if __name__ == "__main__":
    main()

"""compare_networkx.py - closure, reduction, components, cycles, distances, subgraphs and generators of libgeodisk against networkx,
on random graphs. Usage: compare_networkx.py [GRAPHS]; the library is the one $LIBRARY names."""
import ctypes
import random
import sys

import networkx as nx

from library import ClosureOptions, GenerateOptions, Graph, lib

BOTH, UP, DOWN = range(3)
TREE, RECURSIVE, GRID, BARABASI, BLOCKS = range(5)
UNREACHABLE = 2 ** 32 - 1


def random_dag(rng, n):
    """Any kind networkx has, made acyclic by a random order of the nodes."""
    order = rng.sample(range(n), n)
    kind = rng.randrange(3)
    if kind == 0:
        g = nx.gnp_random_graph(n, rng.random() ** 2, seed=rng.randrange(2 ** 31))
    elif kind == 1:
        g = nx.barabasi_albert_graph(n, rng.randint(1, min(4, n - 1)), seed=rng.randrange(2 ** 31)) if n > 1 else nx.empty_graph(n)
    else:
        g = nx.random_labeled_tree(n) if hasattr(nx, "random_labeled_tree") else nx.random_tree(n, seed=rng.randrange(2 ** 31))
    d = nx.DiGraph()
    d.add_nodes_from(range(n))
    d.add_edges_from((order[max(u, v)], order[min(u, v)]) for u, v in g.edges)
    return d


def random_digraph(rng, n):
    d = nx.gnp_random_graph(n, rng.random() ** 2 / 2, seed=rng.randrange(2 ** 31), directed=True)
    return d


def of(d, weights=None):
    return Graph.of(d.number_of_nodes(), list(d.edges), weights)


def check_dag(d):
    g = of(d)
    assert g.edges() == set(d.edges)
    assert Graph.made(lib.geodisk_graph_closure, g.handle, None).edges() == set(nx.transitive_closure(d).edges)
    assert Graph.made(lib.geodisk_graph_reduce, g.handle).edges() == set(nx.transitive_reduction(d).edges)
    assert g.cycle() == []


def check_digraph(rng, d):
    g = of(d)
    options = ClosureOptions(True, 0)
    expected = {(u, v) for u, v in nx.transitive_closure(d, reflexive=None).edges if u != v}
    assert Graph.made(lib.geodisk_graph_closure, g.handle, ctypes.byref(options)).edges() == expected
    assert g.components(False) == {frozenset(x) for x in nx.weakly_connected_components(d)}
    assert g.components(True) == {frozenset(x) for x in nx.strongly_connected_components(d)}
    assert Graph.made(lib.geodisk_graph_undirected, g.handle).edges() == set(d.to_undirected().to_directed().edges)
    acyclic = nx.is_directed_acyclic_graph(d)
    cycle = g.cycle()
    assert (cycle == []) == acyclic
    assert all(d.has_edge(u, v) for u, v in zip(cycle, cycle[1:] + cycle[:1]))
    assert (Graph.made(lib.geodisk_graph_closure, g.handle, None) is not None) == acyclic
    root = rng.randrange(g.nodes)
    below = Graph.made(lib.geodisk_graph_subgraph_below, g.handle, root)
    names = [int(name) for name in below.names()]
    kept = nx.ancestors(d, root) | {root}  # networkx's ancestors: from where a path leads here
    assert set(names) == kept
    assert {(names[u], names[v]) for u, v in below.edges()} == set(d.subgraph(kept).edges)


def check_distances(rng, d):
    weights = [rng.randrange(10) / 4 for _ in d.edges]  # exact sums
    g = of(d, weights)
    for (u, v), w in zip(d.edges, weights):
        d[u][v]["weight"] = w
    both = nx.Graph()
    both.add_nodes_from(d)
    for u, v in d.edges:
        lengths = [d[a][b]["weight"] for a, b in ((u, v), (v, u)) if d.has_edge(a, b)]
        both.add_edge(u, v, weight=min(lengths))
    n = g.nodes
    for way, graph in ((BOTH, both), (UP, d), (DOWN, d.reverse())):
        hops, info = g.hops(way)
        lengths, length_info = g.lengths(way)
        unreachable = 0
        for u in range(n):
            reached = nx.single_source_shortest_path_length(graph, u)
            far = nx.single_source_dijkstra_path_length(graph, u)
            for v in range(n):
                unreachable += v not in reached
                assert hops[u * n + v] == reached.get(v, UNREACHABLE)
                assert not d.edges or lengths[u * n + v] == far.get(v, float("inf"))
        assert info.unreachable == length_info.unreachable == unreachable
        assert info.pairs == n * (n - 1)


def generated(**options):
    return Graph.made(lib.geodisk_graph_generate, ctypes.byref(GenerateOptions(**options)))


def undirected(g):
    return {frozenset(edge) for edge in g.edges()}


def check_generators(rng):
    b, depth = rng.randint(1, 4), rng.randint(0, 4)
    tree = generated(kind=TREE, branching=b, depth=depth)
    other = nx.balanced_tree(b, depth) if b > 1 else nx.path_graph(depth + 1)
    assert tree.nodes == other.number_of_nodes() and undirected(tree) == {frozenset(e) for e in other.edges}
    rows, columns = rng.randint(1, 6), rng.randint(1, 6)
    grid = generated(kind=GRID, rows=rows, columns=columns)
    other = nx.grid_2d_graph(rows, columns)
    assert undirected(grid) == {frozenset(i * columns + j for i, j in e) for e in other.edges}
    n, seed = rng.randint(2, 40), rng.randrange(2 ** 31)
    recursive = generated(kind=RECURSIVE, nodes=n, seed=seed)
    assert all(u > v for u, v in recursive.edges())
    assert nx.is_tree(nx.Graph(list(recursive.edges())))
    m = rng.randint(1, n - 1)
    barabasi = generated(kind=BARABASI, nodes=n, attach=m, seed=seed)
    assert barabasi.nodes == n
    assert len(barabasi.edges()) == nx.barabasi_albert_graph(n, m, seed=seed).number_of_edges()
    assert nx.is_connected(nx.Graph(list(barabasi.edges())))
    k = rng.randint(1, min(5, n))
    full = generated(kind=BLOCKS, nodes=n, blocks=k, p_in=1, p_out=0)
    sizes = [n // k + (i < n % k) for i in range(k)]
    other = nx.stochastic_block_model(sizes, [[float(i == j) for j in range(k)] for i in range(k)], seed=seed)
    assert undirected(full) == {frozenset(e) for e in other.edges}


def degrees_agree():
    """The degrees of random graphs have the same distribution as networkx's: tails of two large samples."""
    n, m = 4000, 2
    ours = nx.Graph(list(generated(kind=BARABASI, nodes=n, attach=m, seed=1).edges()))
    theirs = nx.barabasi_albert_graph(n, m, seed=1)
    for k in (2, 3, 5, 10, 20):
        a, b = (sum(d > k for _, d in g.degree()) for g in (ours, theirs))
        assert abs(a - b) < 6 * (2 * max(a, b, 1)) ** 0.5, (k, a, b)
    p = [[0.02, 0.001], [0.001, 0.02]]
    ours = nx.Graph(list(generated(kind=BLOCKS, nodes=2000, blocks=2, p_in=0.02, p_out=0.001, seed=1).edges()))
    theirs = nx.stochastic_block_model([1000, 1000], p, seed=1)
    a, b = ours.number_of_edges(), theirs.number_of_edges()
    assert abs(a - b) < 6 * (2 * max(a, b)) ** 0.5, (a, b)


def main():
    graphs = int(sys.argv[1]) if len(sys.argv) > 1 else 320
    for seed in range(graphs):
        rng = random.Random(seed)
        n = rng.choice((1, 2, 3, 5, 8, 13, 21, 30))
        try:
            check_dag(random_dag(rng, n))
            check_digraph(rng, random_digraph(rng, n))
            check_distances(rng, random_digraph(rng, min(n, 13)))
            check_generators(rng)
        except AssertionError:
            print(f"seed {seed} failed", file=sys.stderr)
            raise
    degrees_agree()
    print(f"{3 * graphs} random graphs, {5 * graphs} generated ones: all as networkx {nx.__version__} has them")


if __name__ == "__main__":
    main()

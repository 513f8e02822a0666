"""formats_networkx.py GEODISK - what networkx writes is read, and what geodisk writes networkx reads, as the same graph: GraphML, GEXF,
node-link JSON, trees in JSON, edge lists with data. Prints what was compared; exit code 1 at the first difference.
"""
import json
import os
import subprocess
import sys
import tempfile

import networkx as nx

GEODISK = sys.argv[1]


def run(*arguments):
    return subprocess.run([GEODISK, "graph", *arguments], check=True, capture_output=True, text=True)


def edges(graph):
    """Names and weights of a networkx graph as geodisk has them: both ways, if it is undirected."""
    found = {(str(u), str(v)): float(d.get("weight", 1)) for u, v, d in graph.edges(data=True) if u != v}
    if not graph.is_directed():
        found.update({(v, u): w for (u, v), w in list(found.items())})
    return found


def read_back(path):
    """The edges geodisk finds in a file, by its own edge list."""
    run("convert", path, "-o", "back.tsv", "--quiet")
    found = {}
    for line in open("back.tsv", encoding="utf-8"):
        fields = line.rstrip("\n").split("\t")
        if len(fields) > 1:
            found[fields[0].strip('"'), fields[1].strip('"')] = float(fields[2]) if len(fields) > 2 else 1.0
    return found


def writers(graph):
    nx.write_graphml(graph, "in.graphml")
    with open("in.json", "w", encoding="utf-8") as file:
        json.dump(nx.node_link_data(graph), file)
    return ["in.graphml", "in.json"]


def check(what, expected, found):
    if expected != found:
        print(f"{what}: missing {sorted(expected.items() - found.items())[:5]}, too many {sorted(found.items() - expected.items())[:5]}")
        sys.exit(1)
    print(f"{what}: {len(expected)} edges, the same")


def relabel(graph):
    names = {n: f"node {n} <&>'é" for n in graph}
    return nx.relabel_nodes(graph, names)


def weigh(graph):
    for i, (_, _, data) in enumerate(graph.edges(data=True)):
        data["weight"] = 0.5 + i
    return graph


GRAPHS = {
    "karate club": nx.karate_club_graph(),
    "tree": relabel(nx.balanced_tree(3, 3, create_using=nx.DiGraph)).reverse(),
    "weighted": weigh(relabel(nx.gnp_random_graph(30, 0.1, seed=1, directed=True))),
    "network": relabel(nx.gnp_random_graph(30, 0.1, seed=2)),
}


def main():
    os.chdir(tempfile.mkdtemp(dir="."))
    for name, graph in GRAPHS.items():
        for path in writers(graph):
            check(f"{name}, {path} by networkx", edges(graph), read_back(path))
        for end, reader in (("graphml", nx.read_graphml), ("gexf", nx.read_gexf),
                            ("json", lambda p: nx.node_link_graph(json.load(open(p, encoding="utf-8"))))):
            run("convert", "in.graphml", "-o", f"out.{end}", "--quiet")
            back = reader(f"out.{end}")
            if back.is_directed() != graph.is_directed() or set(map(str, back)) != set(map(str, graph)):
                print(f"{name}, out.{end}: other nodes, or another direction")
                sys.exit(1)
            check(f"{name}, out.{end} by geodisk", edges(graph), edges(back))
    karate = nx.karate_club_graph()
    for delimiter in ("\t", " ", ","):
        nx.write_edgelist(karate, "in.edges", delimiter=delimiter)
        run("convert", "in.edges", "--undirected", "-o", "both.tsv", "--quiet")
        check(f"karate club, write_edgelist, delimiter {delimiter!r}", edges(karate), read_back("both.tsv"))
    tree = nx.balanced_tree(3, 3, create_using=nx.DiGraph)
    with open("tree.json", "w", encoding="utf-8") as file:
        json.dump(nx.tree_data(tree, 0), file, sort_keys=True)  # children before the id
    check("tree, tree.json by networkx", edges(tree.reverse()), read_back("tree.json"))


main()

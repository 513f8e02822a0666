"""library.py - libgeodisk by ctypes, as far as the comparisons with networkx need it."""
import ctypes as c
import os

OK = 0


class Rows(c.Structure):
    _fields_ = [("offsets", c.POINTER(c.c_uint64)), ("nodes", c.POINTER(c.c_uint32)), ("weights", c.POINTER(c.c_double))]


class Arrays(c.Structure):
    _fields_ = [("nodes", c.c_size_t), ("names", c.POINTER(c.c_char_p)), ("edges", c.c_size_t), ("children", c.POINTER(c.c_uint32)),
                ("parents", c.POINTER(c.c_uint32)), ("weights", c.POINTER(c.c_double))]


class ClosureOptions(c.Structure):
    _fields_ = [("allow_cycles", c.c_bool), ("max_edges", c.c_uint64)]


class GenerateOptions(c.Structure):
    _fields_ = [("kind", c.c_int), ("shape", c.c_int)] + [
        (name, c.c_uint64) for name in ("nodes", "branching", "depth", "rows", "columns", "attach", "blocks")] + [
        ("p_in", c.c_double), ("p_out", c.c_double), ("seed", c.c_uint64)]


class PathOptions(c.Structure):
    _fields_ = [("way", c.c_int), ("sources", c.POINTER(c.c_uint32)), ("n_sources", c.c_size_t)]


class DistanceInfo(c.Structure):
    _fields_ = [("pairs", c.c_uint64), ("unreachable", c.c_uint64), ("longest", c.c_double), ("mean", c.c_double)]


lib = c.CDLL(os.environ["LIBRARY"])
lib.geodisk_graph_out.restype = Rows
lib.geodisk_graph_out.argtypes = [c.c_void_p]
lib.geodisk_graph_nodes.restype = lib.geodisk_graph_edges.restype = c.c_size_t
lib.geodisk_graph_nodes.argtypes = lib.geodisk_graph_edges.argtypes = [c.c_void_p]
lib.geodisk_graph_destroy.argtypes = [c.c_void_p]
lib.geodisk_graph_create.argtypes = [c.c_void_p, c.POINTER(Arrays), c.c_void_p, c.POINTER(c.c_void_p)]
lib.geodisk_graph_closure.argtypes = [c.c_void_p, c.c_void_p, c.POINTER(ClosureOptions), c.POINTER(c.c_void_p)]
lib.geodisk_graph_reduce.argtypes = [c.c_void_p, c.c_void_p, c.POINTER(c.c_void_p)]
lib.geodisk_graph_undirected.argtypes = [c.c_void_p, c.c_void_p, c.POINTER(c.c_void_p)]
lib.geodisk_graph_subgraph_below.argtypes = [c.c_void_p, c.c_void_p, c.c_uint32, c.POINTER(c.c_void_p)]
lib.geodisk_graph_generate.argtypes = [c.c_void_p, c.POINTER(GenerateOptions), c.POINTER(c.c_void_p)]
lib.geodisk_graph_components.argtypes = [c.c_void_p, c.c_void_p, c.c_bool, c.POINTER(c.c_uint32), c.POINTER(c.c_size_t)]
lib.geodisk_graph_find_cycle.argtypes = [c.c_void_p, c.c_void_p, c.POINTER(c.c_uint32), c.POINTER(c.c_size_t)]
lib.geodisk_graph_hops.argtypes = [c.c_void_p, c.c_void_p, c.POINTER(PathOptions), c.POINTER(c.c_uint32),
                                   c.POINTER(DistanceInfo)]
lib.geodisk_graph_lengths.argtypes = [c.c_void_p, c.c_void_p, c.POINTER(PathOptions), c.POINTER(c.c_double),
                                      c.POINTER(DistanceInfo)]
lib.geodisk_graph_name.restype = c.c_char_p
lib.geodisk_graph_name.argtypes = [c.c_void_p, c.c_uint32]
lib.geodisk_context_create.argtypes = [c.c_int, c.POINTER(c.c_void_p)]

context = c.c_void_p()
assert lib.geodisk_context_create(2, c.byref(context)) == OK


class Graph:
    """A geodisk_graph."""

    def __init__(self, handle):
        self.handle = handle

    def __del__(self):
        lib.geodisk_graph_destroy(self.handle)

    @classmethod
    def of(cls, nodes, edges, weights=None):
        """From a number of nodes and a list of pairs."""
        n = len(edges)
        arrays = Arrays(nodes, None, n, (c.c_uint32 * n)(*(u for u, _ in edges)), (c.c_uint32 * n)(*(v for _, v in edges)),
                        (c.c_double * n)(*weights) if weights is not None else None)
        return cls.made(lib.geodisk_graph_create, c.byref(arrays), None)

    @classmethod
    def made(cls, function, *arguments):
        """By a function whose last argument is the graph; None if it refuses."""
        handle = c.c_void_p()
        return cls(handle) if function(context, *arguments, c.byref(handle)) == OK else None

    @property
    def nodes(self):
        return lib.geodisk_graph_nodes(self.handle)

    def edges(self):
        rows = lib.geodisk_graph_out(self.handle)
        return {(u, rows.nodes[e]) for u in range(self.nodes) for e in range(rows.offsets[u], rows.offsets[u + 1])}

    def names(self):
        return [lib.geodisk_graph_name(self.handle, u).decode() for u in range(self.nodes)]

    def components(self, strong):
        component, count = (c.c_uint32 * self.nodes)(), c.c_size_t()
        assert lib.geodisk_graph_components(context, self.handle, strong, component, c.byref(count)) == OK
        groups = {}
        for u in range(self.nodes):
            groups.setdefault(component[u], set()).add(u)
        assert len(groups) == count.value
        return {frozenset(group) for group in groups.values()}

    def cycle(self):
        cycle, length = (c.c_uint32 * self.nodes)(), c.c_size_t()
        assert lib.geodisk_graph_find_cycle(context, self.handle, cycle, c.byref(length)) == OK
        return list(cycle[:length.value])

    def hops(self, way):
        out, info = (c.c_uint32 * self.nodes ** 2)(), DistanceInfo()
        assert lib.geodisk_graph_hops(context, self.handle, c.byref(PathOptions(way)), out, c.byref(info)) == OK
        return out, info

    def lengths(self, way):
        out, info = (c.c_double * self.nodes ** 2)(), DistanceInfo()
        assert lib.geodisk_graph_lengths(context, self.handle, c.byref(PathOptions(way)), out, c.byref(info)) == OK
        return out, info

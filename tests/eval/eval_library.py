"""eval_library.py - the evaluation of libgeodisk by ctypes, as far as the comparisons need it."""
import ctypes as c
import os

import numpy as np

OK = 0
FILTERED, GENSIM = range(2)


class Ball(c.Structure):
    _fields_ = [("dim", c.c_int), ("radius", c.c_double), ("curvature", c.c_double)]


class Points(c.Structure):
    _fields_ = [("nodes", c.c_size_t), ("ball", Ball), ("space", c.c_int), ("precision", c.c_int), ("vectors", c.c_void_p),
                ("vectors_stride", c.c_size_t), ("gap", c.c_void_p), ("gap_stride", c.c_size_t)]


class Arrays(c.Structure):
    _fields_ = [("nodes", c.c_size_t), ("names", c.c_void_p), ("edges", c.c_size_t), ("children", c.POINTER(c.c_uint32)),
                ("parents", c.POINTER(c.c_uint32)), ("weights", c.c_void_p)]


class RankingOptions(c.Structure):
    _fields_ = [("definition", c.c_int), ("arithmetic", c.c_int), ("loss", c.c_bool), ("sample", c.c_size_t), ("seed", c.c_uint64),
                ("device", c.c_int), ("by_node", c.c_void_p)]


class Estimate(c.Structure):
    _fields_ = [("value", c.c_double), ("low", c.c_double), ("high", c.c_double)]


class Ranking(c.Structure):
    _fields_ = [("nodes", c.c_size_t), ("nodes_all", c.c_size_t), ("pairs", c.c_uint64)] + [
        (name, Estimate) for name in ("mean_rank", "map", "hits_at_1", "hits_at_3", "hits_at_10", "auc", "loss", "loss_complement", "precision_at_1",
                                 "precision_at_3", "precision_at_10", "precision_at_degree")]


class Correlation(c.Structure):
    _fields_ = [("kendall_tau", c.c_double), ("spearman", c.c_double)] + [
        (name, c.c_uint64) for name in ("pairs", "concordant", "discordant", "tied_x", "tied_y", "tied_both")]


class FitOptions(c.Structure):
    _fields_ = [("directed", c.c_bool), ("as_given", c.c_bool), ("weighted", c.c_bool), ("sample", c.c_size_t),
                ("pairs", c.c_size_t), ("seed", c.c_uint64), ("all_pairs", c.c_bool)]


class Fit(c.Structure):
    _fields_ = [("pairs", c.c_uint64), ("unreachable", c.c_uint64), ("nodes", c.c_size_t), ("first_nodes", c.c_size_t),
                ("reduced", c.c_bool),
                ("kendall_tau", Estimate), ("spearman", Estimate), ("distortion_mean", Estimate), ("distortion_scaled", Estimate),
                ("scale", c.c_double), ("distortion_worst", c.c_double), ("distortion_squared", Estimate),
                ("distortion_squared_scaled", Estimate), ("depth_radius", c.c_double), ("depth_nodes", c.c_size_t)]


lib = c.CDLL(os.environ["LIBRARY"])
lib.geodisk_graph_create.argtypes = [c.c_void_p, c.POINTER(Arrays), c.c_void_p, c.POINTER(c.c_void_p)]
lib.geodisk_graph_destroy.argtypes = lib.geodisk_relation_destroy.argtypes = [c.c_void_p]
lib.geodisk_relation_create_plain.argtypes = [c.c_void_p, c.c_void_p, c.c_size_t, c.POINTER(c.c_void_p)]
lib.geodisk_eval_ranking.argtypes = [c.c_void_p, c.POINTER(Points), c.c_void_p, c.c_void_p, c.POINTER(RankingOptions), c.POINTER(Ranking)]
lib.geodisk_eval_fit.argtypes = [c.c_void_p, c.POINTER(Points), c.c_void_p, c.POINTER(FitOptions), c.POINTER(Fit)]
lib.geodisk_rank_correlation.argtypes = [c.c_void_p, c.c_size_t, c.c_void_p, c.c_void_p, c.POINTER(Correlation)]
lib.geodisk_context_create.argtypes = [c.c_int, c.POINTER(c.c_void_p)]
lib.geodisk_context_error.restype = c.c_char_p
lib.geodisk_context_error.argtypes = [c.c_void_p]

context = c.c_void_p()
assert lib.geodisk_context_create(2, c.byref(context)) == OK


def check(status):
    assert status == OK, lib.geodisk_context_error(context)


class Relation:
    """A graph of n nodes over n points, from pairs (child, parent)."""

    def __init__(self, n, edges):
        self.graph, self.handle = c.c_void_p(), c.c_void_p()
        count = len(edges)
        arrays = Arrays(n, None, count, (c.c_uint32 * count)(*(u for u, _ in edges)), (c.c_uint32 * count)(*(v for _, v in edges)),
                        None)
        check(lib.geodisk_graph_create(context, c.byref(arrays), None, c.byref(self.graph)))
        check(lib.geodisk_relation_create_plain(context, self.graph, n, c.byref(self.handle)))

    def __del__(self):
        lib.geodisk_relation_destroy(self.handle)
        lib.geodisk_graph_destroy(self.graph)


def points_of(x):
    """A view of x, which must live on."""
    assert x.flags.c_contiguous and x.dtype in (np.float64, np.float32)
    return Points(len(x), Ball(x.shape[1], 1.0, 1.0), 0, int(x.dtype == np.float32), x.ctypes.data, 0, None, 0)


def ranking(x, positives, known=None, definition=FILTERED, loss=False):
    out, options = Ranking(), RankingOptions(definition, 0, loss, 0, 0)
    check(lib.geodisk_eval_ranking(context, c.byref(points_of(x)), positives.handle, known.handle if known else None,
                                   c.byref(options), c.byref(out)))
    return out


def fit(x, relation, **options):
    out, chosen = Fit(), FitOptions(**options)
    check(lib.geodisk_eval_fit(context, c.byref(points_of(x)), relation.handle, c.byref(chosen), c.byref(out)))
    return out


def correlation(x, y):
    x, y, out = np.ascontiguousarray(x, float), np.ascontiguousarray(y, float), Correlation()
    check(lib.geodisk_rank_correlation(context, len(x), x.ctypes.data, y.ctypes.data, c.byref(out)))
    return out

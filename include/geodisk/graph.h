/* geodisk/graph.h - immutable directed graphs with named nodes: reading and writing them, closure, splits, generators, checks,
 * graph distances.
 *
 * DIRECTION. An edge goes from child to parent (hyponym -> hypernym, part -> whole, specific -> general): in "dog  mammal" the
 * dog is the child. Out-row of u = the parents of u, in-row = its children. A root has no parents, a leaf no children. Files the
 * other way round are read with `reverse`.
 *
 * A graph is simple: self-loops and repeated edges are left out when it is built, and counted. Nodes are numbered 0 .. nodes-1 in
 * the order in which their names first occur; ids are 32-bit, a graph of more than 4,294,967,294 nodes is refused (UNSUPPORTED).
 * Both directions are stored as compressed rows, each sorted by node id.
 *
 * MEMORY of a finished graph: 8 bytes per edge (24 with weights), 30 bytes per node, and the names with one byte each for their
 * end. While a graph is read the peak is 12 bytes per edge (28 with weights; `strict` adds 8), at most 40 bytes per node, the
 * names, and 2 MiB of buffers.
 *
 * A graph never changes, so any number of threads may use one. All functions are fallible (base.h) unless they return a value.
 *
 * For example:
 *     geodisk_graph *graph = NULL, *closure = NULL;
 *     geodisk_status st = geodisk_graph_read(context, "tree.tsv", NULL, NULL, &graph);
 *     if (st == GEODISK_OK) st = geodisk_graph_closure(context, graph, NULL, &closure);
 *     if (st == GEODISK_OK) st = geodisk_graph_write(context, closure, "closure.tsv.gz", NULL);
 *     geodisk_graph_destroy(closure);
 *     geodisk_graph_destroy(graph);
 */
#ifndef GEODISK_GRAPH_H
#define GEODISK_GRAPH_H

#include "geodisk/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct geodisk_graph geodisk_graph;

/* ---- reading edge lists ---------------------------------------------------------------------------------------------- */

typedef enum geodisk_choice { GEODISK_CHOICE_AUTO = 0, GEODISK_CHOICE_YES = 1, GEODISK_CHOICE_NO = 2 } geodisk_choice;

/* What graphs are read from and written to. */
typedef enum geodisk_graph_format {
  GEODISK_GRAPH_AUTO = 0, /* reading: by how the file begins; writing: by the end of the path, else EDGES */
  GEODISK_GRAPH_EDGES = 1,
  GEODISK_GRAPH_GRAPHML = 2,
  GEODISK_GRAPH_JSON = 3,   /* read: trees, nodes and links, lists; written: nodes and links */
  GEODISK_GRAPH_NEWICK = 4, /* read only */
  GEODISK_GRAPH_GEXF = 5    /* written only */
} geodisk_graph_format;

/* How to read a graph; all zero (or NULL) is the default. */
typedef struct geodisk_graph_read_options {
  char separator;         /* 0: find out; ' ': runs of blanks and tabs; otherwise this byte */
  geodisk_choice header;  /* is the first line a header? AUTO: see below */
  geodisk_choice weights; /* YES: a third column is the weight, and must be there; AUTO: if it holds numbers; NO: it is ignored */
  bool reverse;           /* the file has the parent first */
  bool strict;            /* what is else counted is an error */
  bool no_quotes;         /* a quotation mark is a letter like any other */
  bool no_comments;       /* '#' and '%' at the start of a line are letters like any other */
  uint64_t max_edges;     /* more lines with an edge than this are an error (FORMAT); 0: no limit. 12 to 20 bytes each */
  const char *columns;    /* which are child, parent and weight, by the header's words or numbers from 1: "name,boss", "4,2,5" */
  geodisk_graph_format format;
} geodisk_graph_read_options;

/* What was found. `counted` things are reported by log events too (WARNING); under `strict` each is an error of its line. */
typedef struct geodisk_graph_read_info {
  uint64_t lines;           /* in the file */
  uint64_t comments;        /* lines */
  uint64_t blank_lines;     /* lines */
  uint64_t edges_read;      /* lines that gave an edge, self-loops and duplicates included */
  uint64_t self_loops;      /* counted: left out */
  uint64_t duplicates;      /* counted: left out after the first */
  uint64_t blank_fields;    /* counted: lines left out because child or parent is blank, or with a blank weight (taken as 1) */
  uint64_t lone_nodes;      /* counted: lines of one field, which name a node without giving an edge */
  uint64_t missing_weights; /* counted: lines of two fields in a file with weights (taken as 1) */
  uint64_t extra_fields;    /* counted: lines with fields that are ignored: after the third, or with one that is no number */
  char separator;           /* used */
  bool header;              /* the first line was taken as a header */
  bool weighted;
  bool gzip;
} geodisk_graph_read_info;

/* Reads an edge list: one edge a line, child first, parent second, optional weight third.
 *
 *   separator  tab, comma, semicolon, bar or blanks; found out from the first 100 lines: the first of these in this order that
 *              splits at least half of the lines that any of them splits. Blanks around a field do not belong to it.
 *   quotes     as in RFC 4180: a field that begins with a quotation mark ends at the next single one, a doubled one stands for
 *              itself, separators and line ends inside belong to the name. "" is the empty name; nothing at all is a blank field.
 *   header     the first line is a header if both its words occur nowhere else in the two columns (as far as the first 4096
 *              lines tell) and the rest looks like data: its names, or its third column, are numbers and the first line's are
 *              not; or its names hang together (of its lines at most 6 in 10, of lines separated by blanks 1 in 4, have two
 *              names that occur nowhere else, as the first line has); or they are written in another way than the two words
 *              (capitals, a word in common, a word such as "id" at the end). So are known pairs of words, such as "child",
 *              "parent". A line with quotes is data, unless all lines have them.
 *   columns    those of options; else the first is the child, the second the parent, the third the weight if it holds
 *              numbers. A comma in a column's name is written twice. Below a header, and of chosen columns, a blank parent makes
 *              the child a root.
 *   comments   lines that begin with '#' or '%' before a blank, or twice; without a blank they are comments too, unless lines
 *              like them are data: as many fields, and the sign begins other names as well, or a quarter of all lines. Blank
 *              lines are skipped. Line ends LF or CRLF; a byte order mark is skipped.
 *   data       networkx.write_edgelist's dictionary after the two names: its weight is taken, the rest is ignored.
 *   weight     decimal, finite and >= 0.
 *   gzip       recognised by its first bytes (if zlib is built in, else UNSUPPORTED), several members in a row too.
 *   path       a file, or "-" for standard input.
 *
 * Other formats are recognised by how they begin; `separator`, `header`, quotes and comments are nothing to them, `columns`
 * are an error. An edge goes from source (child) to target (parent); an undirected one both ways.
 *   GraphML    begins with "<?xml" or "<graphml". Nodes are called by the data "name" (or "label", as yEd's) where all nodes
 *              have different ones, else by their ids. The data "weight" of an edge is its weight.
 *   JSON       begins with a bracket. A tree: an object with name (or id, label, ...) and children (or items, contents).
 *              Nodes and links: "nodes" with id (or name), "links" or "edges" with source and target, by id or by place in the
 * list, and weight (or value); "directed": false. Lists: of pairs, of such links, of objects with id and parent, of trees. Newick
 * begins with a bracket and ends with a semicolon, or the path ends in .nwk, .newick, .tree, .tre, .nhx. Lengths are weights only
 * if these are asked for. Numbers as names of inner nodes are support values, not names. Files that begin like GML, DOT, Pajek,
 * MatrixMarket, HTML, Parquet, Arrow or a ZIP archive are UNSUPPORTED: read as an edge list they would give nonsense. A name of a
 * tree that is not unique becomes the path of names from its root, "flare/vis/data" (its end); a missing one "node_1".
 *
 * Errors: IO; FORMAT with file, line and column (the field's number) and the field: a weight that is not a number, text after a
 * closing quote, a quote that never ends, a column that is not there, a carriage return inside a line, a name that is not UTF-8,
 * a NUL byte, a line of 1 MiB or more, damaged or truncated gzip data, an empty file; what `strict` asks for; MEMORY;
 * UNSUPPORTED; STOPPED. Linear time, one thread. */
GEODISK_API geodisk_status geodisk_graph_read(geodisk_context *context, const char *path,
                                              const geodisk_graph_read_options *options,
                                              geodisk_graph_read_info *info /* or NULL */, geodisk_graph **out);

/* The same from a file in memory. */
typedef struct geodisk_memory_file {
  const char *label; /* stands for its path in messages; NULL: "memory" */
  const void *bytes;
  size_t size;
} geodisk_memory_file;
GEODISK_API geodisk_status geodisk_graph_read_memory(geodisk_context *context, const geodisk_memory_file *file,
                                                     const geodisk_graph_read_options *options,
                                                     geodisk_graph_read_info *info /* or NULL */, geodisk_graph **out);

GEODISK_API void geodisk_graph_destroy(geodisk_graph *graph);

/* ---- what is in a graph ----------------------------------------------------------------------------------------------- */

GEODISK_API size_t geodisk_graph_nodes(const geodisk_graph *graph);
GEODISK_API size_t geodisk_graph_edges(const geodisk_graph *graph);
GEODISK_API bool geodisk_graph_weighted(const geodisk_graph *graph);

/* Compressed rows: the neighbours of u are nodes[offsets[u]] .. nodes[offsets[u + 1] - 1] in ascending order, so its degree is
 * offsets[u + 1] - offsets[u], and the weight of each edge lies at the same place in `weights` (NULL in an unweighted graph).
 * The pointers belong to the graph. */
typedef struct geodisk_graph_rows {
  const uint64_t *offsets; /* nodes + 1 */
  const uint32_t *nodes;   /* edges */
  const double *weights;   /* edges, or NULL */
} geodisk_graph_rows;

GEODISK_API geodisk_graph_rows geodisk_graph_out(const geodisk_graph *graph); /* row u: the parents of u */
GEODISK_API geodisk_graph_rows geodisk_graph_in(const geodisk_graph *graph);  /* row u: the children of u */

/* Fills out[e] with the child of edge e, in the order of geodisk_graph_out(graph).nodes[e], which is its parent: the two arrays
 * together are the list of edges, sorted by (child, parent). */
GEODISK_API void geodisk_graph_children(const geodisk_graph *graph, uint32_t *out /* edges */);

/* Whether child -> parent is an edge. False for ids that are not nodes. Logarithmic in the degree. */
GEODISK_API bool geodisk_graph_has_edge(const geodisk_graph *graph, uint32_t child, uint32_t parent);

/* The name of a node: UTF-8, NUL-terminated, possibly empty, without NUL inside; its length in bytes. NULL and 0 for an id that
 * is not a node. */
GEODISK_API const char *geodisk_graph_name(const geodisk_graph *graph, uint32_t node);
GEODISK_API size_t geodisk_graph_name_length(const geodisk_graph *graph, uint32_t node);

/* All names in one block: name i is names[starts[i]] .. names[starts[i + 1] - 2], then a NUL; starts has nodes + 1 entries. */
GEODISK_API const char *geodisk_graph_names(const geodisk_graph *graph, const uint64_t **starts);

/* Finds a node by its name of `length` bytes; false, and *node untouched, if there is none. Constant time. */
GEODISK_API bool geodisk_graph_find(const geodisk_graph *graph, const char *name, size_t length, uint32_t *node);

/* A 64-bit hash of the graph's content: names with their ids, edges, weights. Equal graphs have equal fingerprints, on every
 * machine and in every release; it does not depend on how the graph was made. Linear time. */
GEODISK_API uint64_t geodisk_graph_fingerprint(const geodisk_graph *graph);

/* The bytes the graph holds. */
GEODISK_API size_t geodisk_graph_memory(const geodisk_graph *graph);

/* ---- writing --------------------------------------------------------------------------------------------------------- */

typedef struct geodisk_graph_write_options {
  char separator;     /* 0: tab; comma if the path ends in .csv */
  bool reverse;       /* parent first */
  bool no_weights;    /* leave the third column out */
  bool no_lone_nodes; /* leave out nodes without edges; else each is a line of one field, after the edges */
  geodisk_graph_format format;
  /* Numbers of the nodes, such as coordinates, for GraphML, GEXF (where two or three are a place, too) and JSON. */
  size_t node_columns;
  const char *const *node_column_names; /* node_columns */
  const double *node_values;            /* nodes x node_columns */
} geodisk_graph_write_options;

/* Writes an edge list, without a header, sorted by (child, parent). geodisk_graph_read gives the same graph back for any names:
 * a name is put in quotes where it must be. (The ids may differ: they follow the order of the lines.) A path that ends in ".gz"
 * is compressed; "-" is standard output. One that ends in ".graphml", ".gexf" or ".json" is written so: nodes, edges from child
 * (source) to parent (target), weights; a graph every edge of which is there both ways as undirected, each edge once. The file is
 * written under a temporary name beside its own, flushed to disk and renamed, so it is there as a whole or not at all. Errors:
 * ARGUMENT, IO, MEMORY, UNSUPPORTED, STOPPED. */
GEODISK_API geodisk_status geodisk_graph_write(geodisk_context *context, const geodisk_graph *graph, const char *path,
                                               const geodisk_graph_write_options *options);

/* ---- from arrays ------------------------------------------------------------------------------------------------------ */

/* What was left out when a graph was built. */
typedef struct geodisk_graph_dropped {
  uint64_t self_loops;
  uint64_t duplicates; /* further occurrences of an edge; the first one's weight counts */
} geodisk_graph_dropped;

/* A graph from arrays, which are copied. */
typedef struct geodisk_graph_arrays {
  size_t nodes;
  const char *const *names; /* nodes different UTF-8 strings; NULL: "0", "1", ... */
  size_t edges;
  const uint32_t *children; /* edges */
  const uint32_t *parents;  /* edges */
  const double *weights;    /* edges, finite and >= 0; or NULL */
} geodisk_graph_arrays;

/* Errors: ARGUMENT (an id that is not a node, a name twice, a name that is not UTF-8, a bad weight), MEMORY, UNSUPPORTED. */
GEODISK_API geodisk_status geodisk_graph_create(geodisk_context *context, const geodisk_graph_arrays *arrays,
                                                geodisk_graph_dropped *dropped /* or NULL */, geodisk_graph **out);

/* ---- WordNet and ontologies ------------------------------------------------------------------------------------------- */

typedef struct geodisk_wordnet_options {
  char pos;         /* 'n' nouns (also 0), 'v' verbs; other parts of speech have no hypernyms */
  const char *root; /* only this synset and those below it, e.g. "mammal.n.01"; NULL: all */
  bool direct;      /* the links as they are; else their closure: an edge from each synset to all above it */
  bool reverse;     /* parent -> child edges */
} geodisk_wordnet_options;

typedef struct geodisk_wordnet_info {
  uint64_t synsets;            /* in the database */
  uint64_t hypernyms;          /* links "@" */
  uint64_t instance_hypernyms; /* links "@i" (a person, a place) */
} geodisk_wordnet_info;

/* Reads the hypernym links of a WordNet database: the files data.noun and index.noun (data.verb, index.verb) in the folder
 * `dict`, e.g. "/usr/share/wordnet". Every synset is a node, named as NLTK names it: the first word in lower case, the part of
 * speech and its number among the senses of that word, "dog.n.01"; nodes are in the order of the file. WordNet 3.0 has 82,115
 * noun synsets and 743,241 pairs in the closure of all links.
 * Should hypernyms form a cycle, a log event says so, and no synset becomes its own ancestor.
 * Errors: as geodisk_graph_read; ARGUMENT for an unknown part of speech or root. */
GEODISK_API geodisk_status geodisk_graph_read_wordnet(geodisk_context *context, const char *dict,
                                                      const geodisk_wordnet_options *options,
                                                      geodisk_wordnet_info *info /* or NULL */, geodisk_graph **out);

/* The same from the two files in memory. */
typedef struct geodisk_wordnet_files {
  const void *data;
  size_t data_size;
  const void *index;
  size_t index_size;
} geodisk_wordnet_files;
GEODISK_API geodisk_status geodisk_graph_read_wordnet_memory(geodisk_context *context, const geodisk_wordnet_files *files,
                                                             const geodisk_wordnet_options *options,
                                                             geodisk_wordnet_info *info /* or NULL */, geodisk_graph **out);

typedef struct geodisk_obo_options {
  bool part_of; /* "relationship: part_of X" is an edge too */
  bool names;   /* nodes are called by their terms' names instead of ids; by the id where there is no name, or it is taken */
  bool reverse; /* parent -> child edges */
} geodisk_obo_options;

typedef struct geodisk_obo_info {
  uint64_t terms;      /* that are nodes */
  uint64_t obsolete;   /* terms skipped, with their links and the links to them */
  uint64_t is_a;       /* links read */
  uint64_t part_of;    /* links read, if asked for */
  uint64_t undefined;  /* terms that are linked to but have no entry; nodes all the same */
  uint64_t self_loops; /* left out, like the next */
  uint64_t duplicates;
} geodisk_obo_info;

/* Reads an ontology in OBO format (the Gene Ontology's go.obo): the terms, and their is_a links as edges to what they name.
 * `path` as in geodisk_graph_read. Errors: as there. */
GEODISK_API geodisk_status geodisk_graph_read_obo(geodisk_context *context, const char *path, const geodisk_obo_options *options,
                                                  geodisk_obo_info *info /* or NULL */, geodisk_graph **out);
GEODISK_API geodisk_status geodisk_graph_read_obo_memory(geodisk_context *context, const geodisk_memory_file *file,
                                                         const geodisk_obo_options *options, geodisk_obo_info *info /* or NULL */,
                                                         geodisk_graph **out);

/* ---- hierarchy or network ------------------------------------------------------------------------------------------------ */

typedef enum geodisk_graph_kind {
  GEODISK_KIND_AUTO = 0, /* in options: as geodisk_graph_tell_kind says */
  GEODISK_KIND_HIERARCHY = 1,
  GEODISK_KIND_NETWORK = 2
} geodisk_graph_kind;

typedef struct geodisk_kind_info {
  geodisk_graph_kind kind; /* HIERARCHY or NETWORK */
  const char *why;         /* half a sentence about the graph, "it has cycles"; never freed */
  bool closed;             /* a hierarchy that looks like a closure: many of its edges follow from others */
  double closed_share;     /* of chains u -> v -> w, those with u -> w; NaN if there are no chains, or cycles */
  double loops;            /* edges beyond those of a spanning forest, per node that has edges */
} geodisk_kind_info;

/* Whether a graph is a hierarchy, in which edges lead upwards, or a network, in which they only join. A graph with cycles
 * (undirected ones among them) is a network. Without cycles it is a hierarchy if it is a closure, perhaps with edges held out (at
 * least three quarters of its chains of two edges have the direct edge too, and half of the pairs with a path between them an
 * edge), or if it has few loops (up to 0.3 a node, as taxonomies have), or not too many (0.9) and 40 % of the nodes are leaves
 * (as ontologies with several parents); else it is a network whose edges happen to be written once. A guess: what depends on it
 * has an option. Errors: MEMORY, STOPPED. Time: that of looking at all chains of two edges, at most 2 * 10^8 of them, and in a
 * closure of walking all of them. */
GEODISK_API geodisk_status geodisk_graph_tell_kind(geodisk_context *context, const geodisk_graph *graph, geodisk_kind_info *out);

typedef struct geodisk_community_info {
  size_t communities; /* nodes without edges are communities by themselves */
  double modularity;  /* sum over communities of (weight inside / all) - (weight at its nodes / all)^2; NaN without edges */
} geodisk_community_info;

/* Parts of a network with many edges inside and few between: Louvain's method (Blondel, Guillaume, Lambiotte, Lefebvre 2008),
 * edges taken in both directions, with their weights. Nodes are visited in the order of their ids and ties go to the lower
 * number, so that the same graph gives the same communities everywhere. community[u] is a number from 0, the largest community
 * first (of equals the one with the first node). `most` > 0: communities are joined, the smallest first, each with the one that
 * suits the modularity best, until no more than `most` of them have an edge to another. Errors: ARGUMENT, MEMORY, STOPPED. Time:
 * some passes over the edges. */
GEODISK_API geodisk_status geodisk_graph_communities(geodisk_context *context, const geodisk_graph *graph, size_t most,
                                                     uint32_t *community /* nodes */, geodisk_community_info *info /* or NULL */);

/* ---- graphs from graphs ------------------------------------------------------------------------------------------------ */

/* All of these keep the names; unless said otherwise, the ids and the weights too. Errors: MEMORY, STOPPED, and what is said. */

/* One edge for each pair (u, v), u != v, with a path from u to v: what Poincare embeddings of a hierarchy are trained on. Without
 * weights. ARGUMENT if there is a cycle (the text names one), unless they are allowed: then the nodes of a cycle are ancestors of
 * each other. Time and memory go with the number of edges of the result, which may be quadratic; more than `max_edges` of them is
 * ARGUMENT too. */
typedef struct geodisk_closure_options {
  bool allow_cycles;
  uint64_t max_edges; /* 0: no limit */
} geodisk_closure_options;
GEODISK_API geodisk_status geodisk_graph_closure(geodisk_context *context, const geodisk_graph *graph,
                                                 const geodisk_closure_options *options, geodisk_graph **out);

/* The smallest graph with the same closure: leaves out each edge that a longer path replaces. ARGUMENT if there is a cycle. */
GEODISK_API geodisk_status geodisk_graph_reduce(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out);

/* Each edge in both directions. Where both are there already with different weights, the larger one is taken. */
GEODISK_API geodisk_status geodisk_graph_undirected(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out);

/* Each edge the other way round. */
GEODISK_API geodisk_status geodisk_graph_reverse(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out);

/* The same nodes without the edges to nodes that have no parents: in a closure with one root those say nothing. */
GEODISK_API geodisk_status geodisk_graph_without_roots(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out);

/* The node and all from which a path leads to it (its descendants), with the edges between them. Ids change, their order does
 * not. ARGUMENT if `node` is none. */
GEODISK_API geodisk_status geodisk_graph_subgraph_below(geodisk_context *context, const geodisk_graph *graph, uint32_t node,
                                                        geodisk_graph **out);

/* Splits the edges. LINKS, for link prediction: of a hierarchy the basic edges (those of its reduction) stay in training, so
 * every node keeps an edge there, and the percentages are of the others, the non-basic edges of a closure: give it a closed
 * graph. Of a network any edge may be held out as long as both its nodes keep one in training; where both directions of an edge
 * are there they stay together; percentages are of all edges, and fewer are held out if there are not enough: compare with
 * `wanted_*`. A graph with cycles is always taken as a network. ENTAILMENT, as Ganea, Becigneul & Hofmann (2018) do: of a
 * hierarchy all basic edges and `closure_share` percent of the others are for training; what is neither that nor held out is in
 * none of the graphs. What is held out does not depend on closure_share. A walk through the training edges finds all that these
 * two hold out of a hierarchy; what the next two do it does not. PARENTS: of the nodes with several basic edges the percentages
 * lose one of them each, which is what is held out; edges that follow from no others are in none of the graphs. NODES: so many
 * leaves and inner nodes are taken out, never both ends of a basic edge; `given` are some edges of each, to be told to whoever
 * asks about it, and held out are its edges to nodes that stay, but for what a walk from those that are given finds; the
 * percentages say which part of the nodes is for validation, which for test. ENTAILMENT, PARENTS and NODES: a graph with cycles
 * is ARGUMENT. The graphs have the same nodes with the same ids. Random numbers by `seed`. ARGUMENT if a percentage is < 0 or
 * their sum > 100, no node has several parents, or so many nodes cannot be taken out. */
typedef enum geodisk_protocol {
  GEODISK_PROTOCOL_LINKS = 0,
  GEODISK_PROTOCOL_ENTAILMENT = 1,
  GEODISK_PROTOCOL_PARENTS = 2,
  GEODISK_PROTOCOL_NODES = 3
} geodisk_protocol;

/* What is given of a node that is taken out: one of its edges, two of them, a basic one, or up to three of those that lead to it
 * from its children. */
typedef enum geodisk_given {
  GEODISK_GIVEN_ANCESTOR = 0,
  GEODISK_GIVEN_TWO_ANCESTORS = 1,
  GEODISK_GIVEN_PARENT = 2,
  GEODISK_GIVEN_CHILDREN = 3
} geodisk_given;

typedef struct geodisk_split_options {
  double validation; /* percent */
  double test;       /* percent */
  uint64_t seed;
  geodisk_graph_kind kind; /* AUTO: as geodisk_graph_tell_kind says; LINKS only */
  geodisk_protocol protocol;
  double closure_share;  /* percent, ENTAILMENT only */
  size_t leaves, inner;  /* NODES only: how many are taken out */
  geodisk_given given;   /* NODES only */
} geodisk_split_options; /* NULL: 5 % each, seed 0 */

typedef struct geodisk_split {
  geodisk_graph *train, *validation, *test; /* the caller's: geodisk_split_free */
  geodisk_graph *given;                     /* NODES: edges of the nodes that are taken out; else NULL */
  uint64_t basic;                           /* the basic edges, which LINKS and ENTAILMENT keep in training; 0 in a network */
  uint64_t candidates;                      /* edges the percentages are of; PARENTS, NODES: nodes that could be drawn */
  uint64_t wanted_validation, wanted_test;  /* edges asked for */
  geodisk_graph_kind kind;                  /* how the graph was split */
} geodisk_split;

GEODISK_API geodisk_status geodisk_graph_split(geodisk_context *context, const geodisk_graph *graph,
                                               const geodisk_split_options *options, geodisk_split *out);
GEODISK_API void geodisk_split_free(geodisk_split *split); /* destroys its graphs: all of it is zero then */

/* Pairs that are no edges of `known`, drawn beside `edges`, which has the same nodes: for each of its edges per_edge times one
 * end is replaced by a random node that has an edge in `known`, half of the times the parent, then the child. Where everything
 * that is drawn is an edge (all are below the root) the other end is replaced; a pair that is drawn twice is there once. The
 * result has the same nodes. Errors: ARGUMENT, MEMORY. */
GEODISK_API geodisk_status geodisk_graph_non_edges(geodisk_context *context, const geodisk_graph *known,
                                                   const geodisk_graph *edges, size_t per_edge, uint64_t seed,
                                                   geodisk_graph **out);

/* ---- generators -------------------------------------------------------------------------------------------------------- */

typedef enum geodisk_generator {
  GEODISK_GENERATOR_TREE = 0, /* complete tree: `branching` children each, `depth` levels below the root; 63 nodes for 2 and 5 */
  GEODISK_GENERATOR_RECURSIVE = 1, /* random recursive tree: node i > 0 hangs on one of 0 .. i-1, each equally likely */
  GEODISK_GENERATOR_GRID = 2,      /* rows x columns; an edge to the neighbour above and to the left */
  GEODISK_GENERATOR_BARABASI = 3,  /* Barabasi-Albert: starts with a star of attach + 1 nodes; each further node goes to `attach`
                            different  older ones, chosen in proportion to their degrees: attach * (nodes - attach) edges */
  GEODISK_GENERATOR_BLOCKS =
      4 /* stochastic block model: `blocks` groups of (nearly) nodes/blocks; each pair is joined with
 probability     p_in inside a group and p_out between groups; the edge goes from the higher id to the lower */
} geodisk_generator;

typedef enum geodisk_shape {
  GEODISK_SHAPE_DIRECTED = 0, /* child -> parent, new -> old */
  GEODISK_SHAPE_CLOSED = 1,   /* its transitive closure */
  GEODISK_SHAPE_UNDIRECTED = 2
} geodisk_shape;

typedef struct geodisk_generate_options {
  geodisk_generator kind;
  geodisk_shape shape;
  uint64_t nodes;     /* recursive, barabasi, blocks */
  uint64_t branching; /* tree */
  uint64_t depth;     /* tree */
  uint64_t rows;      /* grid */
  uint64_t columns;   /* grid */
  uint64_t attach;    /* barabasi */
  uint64_t blocks;    /* blocks */
  double p_in, p_out; /* blocks */
  uint64_t seed;
} geodisk_generate_options;

/* Nodes are named "0", "1", ... in this order; row by row in the grid, level by level in the tree. The same seed gives the same
 * graph everywhere. Errors: ARGUMENT (a number out of range, named in the text; more than 2^31 nodes), MEMORY. */
GEODISK_API geodisk_status geodisk_graph_generate(geodisk_context *context, const geodisk_generate_options *options,
                                                  geodisk_graph **out);

/* ---- components, cycles, figures --------------------------------------------------------------------------------------- */

/* Numbers the components 0, 1, ... in the order of their first node: weak (edges count in both directions), or strong (a path
 * there and back; without cycles every node is one by itself). */
GEODISK_API geodisk_status geodisk_graph_components(geodisk_context *context, const geodisk_graph *graph, bool strong,
                                                    uint32_t *component /* nodes, or NULL */, size_t *count);

/* A shortest cycle through the first node that lies on any: cycle[0] -> cycle[1] -> ... -> cycle[0]. *length 0: there is none. */
GEODISK_API geodisk_status geodisk_graph_find_cycle(geodisk_context *context, const geodisk_graph *graph,
                                                    uint32_t *cycle /* room for all nodes */, size_t *length);

typedef struct geodisk_graph_facts {
  size_t nodes, edges;
  size_t roots;    /* nodes without parents */
  size_t leaves;   /* nodes without children */
  size_t isolated; /* nodes without either, counted among both */
  int64_t depth;   /* edges on the longest path; -1: there are cycles */
  size_t components, largest_component;
  size_t cyclic_nodes; /* nodes that lie on a cycle */
  size_t max_parents, max_children;
  double mean_degree; /* edges / nodes */
  bool weighted;
  bool symmetric; /* every edge is there in both directions, as in an undirected graph */
} geodisk_graph_facts;

GEODISK_API geodisk_status geodisk_graph_describe(geodisk_context *context, const geodisk_graph *graph, geodisk_graph_facts *out);

/* ---- graph distances --------------------------------------------------------------------------------------------------- */

typedef enum geodisk_way {
  GEODISK_WAY_BOTH = 0,       /* edges may be walked in either direction */
  GEODISK_WAY_TO_PARENTS = 1, /* along the edges, child -> parent */
  GEODISK_WAY_TO_CHILDREN = 2
} geodisk_way;

typedef struct geodisk_distance_info {
  uint64_t pairs;       /* (source, other node) */
  uint64_t unreachable; /* of these, without a path */
  double longest;       /* of the others; 0 if there are none */
  double mean;          /* of the others; 0 if there are none */
} geodisk_distance_info;

#define GEODISK_GRAPH_UNREACHABLE UINT32_MAX

/* All zero (or NULL) is the default. */
typedef struct geodisk_path_options {
  geodisk_way way;
  const uint32_t *sources; /* NULL: all nodes */
  size_t n_sources;
} geodisk_path_options;

/* Edges on a shortest path from each source to every node, by breadth-first search: out[i * nodes + v] is the distance from
 * source i to v, GEODISK_GRAPH_UNREACHABLE where there is no path. `out` NULL: only `info` is wanted. Uses the context's threads;
 * the result does not depend on their number. O(nodes + edges) per source; work space 8 bytes per node and thread. Errors:
 * ARGUMENT (a source that is no node), MEMORY, STOPPED. */
GEODISK_API geodisk_status geodisk_graph_hops(geodisk_context *context, const geodisk_graph *graph,
                                              const geodisk_path_options *options, uint32_t *out /* n_sources x nodes */,
                                              geodisk_distance_info *info /* or NULL */);

/* The same with the weights as lengths, by Dijkstra's algorithm: INFINITY where there is no path; in a graph without weights
 * every edge has length 1. O((nodes + edges) log nodes) per source; work space 16 bytes per node and thread. */
GEODISK_API geodisk_status geodisk_graph_lengths(geodisk_context *context, const geodisk_graph *graph,
                                                 const geodisk_path_options *options, double *out /* n_sources x nodes */,
                                                 geodisk_distance_info *info /* or NULL */);

/* `count` different nodes, each set of them equally likely, in ascending order; all nodes if count is larger. Returns how many.
 */
GEODISK_API size_t geodisk_graph_sample(const geodisk_graph *graph, size_t count, uint64_t seed, uint32_t *out /* count */);

/* ---- how tree-like: Gromov's delta ------------------------------------------------------------------------------------- */

/* For four nodes, add the distances of opposite pairs: of the three sums, half the difference of the two largest is their delta;
 * 0 for all fours in a tree (and in a complete graph). The graph's delta is the largest: the smaller against the diameter, the
 * better it fits into hyperbolic space. Taken of the largest component, edges in both directions, weights ignored.
 *
 * The delta of a graph is the largest of its blocks (biconnected components). A block of up to `exact_nodes` nodes is measured
 * exactly, by going over pairs from the farthest apart (Cohen, Coudert, Lancin 2015), unless that takes too many steps; a larger
 * one from a sample of its nodes. The result is then an interval: `lower` was found, `upper` is proved. The mean over random
 * fours comes with a 95 % interval (Student's, over ten groups of nodes), exact up to 60 nodes. */
typedef struct geodisk_hyperbolicity_options {
  size_t exact_nodes;  /* 0: 1500 */
  size_t sample_nodes; /* 0: as many as 2 * 10^8 steps of search allow, from 40 to 400 */
  uint64_t seed;
} geodisk_hyperbolicity_options;

typedef struct geodisk_hyperbolicity {
  bool exact;                 /* lower == upper is the graph's delta */
  double lower, upper;        /* delta lies in here */
  double mean;                /* of random fours */
  double mean_low, mean_high; /* the true mean lies in here, with 95 % confidence */
  double mean_distance;       /* between nodes of these fours */
  uint32_t longest;           /* distance seen */
  size_t nodes;               /* in the component */
} geodisk_hyperbolicity;

/* Errors: ARGUMENT (no node at all), MEMORY, STOPPED. */
GEODISK_API geodisk_status geodisk_graph_hyperbolicity(geodisk_context *context, const geodisk_graph *graph,
                                                       const geodisk_hyperbolicity_options *options, geodisk_hyperbolicity *out);

/* ---- check: what is wrong with it, and what to do ---------------------------------------------------------------------- */

typedef enum geodisk_finding_level {
  GEODISK_FINDING_FINE = 0,
  GEODISK_FINDING_NOTE = 1,
  GEODISK_FINDING_PROBLEM = 2
} geodisk_finding_level;

typedef struct geodisk_finding {
  const char *topic; /* "direction", "cycles", "components", "self_loops", "duplicates", "names", "closure", "hyperbolicity" */
  geodisk_finding_level level;
  const char *finding; /* one sentence: what is so */
  const char *advice;  /* one sentence: what to do */
} geodisk_finding;

typedef enum geodisk_direction_guess {
  GEODISK_DIRECTION_CHILD_FIRST = 0, /* as it should be */
  GEODISK_DIRECTION_PARENT_FIRST = 1,
  GEODISK_DIRECTION_NONE = 2, /* every edge is there both ways */
  GEODISK_DIRECTION_UNDECIDED = 3
} geodisk_direction_guess;

typedef struct geodisk_check_figures {
  geodisk_graph_facts facts;
  geodisk_direction_guess direction;
  uint64_t self_loops, duplicates; /* as read */
  uint64_t near_duplicates;        /* names that differ from another only in case, blanks, '_' and '-' */
  double closed_share;             /* of chains u -> v -> w, those with u -> w; NaN if there are no chains */
  bool closed_sampled;             /* not all chains were looked at */
  bool delta_on_reduction;         /* a closed graph's delta is taken of its reduction: the hierarchy itself */
  bool delta_known;                /* false if it was not asked for, or there are no edges */
  geodisk_hyperbolicity delta;
} geodisk_check_figures;

typedef struct geodisk_check_options {
  bool no_hyperbolicity; /* it takes the longest */
  geodisk_hyperbolicity_options hyperbolicity;
} geodisk_check_options;

typedef struct geodisk_check geodisk_check;

/* Looks a graph over. `read` is what its reader found (or NULL). Errors: MEMORY, STOPPED. */
GEODISK_API geodisk_status geodisk_graph_check(geodisk_context *context, const geodisk_graph *graph,
                                               const geodisk_graph_read_info *read, const geodisk_check_options *options,
                                               geodisk_check **out);
GEODISK_API const geodisk_finding *geodisk_check_findings(const geodisk_check *check, size_t *count);
GEODISK_API const geodisk_check_figures *geodisk_check_get_figures(const geodisk_check *check);
GEODISK_API void geodisk_check_destroy(geodisk_check *check);

/* What somebody who trains on a graph had better know, cheap enough to be asked every time. It goes by the shape: a hierarchy (as
 * geodisk_graph_tell_kind says) that looks parent-first (as geodisk_graph_check guesses), or has hardly a chain of two edges with
 * the direct edge too; cycles that touch fewer than a fifth of the nodes, as in a hierarchy with a slip. Errors: ARGUMENT,
 * MEMORY, STOPPED. */
typedef struct geodisk_graph_advice {
  bool parent_first;   /* read it the other way round */
  bool direct_links;   /* take the closure, so that ancestors count */
  size_t cyclic_nodes; /* on cycles; 0: there are none, or this is no hierarchy */
} geodisk_graph_advice;
GEODISK_API geodisk_status geodisk_graph_advise(geodisk_context *context, const geodisk_graph *graph, geodisk_graph_advice *out);

#ifdef __cplusplus
}
#endif
#endif

/* auto.h - what the sources of src/auto share. */
#ifndef GEODISK_AUTO_AUTO_H
#define GEODISK_AUTO_AUTO_H

#include "geodisk/auto.h"

/* ---- seen.c: what a graph looks like ---- */

typedef struct auto_seen {
  geodisk_auto_kind kind;
  size_t nodes, links; /* edges, those in both directions counted once */
  double hubs;         /* the most neighbours of a node, in units of their mean */
} auto_seen;

geodisk_status auto_look(geodisk_context *context, const geodisk_graph *graph, auto_seen *out);
const char *auto_kind_name(geodisk_auto_kind kind);

/* ---- candidates.c: what is worth a trial ---- */

enum { AUTO_MOST_CANDIDATES = 24 };

/* Fills what is left open of `given` in as many ways as there are, the most promising first; returns how many. */
size_t auto_candidates(const auto_seen *seen, const geodisk_train_options *given, geodisk_train_options *out);

/* Whether looking settles it: a graph, a space or units that trials are not made for. */
bool auto_is_settled(const auto_seen *seen, const geodisk_train_options *given);

/* How many epochs a training takes, where that is open. */
uint64_t auto_epochs(const auto_seen *seen);

#endif

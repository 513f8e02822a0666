/* trials.h - what the sources of src/auto share. */
#ifndef GEODISK_AUTO_TRIALS_H
#define GEODISK_AUTO_TRIALS_H

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

enum { AUTO_MOST_CANDIDATES = 16 };

/* Settings to be tried: what is left open is filled in, but for the number of epochs. */
typedef struct auto_candidate {
  geodisk_train_options options;
  double lr;      /* of the training, if the trial is the best: longer trainings want smaller rates; 0: that of the trial */
  bool untrained; /* the placement is the result: no epochs */
  bool refined;   /* sharpnesses beside this one are worth a trial too */
} auto_candidate;

/* The candidates for a graph, the most promising first, no two alike; returns how many. */
size_t auto_candidates(const auto_seen *seen, const geodisk_train_options *given, auto_candidate *out);

/* The same with another sharpness, and the rate that goes with it. */
auto_candidate auto_other_sharpness(const auto_candidate *of, double sharpness);

/* Whether looking settles it: a graph, a space or units that trials are not made for; and what it then is: of a large graph that
 * is no closure what is left open is filled in, of others nothing. */
bool auto_is_settled(const auto_seen *seen, const geodisk_train_options *given);
geodisk_train_options auto_settled(const auto_seen *seen, const geodisk_train_options *given);

/* How many epochs a training takes, where that is open. */
uint64_t auto_epochs(const auto_seen *seen);

#endif

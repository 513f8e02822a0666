/* trials.h - what the sources of src/auto share. */
#pragma once

#include "geodisk/auto.h"

/* ---- seen.c: what a graph looks like ---- */

typedef struct auto_seen {
  geodisk_auto_kind kind;
  bool weighted;
  bool part;           /* of a closure: settled by looking like a whole one, but for the plane */
  size_t nodes, links; /* edges, those in both directions counted once */
  double hubs;         /* the most neighbours of a node, in units of their mean */
} auto_seen;

geodisk_status auto_look(geodisk_context *context, const geodisk_graph *graph, auto_seen *out);
const char *auto_name(const auto_seen *seen);

/* ---- candidates.c: what is worth a trial ---- */

enum { AUTO_MOST_CANDIDATES = 16 };

/* Where points begin: as the trainer places them; on a spanning tree, constructed with all edges alike; or as distances in flat
 * space have them, spread over much of hyperbolic space or little. */
typedef enum auto_beginning {
  AUTO_BEGINS_PLACED,
  AUTO_BEGINS_SPANNING,
  AUTO_BEGINS_WIDE,
  AUTO_BEGINS_NARROW,
  AUTO_BEGINNINGS
} auto_beginning;

/* Settings to be tried: what is left open is filled in; the number of epochs is AUTO, or that of the training. */
typedef struct auto_candidate {
  geodisk_train_options options;
  double lr;      /* of the training, if the trial is the best: longer trainings want smaller rates; 0: that of the trial */
  bool untrained; /* the placement is the result: no epochs */
  bool refined;   /* sharpnesses beside this one are worth a trial too */
  auto_beginning begins;
} auto_candidate;

/* The candidates for a graph, the most promising first, no two alike; returns how many. */
size_t auto_candidates(const auto_seen *seen, const geodisk_train_options *given, auto_candidate *out);

/* The same with another sharpness, and the rate that goes with it. */
auto_candidate auto_other_sharpness(const auto_candidate *of, double sharpness);

/* Half as sharp, for what has perfect ranks: blunt likelihoods leave the edges nearer that a graph lacks. False: nothing is. */
bool auto_blunter(const geodisk_train_options *given, const auto_candidate *of, auto_candidate *out);

/* Whether looking settles it: a graph, a space or units that trials are not made for; and what it then is: of a large graph that
 * is no closure what is left open is filled in, of others nothing. */
bool auto_is_settled(const auto_seen *seen, const geodisk_train_options *given);
/* Whether it is a small part of a closure, for which what looking settles is trained first. */
bool auto_is_small_part(const auto_seen *seen, const geodisk_train_options *given);
/* Whether a graph is so large that little is tried; and what only has to be compared is then trained in, except in the plane. */
bool auto_is_large(const auto_seen *seen);
geodisk_precision auto_precision(const auto_seen *seen, const geodisk_train_options *given);
geodisk_train_options auto_settled(const auto_seen *seen, const geodisk_train_options *given);

/* How many epochs a training takes, where that is open. */
uint64_t auto_epochs(const auto_seen *seen);

/* ---- trials.c: short trainings ---- */

/* MAPs nearer to each other than this are told apart by mean ranks; and what is this near to 1 has all but stopped improving. */
#define AUTO_SAME_MAP       1e-4
#define AUTO_NEARLY_PERFECT 0.9995

/* A training, short or whole, and how good it is. */
typedef struct auto_trial {
  auto_candidate of;
  geodisk_trainer *trainer; /* or NULL: not made */
  double map, mean_rank;
  double handicap; /* MAP by which it has to be better than others */
} auto_trial;

typedef struct auto_state {
  geodisk_context *context;
  const geodisk_graph *graph;
  geodisk_train_options given;
  auto_seen seen;
  uint64_t epochs, tried;               /* of a whole training; of a trial */
  uint64_t pairs, trained, pairs_epoch; /* taken by trials and by whole trainings so far; of an epoch */
  size_t count, made, whole;            /* candidates; trials; whole trainings */
  auto_trial trials[AUTO_MOST_CANDIDATES];
  size_t late; /* candidates that begin from points of their own: after all others, whole, without a trial */
  auto_candidate others[AUTO_MOST_CANDIDATES];
  auto_trial best;       /* of the whole trainings */
  auto_trial unfinished; /* a whole training that was stopped, if none was finished before */
  double flat_map;       /* of a whole training in flat space; NaN: none */
  bool compared;         /* with flat space, if only with a short training */
  bool flattened;        /* the best is that of flat space, bent */
  bool stopped;
  bool told;                              /* where trainings run */
  geodisk_model *starts[AUTO_BEGINNINGS]; /* made when they are first wanted */
} auto_state;

/* Before the first training, and though all else is hushed: where it runs. */
void auto_tell_device(auto_state *c, const geodisk_trainer *trainer);
/* All candidates, and sharpnesses beside the best of them; then trials[0] is the best. */
geodisk_status auto_try(auto_state *c);
/* A short training of c->tried epochs; of one that is stopped the trial keeps what it had. */
geodisk_status auto_run_trial(auto_state *c, auto_trial *t);
/* Whether ranks cannot be better. */
bool auto_is_perfect(const auto_trial *t);
bool auto_is_better(const auto_trial *a, const auto_trial *b);

/* ---- closed.c: small closures ---- */

/* Where looking settles a closure, but not well: c->given becomes what is better, if something is. c->made 0: nothing was. */
geodisk_status auto_try_closed(auto_state *c);

/* ---- finish.c: what a model can be asked ---- */

/* Of the nodes that have a parent, or of some of them, the share whose first parent by the model is a direct one. `graph` is what
 * it was trained on, `basic` its reduction. */
geodisk_status auto_first_parents(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                  const geodisk_graph *basic, double *out);

/* ---- starts.c: points to begin from ---- */

/* Gives a candidate the points that it begins from. */
geodisk_status auto_begin(auto_state *c, auto_candidate *candidate);

/* ---- whole.c: whole trainings ---- */

/* The best trial at full length, the same in flat space, then others, longer and from other starts, until ranks are perfect or no
 * longer improve; perfect ones blunter while they stay it. Then `best` is the best of them, or `unfinished` the one that was
 * stopped. */
geodisk_status auto_train(auto_state *c);

/* What looking settles for a small part of a closure, before all trials. *enough: its ranks leave nothing to be tried. */
geodisk_status auto_train_part(auto_state *c, bool *enough);

/* ---- bend.c: flat space in a little of hyperbolic space ---- */

/* A trainer without epochs that has the points of a flat one, shrunk until their ranks are as good. */
geodisk_status auto_bend(auto_state *c, geodisk_trainer *flat, double flat_map, auto_trial *out);

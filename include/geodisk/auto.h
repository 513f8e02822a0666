/* geodisk/auto.h - the settings that suit a graph: looks first, and where looking does not settle it, tries.
 *
 * Looking: a closed hierarchy (a node has edges to all its ancestors) has settings that are known to be good, and so has a graph
 * too large to be tried. (Of one of up to 4,000 nodes and 30,000 edges, in the plane or with more than 1.1 direct links a node,
 * these are tried first; if MAP is below 0.99 or the model names the wrong parent first for more than 3 % of the nodes, longer
 * trainings with other sharpnesses and starts are tried too, and the settings of the best, by both figures, are taken.) Of all
 * others it depends: a tree wants other starts than a grid, and a network with hubs likelihoods less sharp than one without. So
 * short trainings are made with several starts, sharpnesses and rates, each a whole schedule, and judged by the ranks of all
 * edges (geodisk/eval.h); then sharpnesses beside the best one are tried. The best of them are trained whole, once also in flat
 * space, then twice and four times as long and from other starts while that still improves ranks; and the best whole training is
 * the result. If that is the one in flat space, its points are taken, in a ball so small that space is flat in it: so no result
 * has a MAP lower than what flat space has in the same dimension, where the two were compared. (Of large graphs flat space is
 * left out where MAP is 0.995 or more, or where a quarter of its epochs ends more than 0.05 below.)
 *
 * The choice is a function of graph, options and seed: trials are counted in pairs of a source and a candidate, never in seconds,
 * and all of them together are at most a third of all pairs that they and the trainings take. Threads, ranks and
 * instruction sets do not matter.
 *
 * For example:
 *     geodisk_trainer *trainer = NULL;
 *     geodisk_auto_choice choice;
 *     geodisk_status st = geodisk_auto_trainer(context, graph, NULL, &choice, &trainer);
 *     if (st == GEODISK_OK) st = geodisk_trainer_run(trainer, NULL, NULL);
 */
#ifndef GEODISK_AUTO_H
#define GEODISK_AUTO_H

#include "geodisk/embed.h"
#include "geodisk/eval.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum geodisk_auto_kind {
  GEODISK_AUTO_CLOSED = 0,   /* a hierarchy with edges to all ancestors */
  GEODISK_AUTO_TREE = 1,     /* or a forest: no edge closes a loop, whatever the directions */
  GEODISK_AUTO_TREELIKE = 2, /* fewer than 1.05 edges a node */
  GEODISK_AUTO_HUBS = 3,     /* a network in which a node has 8 times as many neighbours as the mean, or more */
  GEODISK_AUTO_EVEN = 4      /* a network without such */
} geodisk_auto_kind;

typedef struct geodisk_auto_choice {
  geodisk_train_options options; /* what was AUTO is settled; `start` as it was given, whatever the text says points began from */
  geodisk_auto_kind kind;
  char text[256];   /* what was seen and taken, as one line: "a network with hubs: sharpness 8, random placement" */
  size_t trials;    /* made; 0: looking settled it */
  size_t trainings; /* whole ones that were finished; the best of them was taken */
  uint64_t pairs;   /* that trials took */
  uint64_t whole;   /* that they and all trainings take */
  bool stopped;     /* a progress event was answered with false: the best so far was taken */
  double map;       /* of what was taken, exact; stopped before a training was finished: of the best trial; NaN without trials */
  double mean_rank; /* likewise */
  double flat_map;  /* of a whole training in flat space, as it is done with space EUCLIDEAN; NaN without */
} geodisk_auto_choice;

/* What to train with. `options` (NULL: the defaults) may fix whatever is known; trials are made only of what is AUTO, and only
 * where the number of epochs is, in hyperbolic space, with source units. Progress events say "choosing",
 * then "training". Errors: as geodisk_trainer_create. Cost: that of two to nine trainings; memory: that of a few trainers. */
GEODISK_API geodisk_status geodisk_auto_choose(geodisk_context *context, const geodisk_graph *graph,
                                               const geodisk_train_options *options /* or NULL */, geodisk_auto_choice *out);

/* Whether settings are to be chosen: without a recipe, or with the one that leaves them open. Other recipes are trained as they
 * are, by geodisk_trainer_create. */
GEODISK_API bool geodisk_auto_wanted(const char *recipe /* or NULL */);

/* The same, and a trainer with these options, which keeps the text in its models ("choice") if there were trials. It is then the
 * best of the trainings, and has no epochs left. If the choice was stopped before one was finished, it is the one that was going
 * on, or it has the points of the best trial: geodisk_trainer_run, or a resume, goes on. */
GEODISK_API geodisk_status geodisk_auto_trainer(geodisk_context *context, const geodisk_graph *graph,
                                                const geodisk_train_options *options /* or NULL */,
                                                geodisk_auto_choice *choice /* or NULL */, geodisk_trainer **out);

/* Mean rank, MAP and the other figures of a trainer's points as they are. exact: of all nodes, else of a graph of more than
 * GEODISK_AUTO_JUDGED nodes those of as many random ones. */
enum { GEODISK_AUTO_JUDGED = 10000 };
GEODISK_API geodisk_status geodisk_auto_judge(geodisk_context *context, const geodisk_graph *graph, geodisk_trainer *trainer,
                                              bool exact, geodisk_ranking *out);

/* What is done when a training has ended, with the model and the graph it was trained on, node i of the one node i of the other.
 * A model of a closed hierarchy, or one placed for it, learns to tell what is below what (geodisk_learn_trained). A model in
 * hyperbolic space of another graph without cycles whose closure has at most GEODISK_HIERARCHY_EDGES edges (direct links, a part
 * of the closure) gets the order beside its vectors first (vectors.h): where placement ARCS has the nodes in the plane. That is a
 * function of the graph alone. So does one of a closure of up to 20,000 nodes, if it names fewer than 97 % of the first parents
 * and more with an order. *learned: whether the model can answer. Errors: MEMORY, STOPPED. Time: the closure and some passes
 * over the edges, a second of processor time for 80,000 nodes, and the 33 nearest of every node. */
GEODISK_API geodisk_status geodisk_auto_learn(geodisk_context *context, geodisk_model *model, const geodisk_graph *graph,
                                              bool *learned /* or NULL */);

#ifdef __cplusplus
}
#endif
#endif

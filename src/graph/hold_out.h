/* hold_out.h - the parts of a split, and the protocols whose questions no walk through the training edges answers. Internal to
 * the graph module. */
#pragma once

#include "order.h"

/* What becomes of an edge: in one of the graphs of the result, or in none. */
enum { PART_TRAIN = 0, PART_VALIDATION = 1, PART_TEST = 2, PART_GIVEN = 3, PARTS = 4, PART_NONE = 4 };

/* The percentage of a number, rounded. */
static inline uint64_t percent_of(uint64_t number, double percent) { return (uint64_t)((double)number * percent / 100 + 0.5); }

/* How many of the candidates are wanted in each part. */
static inline void hold_out_counts(const geodisk_split_options *options, uint64_t candidates, geodisk_split *split) {
  split->candidates = candidates;
  split->wanted_validation = percent_of(candidates, options->validation);
  split->wanted_test = percent_of(candidates, options->test);
  if (split->wanted_validation + split->wanted_test > candidates) /* both rounded up */
    split->wanted_test = candidates - split->wanted_validation;
}

/* The protocols PARENTS and NODES of geodisk_graph_split: labels, which are PART_TRAIN, are set. `basic` is the reduction of the
 * graph. */
geodisk_status hold_out_parents(geodisk_context *context, const geodisk_graph *graph, const geodisk_graph *basic,
                                const geodisk_split_options *options, uint8_t *label, geodisk_split *split);
geodisk_status hold_out_nodes(geodisk_context *context, const geodisk_graph *graph, const geodisk_graph *basic,
                              const geodisk_split_options *options, uint8_t *label, geodisk_split *split);

/* is_a_draw.h - pairs that are no edges, drawn for entailment where none are given. */
#pragma once

#include "geodisk/eval.h"

/* What was drawn, to be destroyed after use. */
typedef struct is_a_drawn {
  geodisk_graph *graphs[2];
  geodisk_relation *relations[2];
} is_a_drawn;

/* Fills in the non-edges that judged and validation (or NULL) lack. */
geodisk_status is_a_draw(geodisk_context *context, const geodisk_is_a_options *options, geodisk_is_a_pairs *judged,
                         geodisk_is_a_pairs *validation, is_a_drawn *out);
void is_a_drawn_destroy(is_a_drawn *drawn);

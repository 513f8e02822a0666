/* entailment.c - graded lexical entailment: the score of Nickel & Kiela over the nearest senses of two words, against people's.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/squares.h"
#include "prepared.h"
#include "word_pairs.h"

#define DEFAULT_ALPHA 1000.0 /* Nickel & Kiela's, and gensim's */

/* The nodes in the order of their names. */
typedef struct sense_index {
  const geodisk_model *model;
  const prepared *points;
  uint32_t *nodes;
  size_t n;
  double *scratch; /* 2 dim */
} sense_index;

typedef struct named_node {
  const char *name;
  uint32_t node;
} named_node;

static int compare_names(const void *a, const void *b) {
  return strcmp(((const named_node *)a)->name, ((const named_node *)b)->name);
}

static bool create_index(const geodisk_model *model, const prepared *points, sense_index *out) {
  const size_t n = geodisk_model_nodes(model);
  named_node *named = geodisk_allocate(n, sizeof *named);
  *out = (sense_index){.model = model, .points = points, .n = n};
  out->nodes = geodisk_allocate(n, sizeof *out->nodes);
  out->scratch = geodisk_allocate(2, points->dim * sizeof *out->scratch);
  const bool ok = named != NULL && out->nodes != NULL && out->scratch != NULL;
  for (size_t i = 0; ok && i < n; i++)
    named[i] = (named_node){geodisk_model_name(model, (uint32_t)i), (uint32_t)i};
  if (ok)
    qsort(named, n, sizeof *named, compare_names);
  for (size_t i = 0; ok && i < n; i++)
    out->nodes[i] = named[i].node;
  free(named);
  return ok;
}

static void free_index(sense_index *index) { geodisk_free_all(index->nodes, index->scratch); }

/* The place of the first name that is not before "word" + end. */
static size_t first_from(const sense_index *index, const char *word, char end) {
  const size_t length = strlen(word);
  size_t low = 0, high = index->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const char *name = geodisk_model_name(index->model, index->nodes[middle]);
    int order = strncmp(name, word, length);
    if (order == 0)
      order = (unsigned char)name[length] < (unsigned char)end ? -1 : 1;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Senses of a word: a range of places, and perhaps the node of that very name. */
typedef struct senses {
  size_t begin, end;
  uint32_t whole; /* GEODISK_RELATION_NO_POINT: none */
} senses;

static senses find_senses(const sense_index *index, const char *word) {
  senses s = {first_from(index, word, '.'), first_from(index, word, '.' + 1), GEODISK_RELATION_NO_POINT};
  geodisk_model_find(index->model, word, strlen(word), &s.whole);
  return s;
}

static bool has_none(const senses *s) { return s->begin == s->end && s->whole == GEODISK_RELATION_NO_POINT; }

/* Sense i of a word, i from 0; false past the last. */
static bool sense_at(const sense_index *index, const senses *s, size_t i, uint32_t *node) {
  if (i < s->end - s->begin) {
    *node = index->nodes[s->begin + i];
    return true;
  }
  *node = s->whole;
  return i == s->end - s->begin && s->whole != GEODISK_RELATION_NO_POINT;
}

static double distance_of(const prepared *p, const double *x, double x_gap, const double *y, double y_gap) {
  if (p->kind != RANK_FLAT && !isnan(x_gap))
    return geodisk_distance_gap(&p->points.ball, x, x_gap, y, y_gap);
  if (p->kind != RANK_FLAT)
    return geodisk_distance(&p->points.ball, x, y);
  return sqrt(square_between(p->dim, x, y));
}

/* The distance from the origin. */
static double radius_of(const prepared *p, const double *x, double gap) {
  const geodisk_ball *ball = &p->points.ball;
  if (p->kind == RANK_FLAT)
    return norm_of(p->dim, x);
  return geodisk_radius_from_gap(ball, isnan(gap) ? geodisk_gap(ball, x) : gap);
}

/* Both scores of a pair: the higher, the likelier. */
typedef struct word_scores {
  double nickel_kiela, half_space;
} word_scores;

/* The scores of the nearest senses, the first of them if there are several. */
static word_scores scores_of(const sense_index *index, double alpha, const senses *a, const senses *b) {
  double *x = index->scratch, *y = x + index->points->dim, x_gap, y_gap, nearest = (double)INFINITY;
  word_scores scores = {(double)NAN, (double)NAN};
  uint32_t u, v;
  for (size_t i = 0; sense_at(index, a, i, &u); i++) {
    prepared_row(index->points, u, x, &x_gap);
    for (size_t j = 0; sense_at(index, b, j, &v); j++) {
      prepared_row(index->points, v, y, &y_gap);
      const double d = distance_of(index->points, x, x_gap, y, y_gap);
      if (d < nearest) {
        nearest = d;
        scores.nickel_kiela = -(1.0 + alpha * (norm_of(index->points->dim, y) - norm_of(index->points->dim, x))) * d;
        scores.half_space = radius_of(index->points, x, x_gap) - d;
      }
    }
  }
  return scores;
}

/* Words without a node, as they come: the first few by name. */
typedef struct strangers {
  char list[256];
  size_t n;
} strangers;

static void add_stranger(strangers *s, const char *word) {
  const size_t used = strlen(s->list);
  if (s->n < GEODISK_EVAL_MISSING_SHOWN)
    snprintf(s->list + used, sizeof s->list - used, "%s'%.40s'", s->n > 0 ? ", " : "", word);
  s->n++;
}

/* What is found of the pairs whose words have nodes: result.pairs of each. */
typedef struct pair_scores {
  double *given, *found, *half_space;
} pair_scores;

static geodisk_status score_pairs(geodisk_context *context, const char *path, const word_pairs *pairs, const sense_index *index,
                                  double alpha, pair_scores *s, geodisk_entailment *result) {
  strangers unknown = {.list = ""};
  for (size_t i = 0; i < pairs->n; i++) {
    const word_pair *pair = &pairs->pairs[i];
    const senses a = find_senses(index, pair->first), b = find_senses(index, pair->second);
    if (has_none(&a) || has_none(&b)) {
      add_stranger(&unknown, has_none(&a) ? pair->first : pair->second);
      continue;
    }
    s->given[result->pairs] = pair->score;
    const word_scores scores = scores_of(index, alpha, &a, &b);
    s->half_space[result->pairs] = scores.half_space;
    s->found[result->pairs++] = scores.nickel_kiela;
  }
  result->filtered = pairs->filtered;
  result->unknown = unknown.n;
  if (unknown.n > 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING, "%s: %zu of %zu pairs are left out, a word has no node: %s%s", path,
                      unknown.n, pairs->n, unknown.list, unknown.n > GEODISK_EVAL_MISSING_SHOWN ? ", ..." : "");
  if (result->pairs < 2)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: %zu of %zu pairs have nodes for both words; 2 are needed at least",
                        path, result->pairs, pairs->n);
  return GEODISK_OK;
}

geodisk_status geodisk_eval_entailment(geodisk_context *context, const geodisk_model *model, const geodisk_eval_points *points,
                                       const char *path, const geodisk_entailment_options *options, geodisk_entailment *out) {
  options = options != NULL ? options : &(const geodisk_entailment_options){0};
  if (model == NULL || points == NULL || path == NULL || out == NULL || points->nodes != geodisk_model_nodes(model))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "lexical entailment: an argument is NULL, or the points are others");
  const double alpha = options->alpha != 0.0 ? options->alpha : DEFAULT_ALPHA;
  prepared p = {0};
  sense_index index = {0};
  word_pairs pairs = {0};
  pair_scores s = {NULL, NULL, NULL};
  geodisk_entailment result = {0};
  geodisk_correlation c;
  geodisk_status st = prepared_create(context, points, &p);
  if (st != GEODISK_OK || (st = word_pairs_read(context, path, options->pos, &pairs)) != GEODISK_OK)
    goto done;
  s.given = geodisk_allocate(pairs.n, sizeof *s.given);
  s.found = geodisk_allocate(pairs.n, sizeof *s.found);
  s.half_space = geodisk_allocate(pairs.n, sizeof *s.half_space);
  if (s.given == NULL || s.found == NULL || s.half_space == NULL || !create_index(model, &p, &index)) {
    st = geodisk_no_memory(context, "for %zu pairs of words", pairs.n);
    goto done;
  }
  if ((st = score_pairs(context, path, &pairs, &index, alpha, &s, &result)) != GEODISK_OK ||
      (st = geodisk_rank_correlation(context, result.pairs, s.given, s.found, &c)) != GEODISK_OK)
    goto done;
  result.spearman = c.spearman;
  result.kendall_tau = c.kendall_tau;
  if ((st = geodisk_rank_correlation(context, result.pairs, s.given, s.half_space, &c)) != GEODISK_OK)
    goto done;
  result.half_space_spearman = c.spearman;
  result.half_space_kendall_tau = c.kendall_tau;
  *out = result;
done:
  geodisk_free_all(s.given, s.found, s.half_space);
  free_index(&index);
  word_pairs_destroy(&pairs);
  prepared_destroy(&p);
  return st;
}

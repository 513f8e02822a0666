/* eval_figures.c - the figures of `geodisk eval` as lines "key value" (of a sample, and its 95 % interval) or members of a JSON
 * object, and the table of each node's. */
#include "eval_figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void eval_print_estimate(eval_session *s, const char *key, const geodisk_estimate *e) {
  figures_key(&s->figures, key);
  if (!s->r->common.json) {
    printf("%.6g", isnan(e->value) ? (double)NAN : e->value);
    if (s->sampled && !isnan(e->value))
      printf("\t[%.6g, %.6g]", e->low, e->high);
    putchar('\n');
    return;
  }
  json_number(e->value);
  if (s->sampled && !isnan(e->value))
    json_format(", \"%s_interval\": [%n, %n]", key, e->low, e->high);
}

void eval_print_ranking(eval_session *s, const geodisk_ranking *r) {
  s->sampled = r->nodes < r->nodes_all;
  figures_count(&s->figures, "nodes_judged", r->nodes);
  figures_count(&s->figures, "pairs", r->pairs);
  if (s->r->wanted & (RECONSTRUCTION | LINK_PREDICTION)) {
    eval_print_estimate(s, "mean_rank", &r->mean_rank);
    eval_print_estimate(s, "map", &r->map);
    eval_print_estimate(s, "hits_at_1", &r->hits_at_1);
    eval_print_estimate(s, "hits_at_3", &r->hits_at_3);
    eval_print_estimate(s, "hits_at_10", &r->hits_at_10);
    eval_print_estimate(s, "auc", &r->auc);
  }
  if (s->r->wanted & PRECISION) {
    eval_print_estimate(s, "precision_at_1", &r->precision_at_1);
    eval_print_estimate(s, "precision_at_3", &r->precision_at_3);
    eval_print_estimate(s, "precision_at_10", &r->precision_at_10);
    eval_print_estimate(s, "precision_at_degree", &r->precision_at_degree);
  }
  if (s->r->wanted & LOSS) {
    eval_print_estimate(s, "loss", &r->loss);
    eval_print_estimate(s, "loss_complement", &r->loss_complement);
  }
}

void eval_print_fit(eval_session *s, const geodisk_fit *f, bool sampled) {
  s->sampled = sampled;
  figures_count(&s->figures, "distance_pairs", f->pairs);
  figures_count(&s->figures, "unreachable_pairs", f->unreachable);
  if (s->r->wanted & KENDALL) {
    eval_print_estimate(s, "kendall_tau", &f->kendall_tau);
    eval_print_estimate(s, "spearman", &f->spearman);
    figures_number(&s->figures, "depth_radius", f->depth_radius);
  }
  if (s->r->wanted & DISTORTION) {
    eval_print_estimate(s, "distortion_mean", &f->distortion_mean);
    eval_print_estimate(s, "distortion_scaled", &f->distortion_scaled);
    figures_number(&s->figures, "distortion_scale", f->scale);
    figures_number(&s->figures, "distortion_worst", f->distortion_worst);
    eval_print_estimate(s, "distortion_squared", &f->distortion_squared);
    eval_print_estimate(s, "distortion_squared_scaled", &f->distortion_squared_scaled);
  }
}

/* What the keys of each score begin with, and how its parameter is called. */
static const struct {
  const char *name, *parameter;
} score_names[GEODISK_IS_A_SCORES] = {[GEODISK_IS_A_HALF_SPACE] = {"half_space", NULL},
                                      [GEODISK_IS_A_HALF_SPACE_RADIUS] = {"half_space_radius", "weight"},
                                      [GEODISK_IS_A_DISTANCE] = {"distance", NULL},
                                      [GEODISK_IS_A_NICKEL_KIELA] = {"nickel_kiela", "alpha"},
                                      [GEODISK_IS_A_CONE] = {"cone", "k"},
                                      [GEODISK_IS_A_ORDER] = {"order", NULL}};

void eval_print_classification(eval_session *s, int score, const geodisk_classification *c) {
  char key[80];
  const struct {
    const char *name;
    const geodisk_estimate *value;
  } figures[] = {{"f1", &c->f1},
                 {"precision", &c->precision},
                 {"recall", &c->recall},
                 {"auc", &c->auc},
                 {"average_precision", &c->average_precision}};
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
    snprintf(key, sizeof key, "%s_%s", score_names[score].name, figures[i].name);
    eval_print_estimate(s, key, figures[i].value);
  }
  snprintf(key, sizeof key, "%s_threshold", score_names[score].name);
  figures_number(&s->figures, key, c->threshold);
  if (score_names[score].parameter != NULL) {
    snprintf(key, sizeof key, "%s_%s", score_names[score].name, score_names[score].parameter);
    figures_number(&s->figures, key, c->parameter);
  }
}

/* ---- figures of each node -------------------------------------------------------------------------------------------------- */

/* As put_name does. */
static geodisk_status write_name(geodisk_file *file, const char *name, size_t length) {
  char one[8];
  geodisk_status st = GEODISK_OK;
  while (length > 0 && st == GEODISK_OK) { /* names are UTF-8: a character begins where its second byte does not */
    size_t bytes = 1;
    while (bytes < length && ((unsigned char)name[bytes] & 0xc0) == 0x80)
      bytes++;
    st = geodisk_file_write(file, one, geodisk_escape(name, bytes, true, one, sizeof one));
    name += bytes;
    length -= bytes;
  }
  return st;
}

geodisk_status eval_write_nodes(const eval_session *s, const geodisk_ranking_nodes *nodes) {
  geodisk_file *file = NULL;
  geodisk_status st = geodisk_file_create(s->context, s->r->per_node, &file);
  if (st != GEODISK_OK)
    return st;
  static const char header[] = "node\tpositives\tmean_rank\taverage_precision\tloss\tloss_complement\n";
  const geodisk_graph_rows rows = geodisk_relation_rows(s->relation);
  st = geodisk_file_write(file, header, sizeof header - 1);
  for (uint32_t u = 0; st == GEODISK_OK && u < s->points.nodes; u++) {
    if (isnan(nodes->mean_rank[u]))
      continue;
    const double values[] = {nodes->mean_rank[u], nodes->average_precision[u], nodes->loss[u], nodes->loss_complement[u]};
    char line[160];
    int at = snprintf(line, sizeof line, "\t%" PRIu64, rows.offsets[u + 1] - rows.offsets[u]);
    for (int i = 0; i < (s->r->wanted & LOSS ? 4 : 2); i++) {
      line[at++] = '\t';
      at += geodisk_format_double(values[i], line + at);
    }
    line[at++] = '\n';
    st = write_name(file, geodisk_model_name(s->model, u), geodisk_model_name_length(s->model, u));
    if (st == GEODISK_OK)
      st = geodisk_file_write(file, line, (size_t)at);
  }
  return geodisk_file_finish(file, st);
}

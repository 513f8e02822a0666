/* cmd_compare.c - `geodisk compare`: how alike are two models of the same nodes? */
#include "args.h"

#include <stdio.h>
#include <string.h>

#include "geodisk/eval.h"

static const command_spec spec = {
    "compare",
    "how alike two models of the same nodes are",
    "A B",
    "Compares two models (model files, or any format that geodisk convert reads) over the nodes that both have, by name: rank "
    "correlations of the distances of pairs of nodes (1: the same order); the share of a node's nearest nodes that are the same "
    "in both; and how far nodes lie apart after A was moved by the best isometry, beside the spread of B. Two trainings of one "
    "graph are never the same coordinates, and may be the same picture: that is what this shows.",
    "geodisk compare seed-1.safetensors seed-2.safetensors\n"
    "geodisk compare ours.safetensors gensim.txt --neighbours 20 --json",
};

typedef struct request {
  common_options common;
  int64_t neighbours, sample, pairs, seed;
} request;

static void print(bool json, const geodisk_comparison *c, const char *worst) {
  cli_figures f = {.json = json};
  figures_count(&f, "nodes", c->nodes);
  figures_count(&f, "only_first", c->only_first);
  figures_count(&f, "only_second", c->only_second);
  figures_count(&f, "pairs", c->pairs);
  figures_number(&f, "kendall_tau", c->kendall_tau);
  figures_number(&f, "spearman", c->spearman);
  figures_count(&f, "neighbours", c->neighbours);
  figures_count(&f, "nodes_judged", c->nodes_judged);
  figures_number(&f, "overlap", c->overlap);
  if (!c->aligned && !json)
    return;
  figures_number(&f, "spread", c->spread);
  figures_number(&f, "moved_mean", c->moved_mean);
  figures_number(&f, "moved_worst", c->moved_worst);
  figures_key(&f, "worst");
  if (!json)
    put_name(stdout, worst);
  else
    json_format("%j", c->aligned ? worst : NULL);
  puts(json ? "}" : "");
}

static int run(const request *r, const char *first_path, const char *second_path) {
  geodisk_context *context = cli_context(&r->common);
  geodisk_model *first = NULL, *second = NULL;
  geodisk_comparison comparison;
  const geodisk_compare_options options = {
      .neighbours = (size_t)r->neighbours, .sample = (size_t)r->sample, .pairs = (size_t)r->pairs, .seed = (uint64_t)r->seed};
  geodisk_status status = geodisk_model_import(context, first_path, NULL, NULL, &first);
  if (status == GEODISK_OK)
    status = geodisk_model_import(context, second_path, NULL, NULL, &second);
  if (status == GEODISK_OK)
    status = geodisk_eval_compare(context, first, second, &options, &comparison);
  if (status == GEODISK_OK) {
    if (!comparison.aligned)
      geodisk_log_event(context, GEODISK_LOG_INFO, "the models differ in space or dimensions: they are not laid on each other");
    print(r->common.json, &comparison, geodisk_model_name(first, comparison.worst));
  }
  geodisk_model_destroy(first);
  geodisk_model_destroy(second);
  return cli_end(context, status);
}

int cmd_compare(int argc, char **argv) {
  request r = {.sample = 0};
  const option_spec options[] = {
      OPT_INT("neighbours", 'k', &r.neighbours, "K", "how many nearest nodes of each are compared (default: 10)", 1, 1e9),
      OPT_INT("sample", 0, &r.sample, "N", "nodes whose neighbours are compared (default: 2000, or all)", 1, 1e15),
      OPT_INT("pairs", 0, &r.pairs, "N", "pairs of nodes whose distances are compared (default: 1048576, or all)", 1, 1e12),
      OPT_INT("seed", 0, &r.seed, "N", "of the samples (default: 0)", 0, 9e15),
      OPT_END,
  };
  const int code = args_parse(&spec, options, &r.common, argc, argv);
  if (code >= 0)
    return code;
  if (strcmp(r.common.args[0], "-") == 0 && strcmp(r.common.args[1], "-") == 0)
    return cli_usage_error(&spec, "A and B cannot both be standard input");
  return run(&r, r.common.args[0], r.common.args[1]);
}

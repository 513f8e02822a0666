/* cmd_compare.c - `geodisk compare`: how alike are two models of the same nodes? */
#include "args.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geodisk/eval.h"

static const command_spec spec = {
    "compare",
    "how alike two models of the same nodes are",
    "A B",
    2,
    2,
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

static void print_lines(const geodisk_comparison *c, const char *worst) {
  printf("nodes\t%zu\nonly_first\t%zu\nonly_second\t%zu\npairs\t%" PRIu64 "\n", c->nodes, c->only_first, c->only_second,
         c->pairs);
  printf("kendall_tau\t%.6g\nspearman\t%.6g\nneighbours\t%zu\nnodes_judged\t%zu\noverlap\t%.6g\n", c->kendall_tau, c->spearman,
         c->neighbours, c->nodes_judged, c->overlap);
  if (!c->aligned)
    return;
  printf("spread\t%.6g\nmoved_mean\t%.6g\nmoved_worst\t%.6g\nworst\t", c->spread, c->moved_mean, c->moved_worst);
  put_name(stdout, worst);
  putchar('\n');
}

static void print_json(const geodisk_comparison *c, const char *worst) {
  const struct {
    const char *key;
    double value;
  } numbers[] = {{"kendall_tau", c->kendall_tau}, {"spearman", c->spearman},     {"overlap", c->overlap},
                 {"spread", c->spread},           {"moved_mean", c->moved_mean}, {"moved_worst", c->moved_worst}};
  printf("{\"nodes\": %zu, \"only_first\": %zu, \"only_second\": %zu, \"pairs\": %" PRIu64
         ", \"neighbours\": %zu, \"nodes_judged\": %zu",
         c->nodes, c->only_first, c->only_second, c->pairs, c->neighbours, c->nodes_judged);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    printf(", \"%s\": ", numbers[i].key);
    json_number(numbers[i].value);
  }
  printf(", \"worst\": ");
  if (c->aligned)
    json_string(worst);
  else
    printf("null");
  puts("}");
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
  int code = EXIT_OK;
  if (status != GEODISK_OK) {
    code = cli_failed(context, status);
  } else {
    if (!comparison.aligned)
      geodisk_log_event(context, GEODISK_LOG_INFO, "the models differ in space or dimensions: they are not laid on each other");
    (r->common.json ? print_json : print_lines)(&comparison, geodisk_model_name(first, comparison.worst));
    code = cli_finish();
  }
  geodisk_model_destroy(first);
  geodisk_model_destroy(second);
  geodisk_context_destroy(context);
  return code;
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

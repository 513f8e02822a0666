/* cmd_reproduce.c - `geodisk reproduce`: the experiments of the paper, their figures and tables, and a report. */
#include "reproduce/paper.h"

#include <stdio.h>
#include <string.h>

static const command_spec spec = {
    "reproduce",
    "the paper's experiments: figures, tables, and what of its claims holds",
    "all|updates|barycenter|tree|wordnet|nouns|theory|beyond|page",
    "Runs the experiments of Enokida, Suzuki and Yamanishi, \"Stable Geodesic Update on Hyperbolic Space and its Application to "
    "Poincaré Embeddings\", and writes into the folder DIR: every figure as PNG and SVG (by gnuplot; without it there are no "
    "figures), its numbers as TSV, claims.tsv (what the paper says, the rule, the numbers, the verdict as printed and as "
    "corrected), seeds.tsv (every single run), and report.html and report.md.\n"
    "updates: the three updates drawn. barycenter: stochastic descent to the middle of two points. tree: a binary tree of 63 "
    "nodes. wordnet: its mammals, gensim beside it where installed, and the tables of loss, reconstruction and link prediction. "
    "nouns: those tables on all nouns. theory: the theorems and propositions, and errors of forms of the exponential map. "
    "beyond: learning rates to 100; accelerated and variance-reduced descent.\n"
    "page: runs nothing; makes the report again from the tables in DIR, whatever they were made with, and checksums.tsv of "
    "them.\n"
    "What is in DIR with the same settings is not computed again, so an interrupted run goes on where it was. The same seed "
    "gives the same bytes, but for files whose name begins with varies-.",
    "geodisk reproduce all -o paper\n"
    "geodisk reproduce all -o paper --quick\n"
    "geodisk reproduce barycenter -o paper --seeds 200\n"
    "geodisk reproduce page -o docs/reproduction --page docs/reproduction.md",
};

static bool is_chosen(void *user, const paper_experiment *e) {
  const char *name = user;
  return strcmp(name, "all") == 0 || strcmp(name, e->name) == 0;
}

int cmd_reproduce(int argc, char **argv) {
  common_options common = {0};
  paper p = {.dict = "/usr/share/wordnet"};
  const option_spec options[] = {
      OPT_TEXT("output", 'o', &p.dir, "DIR", "the folder to write to; made if it is not there"),
      OPT_FLAG("quick", 0, &p.quick, "less of everything: half a minute instead of half an hour"),
      OPT_INT("seeds", 0, &p.seeds, "N", "so many seeds instead of the planned number (gensim: at most 5)", 1, PAPER_MOST_SEEDS),
      OPT_INT("seed", 0, &p.seed, "N", "the first seed (default: 0)", 0, 1e9),
      OPT_INT("iterations", 0, &p.iterations, "N", "of the barycenter and the tree, instead of the planned number", 400, 1e9),
      OPT_INT("epochs", 0, &p.epochs, "N", "of the mammals and the nouns, instead of the planned number", 1, 1e6),
      OPT_TEXT("dict", 0, &p.dict, "DIR", "the folder of WordNet's database (default: /usr/share/wordnet)"),
      OPT_TEXT("page", 0, &p.page, "FILE", "also write the report into FILE, between its marks"),
      OPT_FLAG("again", 0, &p.again, "compute what is in DIR already, too"),
      OPT_END,
  };
  char line[1024] = "geodisk";
  for (int i = 0; i < argc; i++) /* argv[0] is the sub-command */
    snprintf(line + strlen(line), sizeof line - strlen(line), " %s", argv[i]);
  p.command = line;
  int code = args_parse(&spec, options, &common, argc, argv);
  if (code >= 0)
    return code;
  p.reread = strcmp(common.args[0], "page") == 0;
  bool known = p.reread || strcmp(common.args[0], "all") == 0;
  for (size_t i = 0; paper_experiment_at(i) != NULL; i++)
    known = known || strcmp(common.args[0], paper_experiment_at(i)->name) == 0;
  if (!known)
    return cli_usage_error(&spec, "'%s' is not an experiment", common.args[0]);
  if (p.dir == NULL)
    return cli_usage_error(&spec, "where to? give -o DIR");
  p.context = cli_context(&common);
  char name[32];
  snprintf(name, sizeof name, "%s", common.args[0]);
  code = paper_run(&p, is_chosen, name);
  geodisk_context_destroy(p.context);
  if (code != EXIT_OK)
    return code;
  if (common.json)
    code = paper_print_json(&p);
  else
    printf("%s/report.html\n", p.dir);
  return code == EXIT_OK ? cli_finish() : code;
}

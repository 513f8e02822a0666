/* paper_choices.c - what the paper leaves open, what is done here, and the other reading: a table of the report. Its numbers are
 * those that the tables were made with. */
#include "paper.h"

#include <math.h>
#include <stdio.h>

/* A number out of the settings of a table, or a dash where the table is not there. */
static const char *setting(const paper *p, const char *table, const char *words, char text[32]) {
  const double value = paper_setting(p, table, words);
  if (isfinite(value))
    snprintf(text, 32, "%.0f", value);
  else
    snprintf(text, 32, "–");
  return text;
}

static void barycenter_choices(paper_report *r) {
  char a[32], b[32];
  paper_table_row(r, "gradient of d² or of d²/2 in the barycenter experiment\td², as its appendix has it: a step goes the share "
                     "2 × rate of the way\td²/2 is the same at half the rate");
  paper_table_row(
      r, "iterations there\t%s at rate 0.0001, where fewer do not arrive; %s at the others\tthe figure shows the whole way",
      setting(r->p, "barycenter-offsets", " at rate 0.0001", a), setting(r->p, "barycenter-offsets", " iterations", b));
  paper_table_row(
      r,
      "start there\tuniform in ±0.001, on the line through both points\tanywhere in the plane: claims 13b, 14b, rows `-plane`");
  paper_table_row(r,
                  "equal time\ta step of each update is timed, and each gets as many iterations as fit into the time of the "
                  "geodesic ones (%s; %s at rate 0.0001)\t",
                  setting(r->p, "varies-barycenter-equal", " geodesic steps", a),
                  setting(r->p, "varies-barycenter-equal", " at rate 0.0001", b));
}

static void tree_choices(paper_report *r) {
  char a[32];
  paper_table_row(r, "iterations on the tree\t%s, each an edge drawn uniformly\ta quarter and half of them are judged as well",
                  setting(r->p, "tree-closure", " iterations", a));
  paper_table_row(r, "loss on the tree\tthe printed one: its denominator sums over all nodes without an edge from u, and u "
                     "itself\tgensim's, beside it, has the positive there");
  paper_table_row(r, "distances in the graph, for Kendall's τ\tin the graph that is embedded, as the text says: for closures "
                     "they are 1 and 2\tin the tree or hierarchy itself: claims 20b, 21b, 21d");
}

static void mammals_choices(paper_report *r) {
  char a[32];
  paper_table_row(r, "epochs on the mammals\t%s times as many edges, drawn uniformly, as the graph has\t",
                  setting(r->p, "mammals-5", " epochs", a));
  paper_table_row(
      r, "loss on the mammals\tgensim's, with the positive in the denominator; the tables have its exact value over all nodes\t");
  paper_table_row(r,
                  "negatives on the mammals\t%s, by how many edges they have: so does gensim, on which the experiments "
                  "ran\tuniform, of which the text speaks: claims 21c, 21d",
                  setting(r->p, "mammals-5", " negatives", a));
  paper_table_row(r, "link prediction\t%d %% of the edges that are not basic are held out, others for each seed\t",
                  PAPER_HELD_OUT);
  paper_table_row(r, "gensim\t`PoincareModel` of Debian's python3-gensim with the same parameters; it works in batches of 10\t");
}

void paper_choices_section(paper_report *r) {
  paper_heading(r, "What the paper leaves open, and what is done here");
  paper_table_begin(r, "question\tchoice\tother reading");
  barycenter_choices(r);
  tree_choices(r);
  mammals_choices(r);
  paper_table_row(r,
                  "the exact exponential map\tin 113-bit arithmetic, so that the command needs no MPFR; "
                  "`tests/accuracy/test_paper_exact.c` holds it to MPFR within 2⁻¹⁰⁰ of the radius on the same kinds of cases\t");
  paper_table_end(r);
}

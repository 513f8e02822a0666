/* paper_facts.c - how the numbers were made: the command, the commit, versions, machine and durations, kept as tables beside the
 * others (varies-run, varies-durations) and shown in the report. GEODISK_COMMIT comes from the build (cmake/commit.cmake). */
#include "bench/bench.h"
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef GEODISK_COMMIT
#define GEODISK_COMMIT "unknown"
#endif

static const char durations_head[] = "# durations: seconds that each part of the plan took, on the clock and of the "
                                     "processors\npart\tseconds\tprocessor\tcommand\n";

void paper_note_duration(const paper *p, const char *part, double seconds, double processor) {
  paper_data d;
  paper_buffer out = {0};
  paper_append(&out, "%s", durations_head);
  if (paper_open_any(p, "varies-durations", &d))
    for (size_t row = 0; row < d.rows; row++)
      if (strcmp(paper_at(&d, row, "part"), part) != 0)
        paper_append(&out, "%s\t%s\t%s\t%s\n", paper_at(&d, row, "part"), paper_at(&d, row, "seconds"),
                     paper_at(&d, row, "processor"), paper_at(&d, row, "command"));
  paper_close(&d);
  paper_append(&out, "%s\t%.2f\t%.2f\t%s\n", part, seconds, processor, p->command);
  paper_write_file(p, "varies-durations", "tsv", &out);
  free(out.text);
}

static void first_line(const char *command, char *line, size_t room) {
  if (!bench_first_line(command, line, room))
    snprintf(line, room, "not installed");
}

/* The version that WordNet's data names in its first lines. */
static void wordnet_version(const paper *p, char *version, size_t room) {
  char path[4096], line[256];
  snprintf(path, sizeof path, "%s/data.noun", p->dict);
  FILE *file = fopen(path, "r");
  snprintf(version, room, "not installed");
  for (int i = 0; file != NULL && i < 40 && fgets(line, sizeof line, file) != NULL; i++) {
    const char *name = strstr(line, "WordNet "), *end = name != NULL ? strstr(name, " Copyright") : NULL;
    if (end != NULL) {
      snprintf(version, room, "%.*s", (int)(end - name), name);
      break;
    }
  }
  if (file != NULL)
    fclose(file);
}

int paper_write_facts(paper *p) {
  struct utsname system;
  char text[256];
  paper_buffer out = {0};
  paper_append(&out, "# run: how the numbers were made\nwhat\tvalue\n");
  paper_append(&out, "last command\t%s\n", p->command);
  paper_append(&out, "plan\t%s\n", p->quick ? "quick" : "full");
  paper_append(&out, "commit\t%s\n", GEODISK_COMMIT);
  paper_append(&out, "geodisk\t%s; %s; instruction set %s\n", geodisk_version(), geodisk_features(),
               geodisk_instruction_set(p->context));
  paper_append(&out, "compiler\t%s\n",
#ifdef __clang__
               __VERSION__
#else
               "gcc " __VERSION__
#endif
  );
  bench_processor(text, sizeof text);
  paper_append(&out, "machine\t%s, %ld cores, %d threads used\n", text, sysconf(_SC_NPROCESSORS_ONLN),
               geodisk_context_threads(p->context));
  first_line("gnuplot --version 2>/dev/null", text, sizeof text);
  paper_append(&out, "gnuplot\t%s\n", text);
  first_line("/usr/bin/python3 -c 'import importlib.metadata as m, platform as p; print(m.version(\"gensim\") + \", numpy \" + "
             "m.version(\"numpy\") + \", Python \" + p.python_version())' 2>/dev/null",
             text, sizeof text);
  paper_append(&out, "gensim\t%s\n", text);
  wordnet_version(p, text, sizeof text);
  paper_append(&out, "WordNet\t%s\n", text);
  if (uname(&system) == 0)
    paper_append(&out, "system\t%s %s\n", system.sysname, system.machine);
  const int code = paper_write_file(p, "varies-run", "tsv", &out);
  free(out.text);
  return code;
}

void paper_facts_section(paper_report *r) {
  paper_data d;
  paper_heading(r, "How it was made");
  paper_table_begin(r, "what\tvalue");
  if (paper_open_any(r->p, "varies-run", &d))
    for (size_t row = 0; row < d.rows; row++)
      paper_table_row(r, "%s\t%s", paper_at(&d, row, "what"), paper_at(&d, row, "value"));
  paper_close(&d);
  paper_table_end(r);
  if (paper_open_any(r->p, "varies-durations", &d)) {
    double sum[2] = {0};
    size_t by_another = 0; /* parts that another command ran than the first one */
    paper_text(r, "Seconds that each part took when it was run, on the clock and of the processors; other programs may have run "
                  "beside it, which makes the first longer:");
    paper_table_begin(r, "part\tseconds\tof the processors\tby");
    for (size_t row = 0; row < d.rows; row++) {
      const double processor = paper_value(&d, row, "processor");
      paper_table_row(r, "%s\t%s\t%s\t%s", paper_at(&d, row, "part"), paper_at(&d, row, "seconds"),
                      paper_at(&d, row, "processor"), paper_at(&d, row, "command"));
      sum[0] += paper_value(&d, row, "seconds");
      sum[1] += isfinite(processor) ? processor : 0;
      by_another += strcmp(paper_at(&d, row, "command"), paper_at(&d, 0, "command")) != 0;
    }
    paper_table_row(r, "all\t%.0f\t%.0f\t", sum[0], sum[1]);
    paper_table_end(r);
    paper_text(r, "All parts together took %.1f minutes%s; figures and report, drawn at the end, are not counted.", sum[0] / 60,
               by_another == 0 ? ", in one run of that command on the machine above" : ", in several runs");
  }
  paper_close(&d);
  paper_text(
      r,
      "Every number above comes from a .tsv file, whose first line holds its settings; seeds.tsv has the numbers of every single "
      "run, varies-seeds.tsv those of the runs at equal time (arrival there in milliseconds). They are the same bytes each time "
      "and for any number of threads, but for files whose name begins with varies-: times. On another processor numbers can "
      "differ: gensim's, since NumPy chooses its functions by it, and the last digits of others, where the C library does.");
  paper_text(r, "To cite: the paper (Enokida, Suzuki and Yamanishi 2018) for the method and its claims; geodisk (CITATION.cff), "
                "with the version and commit above, for these numbers.");
}

/* paper_report.c - the report of `geodisk reproduce`: the same text as Markdown and as HTML. */
#include "paper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char *const verdicts[] = {"not reproduced", "partly reproduced", "reproduced"};
static const char *const classes[] = {"no", "partly", "yes"};

/* Text for HTML. */
static void append_escaped(paper_buffer *b, const char *text) {
  for (; *text != 0; text++)
    if (*text == '<')
      paper_append(b, "&lt;");
    else if (*text == '&')
      paper_append(b, "&amp;");
    else
      paper_append(b, "%c", *text);
}

void paper_heading(paper_report *r, const char *title) {
  paper_append(&r->markdown, "## %s\n\n", title);
  paper_append(&r->html, "<h2>");
  append_escaped(&r->html, title);
  paper_append(&r->html, "</h2>\n");
}

void paper_text(paper_report *r, const char *format, ...) {
  paper_buffer text = {0};
  va_list arguments;
  va_start(arguments, format);
  paper_append_list(&text, format, arguments);
  va_end(arguments);
  if (text.text != NULL) {
    paper_append(&r->markdown, "%s\n\n", text.text);
    paper_append(&r->html, "<p>");
    append_escaped(&r->html, text.text);
    paper_append(&r->html, "</p>\n");
  }
  r->markdown.failed |= text.failed;
  free(text.text);
}

void paper_show(paper_report *r, const char *figure, const char *caption) {
  if (!r->p->gnuplot) {
    paper_text(r, "(Figure %s: gnuplot is not installed. %s)", figure, caption);
    return;
  }
  paper_append(&r->markdown, "![%s](%s.png)\n\n*%s* (%s.svg)\n\n", figure, figure, caption, figure);
  paper_append(&r->html, "<figure><a href=\"%s.svg\"><img src=\"%s.png\" alt=\"%s\"></a><figcaption>", figure, figure, figure);
  append_escaped(&r->html, caption);
  paper_append(&r->html, "</figcaption></figure>\n");
}

/* One row of a table from tab-separated cells, between the tags <tr><kind>. */
static void append_row(paper_buffer *markdown, paper_buffer *html, const char *kind, char *cells) {
  paper_append(markdown, "|");
  paper_append(html, "<tr>");
  while (cells != NULL) {
    char *tab = strchr(cells, '\t');
    if (tab != NULL)
      *tab = 0;
    paper_append(markdown, " %s |", cells);
    paper_append(html, "<%s>", kind);
    append_escaped(html, cells);
    paper_append(html, "</%s>", kind);
    cells = tab != NULL ? tab + 1 : NULL;
  }
  paper_append(markdown, "\n");
  paper_append(html, "</tr>\n");
}

void paper_table_begin(paper_report *r, const char *heads) {
  paper_buffer row = {0};
  paper_append(&row, "%s", heads);
  paper_append(&r->html, "<table>\n");
  if (row.text != NULL)
    append_row(&r->markdown, &r->html, "th", row.text);
  paper_append(&r->markdown, "|");
  for (const char *c = heads; c != NULL; c = strchr(c, '\t') != NULL ? strchr(c, '\t') + 1 : NULL)
    paper_append(&r->markdown, " --- |");
  paper_append(&r->markdown, "\n");
  free(row.text);
}

void paper_table_row(paper_report *r, const char *format, ...) {
  paper_buffer row = {0};
  va_list arguments;
  va_start(arguments, format);
  paper_append_list(&row, format, arguments);
  va_end(arguments);
  if (row.text != NULL)
    append_row(&r->markdown, &r->html, "td", row.text);
  free(row.text);
}

void paper_table_end(paper_report *r) {
  paper_append(&r->markdown, "\n");
  paper_append(&r->html, "</table>\n");
}

void paper_claim(paper_report *r, paper_verdict verdict, const char *claim, const char *format, ...) {
  paper_buffer text = {0};
  va_list arguments;
  va_start(arguments, format);
  paper_append_list(&text, format, arguments);
  va_end(arguments);
  const char *numbers = text.text != NULL ? text.text : "";
  paper_append(&r->markdown, "**%s: %s.** %s\n\n", claim, verdicts[verdict], numbers);
  paper_append(&r->html, "<p class=\"claim %s\"><b>", classes[verdict]);
  append_escaped(&r->html, claim);
  paper_append(&r->html, ": %s.</b> ", verdicts[verdict]);
  append_escaped(&r->html, numbers);
  paper_append(&r->html, "</p>\n");
  if (r->varies)
    numbers = "Times: see the last section.";
  paper_append(&r->claims_markdown, "| %s | %s | %s |\n", claim, verdicts[verdict], numbers);
  paper_append(&r->claims_html, "<tr><td>");
  append_escaped(&r->claims_html, claim);
  paper_append(&r->claims_html, "</td><td class=\"%s\">%s</td><td>", classes[verdict], verdicts[verdict]);
  append_escaped(&r->claims_html, numbers);
  paper_append(&r->claims_html, "</td></tr>\n");
  r->claims++;
  r->reproduced += verdict == PAPER_REPRODUCED;
  r->markdown.failed |= text.failed;
  free(text.text);
}

/* The processor's name. */
static void processor_name(char *name, size_t room) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(name, room, "unknown processor");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
      line[strcspn(line, "\n")] = 0;
      snprintf(name, room, "%s", strchr(line, ':') + 2);
      break;
    }
  if (file != NULL)
    fclose(file);
}

/* The first line that a program prints, or "not installed". */
static void first_line(const char *command, char *line, size_t room) {
  FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a fixed command */
  if (pipe == NULL || fgets(line, (int)room, pipe) == NULL)
    snprintf(line, room, "not installed");
  line[strcspn(line, "\n")] = 0;
  if (pipe != NULL)
    pclose(pipe);
}

/* "barycenter 0 to 99; ...": from the column `seeds` of the tables that are there. */
static void list_seeds(const paper *p, paper_buffer *out) {
  const paper_experiment *e;
  for (size_t i = 0; (e = paper_experiment_at(i)) != NULL; i++) {
    double most = 0;
    for (int j = 0; j < e->n_parts; j++)
      for (int k = 0; k < PAPER_TABLES && e->parts[j].tables[k] != NULL; k++) {
        paper_data data;
        paper_open(p, &e->parts[j], e->parts[j].tables[k], &data);
        for (size_t row = 0; row < data.rows; row++) {
          const double seeds = paper_value(&data, row, "seeds");
          most = seeds > most ? seeds : most;
        }
        paper_close(&data);
      }
    if (most > 0)
      paper_append(out, "%s 0 to %.0f; ", e->name, most - 1);
  }
  paper_append(out, "random cases elsewhere from seed 0");
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

static void machine_section(paper_report *r) {
  struct utsname system;
  char processor[256], other[128];
  processor_name(processor, sizeof processor);
  paper_heading(r, "How it was made");
  paper_table_begin(r, "what\tvalue");
  paper_table_row(r, "command\tgeodisk reproduce (%s)", r->p->quick ? "--quick: less of everything" : "full");
  paper_table_row(r, "geodisk\t%s; %s; instruction set %s", geodisk_version(), geodisk_features(),
                  geodisk_instruction_set(r->p->context));
  paper_table_row(r, "compiler\t%s",
#ifdef __clang__
                  __VERSION__
#else
                  "gcc " __VERSION__
#endif
  );
  paper_table_row(r, "machine\t%s, %ld cores, %d threads used", processor, sysconf(_SC_NPROCESSORS_ONLN),
                  geodisk_context_threads(r->p->context));
  first_line("gnuplot --version 2>/dev/null", other, sizeof other);
  paper_table_row(r, "gnuplot\t%s", other);
  first_line("/usr/bin/python3 -c 'import importlib.metadata as m, platform as p; print(m.version(\"gensim\") + \", numpy \" + "
             "m.version(\"numpy\") + \", Python \" + p.python_version())' 2>/dev/null",
             other, sizeof other);
  paper_table_row(r, "gensim\t%s", other);
  wordnet_version(r->p, other, sizeof other);
  paper_table_row(r, "WordNet\t%s", other);
  if (uname(&system) == 0)
    paper_table_row(r, "system\t%s %s %s", system.sysname, system.release, system.machine);
  paper_buffer seeds = {0};
  list_seeds(r->p, &seeds);
  paper_table_row(r, "seeds\t%s", seeds.text != NULL ? seeds.text : "");
  r->markdown.failed |= seeds.failed;
  free(seeds.text);
  paper_table_end(r);
  paper_text(
      r, "Every number above comes from a .tsv file beside this report, whose first line holds its settings. They are the same "
         "bytes each time, but for files whose name begins with varies-: times, and training in which threads race.");
}

static const char style[] =
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}img{max-width:100%;border:1px solid "
    "#ddd}table{border-collapse:collapse;font-size:14px}td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left;"
    "vertical-align:top}figure{margin:1em "
    "0}figcaption{color:#555;font-size:14px}.yes{background:#dceefa}.partly{background:#fdf3d8}"
    ".no{background:#f9ded1}.claim{padding:.5em .8em}";

int paper_write_report(paper *p) {
  paper_report r = {.p = p};
  paper_buffer markdown = {0}, html = {0};
  const paper_experiment *e;
  for (size_t i = 0; (e = paper_experiment_at(i)) != NULL; i++)
    e->report(p, &r);
  machine_section(&r);
  paper_heading(&r, "What varies from run to run");
  r.varies = true;
  for (size_t i = 0; (e = paper_experiment_at(i)) != NULL; i++)
    if (e->varies != NULL)
      e->varies(p, &r);
  const char *title = "Stable geodesic updates: the paper, reproduced";
  const char *about = "Y. Enokida, A. Suzuki, K. Yamanishi: Stable Geodesic Update on Hyperbolic Space and its Application to "
                      "Poincaré Embeddings. Every experiment of the paper, run again, and what came out. Where the paper leaves "
                      "something open, the choice is stated.";
  paper_append(&markdown, "# %s\n\n%s\n\n", title, about);
  paper_append(
      &html,
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title><style>%s</style></head><body>\n"
      "<h1>%s</h1>\n<p>%s</p>\n",
      title, style, title, about);
  if (p->quick) {
    paper_append(&markdown, "**This is the quick version: fewer seeds, rates and iterations. Judge by the full one.**\n\n");
    paper_append(&html, "<p><b>This is the quick version: fewer seeds, rates and iterations. Judge by the full one.</b></p>\n");
  }
  if (r.claims > 0) {
    paper_append(&markdown, "## Claims: %d of %d reproduced\n\n| claim | verdict | numbers |\n| --- | --- | --- |\n%s\n",
                 r.reproduced, r.claims, r.claims_markdown.text);
    paper_append(
        &html,
        "<h2>Claims: %d of %d reproduced</h2>\n<table><tr><th>claim</th><th>verdict</th><th>numbers</th></tr>\n%s</table>\n",
        r.reproduced, r.claims, r.claims_html.text);
  }
  paper_append(&markdown, "%s", r.markdown.text != NULL ? r.markdown.text : "");
  paper_append(&html, "%s</body></html>\n", r.html.text != NULL ? r.html.text : "");
  markdown.failed |= r.markdown.failed || r.claims_markdown.failed;
  html.failed |= r.html.failed || r.claims_html.failed;
  int code = paper_write_file(p, "report", "md", &markdown);
  if (code == EXIT_OK)
    code = paper_write_file(p, "report", "html", &html);
  free(r.markdown.text);
  free(r.html.text);
  free(r.claims_markdown.text);
  free(r.claims_html.text);
  free(markdown.text);
  free(html.text);
  return code;
}

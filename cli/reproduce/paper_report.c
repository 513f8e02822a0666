/* paper_report.c - the report of `geodisk reproduce`: the same text as Markdown and as HTML. */
#include "paper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Text for HTML in which what is between two ** is bold. */
static void append_inline(paper_buffer *b, const char *text) {
  bool bold = false;
  for (const char *mark; (mark = strstr(text, "**")) != NULL; text = mark + 2, bold = !bold) {
    paper_buffer piece = {0};
    paper_append(&piece, "%.*s", (int)(mark - text), text);
    append_escaped(b, piece.text != NULL ? piece.text : "");
    paper_append(b, bold ? "</b>" : "<b>");
    free(piece.text);
  }
  append_escaped(b, text);
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
    append_inline(&r->html, text.text);
    paper_append(&r->html, "</p>\n");
  }
  r->markdown.failed |= text.failed;
  free(text.text);
}

const char *paper_over_seeds(double seeds, char text[64]) {
  if (seeds == 1)
    snprintf(text, 64, "One seed, so that there are no standard errors");
  else
    snprintf(text, 64, "Means and standard errors over %.0f seeds", seeds);
  return text;
}

const char *paper_mean_text(int digits, double mean, double error, double seeds, char text[64]) {
  if (seeds > 1)
    snprintf(text, 64, "%.*f ± %.*f", digits, mean, digits, error);
  else
    snprintf(text, 64, "%.*f", digits, mean);
  return text;
}

void paper_show(paper_report *r, const char *figure, const char *caption) {
  if (!r->p->gnuplot) {
    paper_text(r, "(Figure %s: gnuplot is not installed. %s)", figure, caption);
    return;
  }
  char path[4096];
  paper_path(r->p, figure, "svg", path, sizeof path);
  paper_append(&r->markdown, "![%s](%s.png)\n\n*%s*", figure, figure, caption);
  if (access(path, R_OK) == 0) /* a page has the PNG only */
    paper_append(&r->markdown, " (%s.svg)", figure);
  paper_append(&r->markdown, "\n\n");
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

static const char style[] =
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}img{max-width:100%;border:1px solid "
    "#ddd}table{border-collapse:collapse;font-size:14px}td,th{border:1px solid #ccc;padding:.2em "
    ".6em;text-align:left;vertical-align:top}figure{margin:1em "
    "0}figcaption{color:#555;font-size:14px}.yes{background:#dceefa}.partly{background:#fdf3d8}.no{background:#f9ded1}.claim{"
    "padding:.5em .8em}";

/* The figures of gnuplot stand beside the report; where nothing is drawn, those of an earlier run do. */
static void say_frame(const paper *p, paper_buffer *markdown, paper_buffer *html) {
  const char *title = "Stable geodesic updates: the paper, reproduced";
  const char *about = "Y. Enokida, A. Suzuki, K. Yamanishi: Stable Geodesic Update on Hyperbolic Space and its Application to "
                      "Poincaré Embeddings. Every experiment of the paper, run again, and what came out.";
  const char *quick = "This is the quick version: fewer seeds, rates and iterations. Judge by the full one.";
  paper_append(markdown, "# %s\n\n%s\n\n", title, about);
  paper_append(
      html,
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title><style>%s</style></head><body>\n"
      "<h1>%s</h1>\n<p>%s</p>\n",
      title, style, title, about);
  if (p->quick) {
    paper_append(markdown, "**%s**\n\n", quick);
    paper_append(html, "<p><b>%s</b></p>\n", quick);
  }
}

int paper_write_report(paper *p) {
  paper_report r = {.p = p};
  paper_buffer markdown = {0}, html = {0}, body[2];
  const paper_experiment *e;
  for (size_t i = 0; (e = paper_experiment_at(i)) != NULL; i++)
    e->report(p, &r);
  paper_heading(&r, "What varies from run to run");
  for (size_t i = 0; (e = paper_experiment_at(i)) != NULL; i++)
    if (e->varies != NULL)
      e->varies(p, &r);
  paper_facts_section(&r);
  body[0] = r.markdown; /* the claims come first, but are known last */
  body[1] = r.html;
  r.markdown = r.html = (paper_buffer){0};
  paper_claims_section(&r);
  paper_choices_section(&r);
  paper_append(&r.markdown, "%s", body[0].text != NULL ? body[0].text : "");
  paper_append(&r.html, "%s", body[1].text != NULL ? body[1].text : "");
  say_frame(p, &markdown, &html);
  paper_append(&markdown, "%s", r.markdown.text != NULL ? r.markdown.text : "");
  paper_append(&html, "%s</body></html>\n", r.html.text != NULL ? r.html.text : "");
  markdown.failed |= r.markdown.failed || body[0].failed;
  html.failed |= r.html.failed || body[1].failed;
  int code = paper_write_file(p, "report", "md", &markdown);
  if (code == EXIT_OK)
    code = paper_write_file(p, "report", "html", &html);
  if (code == EXIT_OK)
    code = paper_write_claims(p, &r);
  if (code == EXIT_OK && p->page != NULL)
    code = paper_write_page(p, r.markdown.text);
  for (int i = 0; i < PAPER_CLAIMS; i++)
    free(r.outcomes[i].numbers);
  geodisk_free_all(r.markdown.text, r.html.text, body[0].text, body[1].text, markdown.text, html.text);
  return code;
}

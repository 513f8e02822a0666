/* paper_page.c - puts the report into a document, between two marks, so that a page cannot say what the tables do not. */
#include "paper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char begin[] = "<!-- begin: written by `geodisk reproduce page` -->\n",
                  end[] = "<!-- end: written by `geodisk reproduce page` -->\n";

/* The report with its figures, which stand in a folder beside the page. */
static void append_report(paper_buffer *out, const char *markdown) {
  const char *figure;
  for (; (figure = strstr(markdown, "\n![")) != NULL; markdown = figure) {
    figure = strstr(figure, "](");
    if (figure == NULL)
      break;
    figure += 2;
    paper_append(out, "%.*sreproduction/", (int)(figure - markdown), markdown);
  }
  paper_append(out, "%s", markdown);
}

int paper_write_page(const paper *p, const char *markdown) {
  char *text = paper_read_text(p->page);
  const char *from = text == NULL ? NULL : strstr(text, begin), *to = from == NULL ? NULL : strstr(from, end);
  if (to == NULL) {
    const char *why = text == NULL ? "cannot read it" : "has no pair of marks of `geodisk reproduce page`";
    free(text);
    return cli_error("%s: %s", p->page, why);
  }
  paper_buffer out = {0};
  geodisk_file *file = NULL;
  paper_append(&out, "%.*s\n", (int)(from - text + (long)sizeof begin - 1), text);
  append_report(&out, markdown);
  paper_append(&out, "%s", to);
  free(text);
  geodisk_status status = out.failed ? GEODISK_ERROR_MEMORY : geodisk_file_create(p->context, p->page, &file);
  if (status == GEODISK_OK) {
    status = geodisk_file_write(file, out.text, out.size);
    if (status == GEODISK_OK)
      status = geodisk_file_commit(file);
    else
      geodisk_file_abandon(file);
  }
  free(out.text);
  return status == GEODISK_OK ? EXIT_OK : cli_failed(p->context, status);
}

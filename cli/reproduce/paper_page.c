/* paper_page.c - puts the report into a document, between two marks, so that a page cannot say what the tables do not; and the
 * checksums of the tables, so that none of them can change unseen. */
#include "bench/bench.h"
#include "paper.h"

#include <dirent.h>
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
  size_t size;
  char *text = bench_read_file(p->page, &size);
  const char *from = text == NULL ? NULL : strstr(text, begin), *to = from == NULL ? NULL : strstr(from, end);
  if (to == NULL) {
    const char *why = text == NULL ? "cannot read it" : "has no pair of marks of `geodisk reproduce page`";
    free(text);
    return cli_error("%s: %s", p->page, why);
  }
  paper_buffer out = {0};
  paper_append(&out, "%.*s\n", (int)(from - text + (long)sizeof begin - 1), text);
  append_report(&out, markdown);
  paper_append(&out, "%s", to);
  free(text);
  const int code = paper_write_text(p, p->page, &out);
  free(out.text);
  return code;
}

/* ---- checksums --------------------------------------------------------------------------------------------------------- */

/* The checksum of POSIX's cksum: a CRC of the bytes and of their number. */
static uint32_t add_byte(uint32_t crc, unsigned char byte) {
  crc ^= (uint32_t)byte << 24;
  for (int bit = 0; bit < 8; bit++)
    crc = crc & 0x80000000U ? crc << 1 ^ 0x04c11db7U : crc << 1;
  return crc;
}

static bool checksum(const char *path, uint32_t *sum, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return false;
  *sum = 0;
  *size = 0;
  for (int c; (c = fgetc(file)) != EOF; ++*size)
    *sum = add_byte(*sum, (unsigned char)c);
  for (size_t n = *size; n > 0; n >>= 8)
    *sum = add_byte(*sum, (unsigned char)n);
  *sum = ~*sum;
  return fclose(file) == 0;
}

static int is_table(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length > 4 && strcmp(entry->d_name + length - 4, ".tsv") == 0 && strcmp(entry->d_name, "checksums.tsv") != 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

int paper_write_checksums(const paper *p) {
  struct dirent **entries = NULL;
  paper_buffer out = {0};
  int code = EXIT_OK;
  const int n = scandir(p->dir, &entries, is_table, by_name);
  paper_append(&out, "# checksums: of the tables beside this one, as the program cksum has them\nsum\tbytes\tfile\n");
  for (int i = 0; i < n; i++) {
    char path[4096];
    uint32_t sum = 0;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", p->dir, entries[i]->d_name);
    if (code == EXIT_OK && !checksum(path, &sum, &size))
      code = cli_error("%s: cannot read it", path);
    if (code == EXIT_OK)
      paper_append(&out, "%lu\t%zu\t%s\n", (unsigned long)sum, size, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  if (code == EXIT_OK)
    code = paper_write_file(p, "checksums", "tsv", &out);
  free(out.text);
  return code;
}

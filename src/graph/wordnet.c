/* wordnet.c - the hypernym links of a WordNet database (formats: the manual pages wndb(5) and wninput(5)).
 *
 * index.POS:  lemma pos synset_cnt p_cnt [symbol...] sense_cnt tagsense_cnt offset [offset...]      offsets: senses, in their
 * order data.POS:   offset lex_filenum ss_type w_cnt word lex_id [word lex_id...] p_cnt [symbol offset pos source/target...] |
 * gloss Lines that begin with a blank are the licence. w_cnt and lex_id are hexadecimal. */
#include "base/grow.h"
#include "order.h"
#include "text_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORD = 1000 };

typedef struct link {
  uint32_t child;
  uint32_t parent_offset;
  uint64_t line;
} link;

typedef struct synset_place {
  uint32_t offset, id;
} synset_place;

typedef struct wordnet {
  geodisk_context *context;
  input in;
  char pos;
  geodisk_wordnet_info info;
  name_table lemmas;
  uint64_t *sense_start; /* lemma's senses: senses[sense_start[i]] .. senses[sense_start[i + 1] - 1] */
  uint32_t *senses;      /* offsets of synsets */
  size_t lemma_room, sense_count, sense_room;
  synset_place *places; /* of synset i */
  size_t place_count, place_room;
  link *links;
  size_t link_count, link_room;
  graph_builder builder;
} wordnet;

/* ---- the tokens of a line --------------------------------------------------------------------------------------------- */

typedef struct tokens {
  const char *next, *end;
  const char *text; /* the token taken last */
  size_t length;
  int column;
} tokens;

/* Takes the next token; an empty one at the end of the line. */
static void take(tokens *t) {
  while (t->next < t->end && *t->next == ' ')
    t->next++;
  t->text = t->next;
  while (t->next < t->end && *t->next != ' ')
    t->next++;
  t->length = (size_t)(t->next - t->text);
  t->column++;
}

static geodisk_status fail_token(wordnet *w, const tokens *t, const char *reason) {
  char shown[SHOWN_FIELD];
  return geodisk_fail(w->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 ", column %d: '%s': %s", w->in.label, w->in.line,
                      t->column, show_field(shown, t->text, t->length), reason);
}

/* A whole number below 2^32 - 1 in the given base. */
static geodisk_status take_number(wordnet *w, tokens *t, unsigned base, uint32_t *value) {
  uint64_t v = 0;
  take(t);
  for (size_t i = 0; i < t->length; i++) {
    const char c = t->text[i];
    const unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
    if (digit >= base || v >= UINT32_MAX / 16)
      return fail_token(w, t, base == 16 ? "a hexadecimal number should be here" : "a whole number should be here");
    v = v * base + digit;
  }
  if (t->length == 0)
    return fail_token(w, t, "the line ends too early");
  *value = (uint32_t)v;
  return GEODISK_OK;
}

/* ---- index.POS -------------------------------------------------------------------------------------------------------- */

static geodisk_status index_line(wordnet *w, const char *line, size_t length) {
  tokens t = {.next = line, .end = line + length};
  geodisk_status status;
  uint32_t synsets = 0, pointers = 0, value = 0, id = 0;
  bool is_new;
  take(&t);
  if (names_intern(&w->lemmas, t.text, t.length, &id, &is_new) != GEODISK_OK)
    return geodisk_no_memory(w->context, "for line %" PRIu64 " of %s", w->in.line, w->in.label);
  if (!is_new)
    return fail_token(w, &t, "the word is there before");
  if (!array_grow(&w->sense_start, w->lemmas.count + 1, 1, &w->lemma_room, sizeof *w->sense_start))
    return geodisk_no_memory(w->context, "for line %" PRIu64 " of %s", w->in.line, w->in.label);
  take(&t);
  if (t.length != 1 || *t.text != w->pos)
    return fail_token(w, &t, "another part of speech should be here");
  if ((status = take_number(w, &t, 10, &synsets)) != GEODISK_OK || (status = take_number(w, &t, 10, &pointers)) != GEODISK_OK)
    return status;
  for (uint32_t i = 0; i < pointers && t.next < t.end; i++)
    take(&t);
  for (int i = 0; i < 2; i++) /* sense_cnt, tagsense_cnt */
    if ((status = take_number(w, &t, 10, &value)) != GEODISK_OK)
      return status;
  w->sense_start[id] = w->sense_count;
  for (uint32_t i = 0; i < synsets; i++) {
    if ((status = take_number(w, &t, 10, &value)) != GEODISK_OK)
      return status;
    if (!array_grow(&w->senses, w->sense_count, 1, &w->sense_room, sizeof *w->senses))
      return geodisk_no_memory(w->context, "for line %" PRIu64 " of %s", w->in.line, w->in.label);
    w->senses[w->sense_count++] = value;
  }
  w->sense_start[id + 1] = w->sense_count;
  return GEODISK_OK;
}

/* ---- data.POS --------------------------------------------------------------------------------------------------------- */

/* The number of the synset at `offset` among the senses of its first word, from 1; 0 if it is none of them. */
static uint64_t sense_number(const wordnet *w, const char *word, size_t length, uint32_t offset) {
  uint32_t id;
  if (!names_lookup(&w->lemmas, word, length, &id))
    return 0;
  for (uint64_t s = w->sense_start[id]; s < w->sense_start[id + 1]; s++)
    if (w->senses[s] == offset)
      return s - w->sense_start[id] + 1;
  return 0;
}

static geodisk_status name_synset(wordnet *w, const tokens *t, uint32_t offset, uint32_t *id) {
  char name[MAX_WORD + 32];
  if (t->length == 0 || t->length > MAX_WORD)
    return fail_token(w, t, "a word should be here, of at most 1000 bytes");
  if (geodisk_utf8_prefix(t->text, t->length) < t->length)
    return fail_token(w, t, "the word is not valid UTF-8");
  for (size_t i = 0; i < t->length; i++)
    name[i] = (char)(t->text[i] >= 'A' && t->text[i] <= 'Z' ? t->text[i] + ('a' - 'A') : t->text[i]);
  const uint64_t sense = sense_number(w, name, t->length, offset);
  if (sense == 0)
    return fail_token(w, t, "the index does not have this synset among the senses of the word");
  const int more = snprintf(name + t->length, sizeof name - t->length, ".%c.%02" PRIu64, w->pos, sense);
  bool is_new;
  if (names_intern(&w->builder.names, name, t->length + (size_t)more, id, &is_new) != GEODISK_OK)
    return geodisk_no_memory(w->context, "for line %" PRIu64 " of %s", w->in.line, w->in.label);
  return is_new ? GEODISK_OK : fail_token(w, t, "a synset of this name is there before");
}

static geodisk_status take_links(wordnet *w, tokens *t, uint32_t child) {
  uint32_t count = 0, offset = 0;
  geodisk_status status = take_number(w, t, 10, &count);
  for (uint32_t i = 0; i < count && status == GEODISK_OK; i++) {
    take(t);
    const bool hypernym = t->length == 1 && t->text[0] == '@';
    const bool instance = t->length == 2 && t->text[0] == '@' && t->text[1] == 'i';
    if ((status = take_number(w, t, 10, &offset)) != GEODISK_OK)
      return status;
    take(t);
    if ((hypernym || instance) && (t->length != 1 || *t->text != w->pos))
      return fail_token(w, t, "a hypernym of another part of speech");
    take(t);
    if (!hypernym && !instance)
      continue;
    if (!array_grow(&w->links, w->link_count, 1, &w->link_room, sizeof *w->links))
      return geodisk_no_memory(w->context, "for line %" PRIu64 " of %s", w->in.line, w->in.label);
    w->links[w->link_count++] = (link){child, offset, w->in.line};
    w->info.hypernyms += hypernym;
    w->info.instance_hypernyms += instance;
  }
  return status;
}

static geodisk_status data_line(wordnet *w, const char *line, size_t length) {
  const char *gloss = memchr(line, '|', length);
  tokens t = {.next = line, .end = gloss != NULL ? gloss : line + length};
  geodisk_status status;
  uint32_t offset = 0, words = 0, id = 0;
  if ((status = take_number(w, &t, 10, &offset)) != GEODISK_OK)
    return status;
  take(&t);
  take(&t);
  if (t.length != 1 || *t.text != w->pos)
    return fail_token(w, &t, "another part of speech should be here");
  if ((status = take_number(w, &t, 16, &words)) != GEODISK_OK)
    return status;
  if (words == 0)
    return fail_token(w, &t, "a synset has at least one word");
  take(&t);
  if ((status = name_synset(w, &t, offset, &id)) != GEODISK_OK)
    return status;
  for (uint64_t i = 1; i < 2 * (uint64_t)words && t.next < t.end; i++) /* the rest of the words and lex_ids */
    take(&t);
  if (!array_grow(&w->places, w->place_count, 1, &w->place_room, sizeof *w->places))
    return geodisk_no_memory(w->context, "for line %" PRIu64 " of %s", w->in.line, w->in.label);
  w->places[w->place_count++] = (synset_place){offset, id};
  return take_links(w, &t, id);
}

/* ---- both files ------------------------------------------------------------------------------------------------------- */

/* Reads w->in, which is open, line by line, and closes it. */
static geodisk_status read_lines(wordnet *w, geodisk_status (*take_line)(wordnet *, const char *, size_t)) {
  geodisk_status status;
  char *line;
  size_t length;
  while ((status = input_line(&w->in, &line, &length)) == GEODISK_OK && line != NULL) {
    if (length == 0 || line[0] == ' ')
      continue;
    if ((status = take_line(w, line, length)) != GEODISK_OK)
      break;
  }
  input_close(&w->in);
  return status;
}

static int by_offset(const void *a, const void *b) {
  const uint32_t x = ((const synset_place *)a)->offset, y = ((const synset_place *)b)->offset;
  return (x > y) - (x < y);
}

static geodisk_status resolve_links(wordnet *w, const char *label) {
  if (w->place_count == 0)
    return geodisk_fail(w->context, GEODISK_ERROR_FORMAT, "%s: there is no synset in it", label);
  qsort(w->places, w->place_count, sizeof *w->places, by_offset);
  for (size_t i = 0; i < w->link_count; i++) {
    const synset_place wanted = {w->links[i].parent_offset, 0};
    const synset_place *found = bsearch(&wanted, w->places, w->place_count, sizeof *w->places, by_offset);
    if (found == NULL)
      return geodisk_fail(w->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 ": the hypernym %08u is not in the file", label,
                          w->links[i].line, w->links[i].parent_offset);
    if (builder_add(&w->builder, w->links[i].child, found->id, -1, 0) != GEODISK_OK)
      return geodisk_no_memory(w->context, "for the links of %s", label);
  }
  w->info.synsets = w->place_count;
  return GEODISK_OK;
}

static void wordnet_free(wordnet *w) {
  names_free(&w->lemmas);
  geodisk_free_all(w->sense_start, w->senses, w->places, w->links);
  builder_free(&w->builder);
}

/* ---- what is asked for ------------------------------------------------------------------------------------------------ */

/* Replaces *graph by what a step makes of it. */
static geodisk_status replace(geodisk_graph **graph, geodisk_status status, geodisk_graph *next) {
  if (status == GEODISK_OK) {
    geodisk_graph_destroy(*graph);
    *graph = next;
  }
  return status;
}

static geodisk_status shape(geodisk_context *context, const geodisk_wordnet_options *options, geodisk_graph **graph) {
  geodisk_status status = GEODISK_OK;
  geodisk_graph *next = NULL;
  if (options->root != NULL) {
    uint32_t root;
    if (!geodisk_graph_find(*graph, options->root, strlen(options->root), &root))
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "root '%.60s': there is no synset of this name", options->root);
    status = geodisk_graph_subgraph_below(context, *graph, root, &next);
    if ((status = replace(graph, status, next)) != GEODISK_OK)
      return status;
  }
  char cycle[SHOWN_CYCLE];
  if ((status = show_cycle(context, *graph, cycle)) != GEODISK_OK)
    return status;
  if (cycle[0] != 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING, "WordNet: there is a cycle among the hypernyms: %s", cycle);
  if (!options->direct) {
    const geodisk_closure_options closure = {.allow_cycles = true};
    status = geodisk_graph_closure(context, *graph, &closure, &next);
    if ((status = replace(graph, status, next)) != GEODISK_OK)
      return status;
  }
  if (options->reverse) {
    status = geodisk_graph_reverse(context, *graph, &next);
    status = replace(graph, status, next);
  }
  return status;
}

/* Reads one of the two files: in the folder, or from memory. */
static geodisk_status read_file(wordnet *w, const char *path, const void *bytes, size_t size,
                                geodisk_status (*take_line)(wordnet *, const char *, size_t)) {
  const geodisk_status status = bytes == NULL ? input_open(w->context, path, "reading WordNet", &w->in)
                                              : input_open_memory(w->context, &(geodisk_memory_file){path, bytes, size}, &w->in);
  return status == GEODISK_OK ? read_lines(w, take_line) : status;
}

/* `folder` NULL: from memory. */
static geodisk_status read_wordnet(geodisk_context *context, const char *folder, const geodisk_wordnet_files *files,
                                   const geodisk_wordnet_options *options, geodisk_wordnet_info *info, geodisk_graph **out) {
  static const geodisk_wordnet_files no_files = {NULL, 0, NULL, 0};
  options = options != NULL ? options : &(const geodisk_wordnet_options){.pos = 'n'};
  wordnet w = {.context = context, .pos = options->pos != 0 ? options->pos : 'n'};
  if (w.pos != 'n' && w.pos != 'v')
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "WordNet: part of speech '%c': n and v have hypernyms", w.pos);
  if (files == NULL)
    files = &no_files;
  const size_t room = (folder != NULL ? strlen(folder) : 0) + 16;
  char *index_path = geodisk_allocate(room, 1), *data_path = geodisk_allocate(room, 1);
  geodisk_graph *graph = NULL;
  geodisk_status status;
  if (index_path == NULL || data_path == NULL) {
    status = geodisk_no_memory(context, "for WordNet");
    goto done;
  }
  const char *slash = folder != NULL ? "/" : "", *what = w.pos == 'n' ? "noun" : "verb";
  snprintf(index_path, room, "%s%sindex.%s", folder != NULL ? folder : "", slash, what);
  snprintf(data_path, room, "%s%sdata.%s", folder != NULL ? folder : "", slash, what);
  if ((status = read_file(&w, index_path, files->index, files->index_size, index_line)) != GEODISK_OK ||
      (status = read_file(&w, data_path, files->data, files->data_size, data_line)) != GEODISK_OK ||
      (status = resolve_links(&w, data_path)) != GEODISK_OK)
    goto done;
  if ((status = builder_finish(context, &w.builder, NULL, NULL, &graph)) != GEODISK_OK ||
      (status = shape(context, options, &graph)) != GEODISK_OK)
    goto done;
  if (info != NULL)
    *info = w.info;
  *out = graph;
  graph = NULL;

done:
  geodisk_graph_destroy(graph);
  wordnet_free(&w);
  geodisk_free_all(index_path, data_path);
  return status;
}

geodisk_status geodisk_graph_read_wordnet(geodisk_context *context, const char *dict, const geodisk_wordnet_options *options,
                                          geodisk_wordnet_info *info, geodisk_graph **out) {
  if (dict == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "WordNet: %s is NULL", dict == NULL ? "dict" : "out");
  return read_wordnet(context, dict, NULL, options, info, out);
}

geodisk_status geodisk_graph_read_wordnet_memory(geodisk_context *context, const geodisk_wordnet_files *files,
                                                 const geodisk_wordnet_options *options, geodisk_wordnet_info *info,
                                                 geodisk_graph **out) {
  if (files == NULL || files->data == NULL || files->index == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "WordNet: files or out is NULL");
  return read_wordnet(context, NULL, files, options, info, out);
}

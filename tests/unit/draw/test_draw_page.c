/* test_draw_page.c - the page as a file: the viewer around the data, names as JSON that no HTML can escape from, arrays in base64
 * that decode to the scene, vectors of projected models, the same bytes again, errors that leave nothing behind. */
#include "graph_testing.h"

#include <math.h>
#include <unistd.h>

#include "draw/page_text.h"
#include "draw/viewer.h"
#include "geodisk/draw.h"

static geodisk_context *context;
static char path[] = "page-XXXXXX";

static int start(void **state) {
  (void)state;
  const int fd = mkstemp(path);
  if (fd < 0 || close(fd) != 0)
    return -1;
  return geodisk_context_create(2, &context) == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return unlink(path);
}

static char *slurp(size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, *size, file), *size);
  text[*size] = 0;
  fclose(file);
  return text;
}

/* What stands in the script element of this id; the caller frees it. */
static char *block(const char *page, const char *id) {
  char mark[64];
  snprintf(mark, sizeof mark, "id=\"%s\">", id);
  const char *from = strstr(page, mark);
  assert_non_null(from);
  from += strlen(mark);
  const char *to = strstr(from, "</script>");
  assert_non_null(to);
  return strndup(from, (size_t)(to - from));
}

/* Decodes base64; the caller frees it. */
static unsigned char *decode(const char *text, size_t *size) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const size_t length = strlen(text);
  assert_int_equal(length % 4, 0);
  unsigned char *out = malloc(length + 1);
  assert_non_null(out);
  *size = 0;
  for (size_t i = 0; i < length; i += 4) {
    uint32_t group = 0;
    unsigned pad = 0;
    for (size_t k = 0; k < 4; k++) {
      const char *at = strchr(letters, text[i + k]);
      pad += text[i + k] == '=';
      if (text[i + k] != '=')
        assert_non_null(at);
      group = group << 6 | (text[i + k] == '=' ? 0 : (uint32_t)(at - letters));
    }
    for (unsigned k = 0; k < 3 - pad; k++)
      out[(*size)++] = (unsigned char)(group >> (16 - 8 * k));
  }
  return out;
}

static const char *const names[] = {"root", "<img src=x onerror=alert(1)>", "</script>", "\"\\\n\x7f", "sch\xc3\xb6n"};
enum { NODES = sizeof names / sizeof names[0] };

static geodisk_model *make_model(int dim, geodisk_space space) {
  const geodisk_model_spec spec = {.nodes = NODES, .ball = {dim, 2, 3}, .space = space, .name_list = names};
  geodisk_model *model = NULL;
  assert_int_equal(geodisk_model_create(context, &spec, &model), GEODISK_OK);
  const geodisk_ball ball = geodisk_model_ball(model);
  double *x = geodisk_model_edit_vectors(model);
  for (int i = 0; i < NODES; i++) {
    for (int k = 0; k < dim; k++)
      x[i * dim + k] = i == 0 ? 0 : 0.3 * i * cos(i + k);
    if (space == GEODISK_SPACE_HYPERBOLIC)
      geodisk_model_edit_gap(model)[i] = geodisk_gap(&ball, x + i * dim);
  }
  return model;
}

static geodisk_graph *make_graph(bool network) {
  const uint32_t child[] = {1, 2, 3, 4, 0}, parent[] = {0, 0, 1, 1, 4};
  const geodisk_graph_arrays arrays = {
      .nodes = NODES, .names = names, .edges = network ? 5 : 4, .children = child, .parents = parent};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  return graph;
}

static geodisk_scene *make_scene(const geodisk_model *model, const geodisk_graph *graph) {
  const geodisk_scene_options options = {.scale = 1};
  geodisk_scene *scene = NULL;
  if (geodisk_scene_create(context, model, graph, &options, &scene) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  return scene;
}

/* The viewer has each mark once, and the page is the viewer with something else there. */
static void viewer_around_data(void **state) {
  (void)state;
  char *viewer = strndup((const char *)draw_viewer, draw_viewer_size);
  assert_non_null(viewer);
  assert_int_equal(strlen(viewer), draw_viewer_size);
  static const char *const marks[] = {"/*ABOUT*/", "/*NAMES*/", "/*ARRAYS*/"};
  for (size_t i = 0; i < 3; i++) {
    const char *at = strstr(viewer, marks[i]);
    assert_non_null(at);
    assert_null(strstr(at + 1, marks[i]));
  }
  geodisk_model *model = make_model(2, GEODISK_SPACE_HYPERBOLIC);
  geodisk_graph *graph = make_graph(false);
  geodisk_scene *scene = make_scene(model, graph);
  geodisk_page_info info;
  assert_int_equal(geodisk_scene_write_page(context, scene, path, &(geodisk_page_options){.title = "a <b>"}, &info), GEODISK_OK);
  size_t size, again;
  char *page = slurp(&size);
  assert_int_equal(size, info.bytes);
  assert_int_equal(info.root, 0);
  assert_false(info.vectors);
  assert_memory_equal(page, viewer, (size_t)(strstr(viewer, marks[0]) - viewer));
  const char *tail = strstr(viewer, marks[2]) + strlen(marks[2]);
  assert_string_equal(page + size - strlen(tail), tail);
  assert_null(strstr(page, "/*ABOUT*/"));
  assert_null(strstr(page, "/*NAMES*/"));
  assert_null(strstr(page, "/*ARRAYS*/"));

  assert_int_equal(geodisk_scene_write_page(NULL, scene, path, &(geodisk_page_options){.title = "a <b>"}, NULL), GEODISK_OK);
  char *second = slurp(&again);
  assert_int_equal(size, again);
  assert_memory_equal(page, second, size);
  free(second);
  free(page);
  free(viewer);
  geodisk_scene_destroy(scene);
  geodisk_graph_destroy(graph);
  geodisk_model_destroy(model);
}

static void names_are_data(void **state) {
  (void)state;
  geodisk_model *model = make_model(2, GEODISK_SPACE_HYPERBOLIC);
  assert_int_equal(geodisk_model_set(context, model, "history", "[{\"epoch\":0,\"loss\":1,\"note\":\"</script>\"}]"), GEODISK_OK);
  geodisk_scene *scene = make_scene(model, NULL);
  geodisk_page_info info;
  assert_int_equal(geodisk_scene_write_page(context, scene, path, &(geodisk_page_options){.title = "</title>"}, &info),
                   GEODISK_OK);
  assert_int_equal(info.root, GEODISK_NODE_NONE);
  size_t size;
  char *page = slurp(&size), *list = block(page, "names"), *about = block(page, "about");
  assert_string_equal(list, "[\"root\",\n\"\\u003cimg src=x onerror=alert(1)\\u003e\",\n\"\\u003c/script\\u003e\",\n"
                            "[\"\\\"\\\\\\u000a\\u007f\",\"\\\"\\\\  \"],\n\"sch\xc3\xb6n\"]");
  assert_non_null(strstr(about, "\"title\":\"\\u003c/title\\u003e\""));
  assert_non_null(strstr(about, "\"graph\":false"));
  assert_non_null(strstr(about, "\"root\":-1"));
  assert_non_null(strstr(about, "\"curvature\":3"));
  assert_non_null(strstr(about, "\"distortion\":null"));
  assert_non_null(strstr(about, "\"history\":\"[{\\\"epoch\\\":0,\\\"loss\\\":1,\\\"note\\\":\\\"\\u003c/script\\u003e\\\"}]\""));
  free(about);
  free(list);
  free(page);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
}

/* A history of 1,100,000 epochs: the page shows some hundred of them at even distances, and the last. */
static void long_histories_are_thinned(void **state) {
  (void)state;
  enum { EPOCHS = 1100000 };
  geodisk_model *model = make_model(2, GEODISK_SPACE_HYPERBOLIC);
  double *rows = malloc(2 * EPOCHS * sizeof *rows);
  for (size_t i = 0; i < EPOCHS; i++) {
    rows[2 * i] = (double)i;
    rows[2 * i + 1] = i == EPOCHS - 1 ? (double)INFINITY : 0.5;
  }
  assert_int_equal(geodisk_model_set_history(context, model, &(geodisk_history){EPOCHS, 2, "epoch loss", rows}), GEODISK_OK);
  geodisk_scene *scene = make_scene(model, NULL);
  geodisk_page_info info;
  assert_int_equal(geodisk_scene_write_page(context, scene, path, &(geodisk_page_options){.title = "t"}, &info), GEODISK_OK);
  size_t size, shown = 0;
  char *page = slurp(&size), *about = block(page, "about");
  assert_non_null(strstr(about, "\"history\":\"[{\\\"epoch\\\":0,\\\"lr\\\":null,\\\"loss\\\":0.5,\\\"radius\\\":null},"));
  assert_non_null(strstr(about, "{\\\"epoch\\\":1099999,\\\"lr\\\":null,\\\"loss\\\":null,\\\"radius\\\":null}]\""));
  for (const char *at = about; (at = strstr(at, "epoch")) != NULL; at++)
    shown++;
  assert_in_range(shown, 400, 514);
  free(about);
  free(page);
  free(rows);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
}

static const unsigned char *take(const unsigned char **at, size_t size) {
  const unsigned char *part = *at;
  *at += size;
  return part;
}

/* A number of the page, little-endian on every machine. */
static uint64_t little_at(const unsigned char *bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;)
    value = value << 8 | bytes[i];
  return value;
}

static double number_at(const unsigned char *bytes, size_t i) {
  const uint64_t bits = little_at(bytes + 8 * i, 8);
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

static uint32_t whole_at(const unsigned char *bytes, size_t i) { return (uint32_t)little_at(bytes + 4 * i, 4); }

static void check_arrays(int dim, geodisk_space space, bool network) {
  geodisk_model *model = make_model(dim, space);
  geodisk_graph *graph = make_graph(network);
  geodisk_scene *scene = make_scene(model, graph);
  geodisk_page_info info;
  assert_int_equal(geodisk_scene_write_page(context, scene, path, NULL, &info), GEODISK_OK);
  assert_int_equal(info.vectors, scene->projection.projected);
  assert_int_equal(scene->network, network);
  assert_int_equal(info.root, network ? GEODISK_NODE_NONE : 0);
  size_t page_size, size;
  char *page = slurp(&page_size), *text = block(page, "arrays");
  assert_non_null(strstr(page, network ? "\"network\":true" : "\"network\":false"));
  unsigned char *bytes = decode(text, &size);
  const unsigned char *at = bytes;
  const size_t n = NODES, m = scene->edges;
  const size_t vectors = info.vectors ? n * 8 + n * (size_t)dim * 6 : 0;
  assert_int_equal(size, 3 * 8 * n + 2 * 4 * n + 2 * 4 * m + n + vectors);
  const unsigned char *x = take(&at, 8 * n), *y = take(&at, 8 * n), *gap = take(&at, 8 * n);
  const unsigned char *own_gap = info.vectors ? take(&at, 8 * n) : NULL;
  const unsigned char *parent = take(&at, 4 * n), *below = take(&at, 4 * n), *child = take(&at, 4 * m), *upper = take(&at, 4 * m),
                      *branch = take(&at, n);
  for (size_t i = 0; i < n; i++) {
    assert_true(number_at(x, i) == scene->x[2 * i] && number_at(y, i) == scene->x[2 * i + 1]);
    assert_true(number_at(gap, i) == scene->gap[i]);
    assert_int_equal(whole_at(parent, i), network ? GEODISK_NODE_NONE : scene->parent[i]); /* nothing is above anything */
    assert_int_equal(whole_at(below, i), network ? scene->degree[i] : scene->descendants[i]);
    assert_int_equal(branch[i], scene->branch[i]);
  }
  for (size_t e = 0; e < m; e++) {
    assert_int_equal(whole_at(child, e), scene->edge_child[e]);
    assert_int_equal(whole_at(upper, e), scene->edge_parent[e]);
  }
  const bool flat = space == GEODISK_SPACE_EUCLIDEAN;
  double unit = flat ? 0 : 2;
  for (size_t i = 0; flat && i < n * (size_t)dim; i++)
    unit = fmax(unit, fabs(geodisk_model_vectors(model)[i]));
  for (size_t i = 0; info.vectors && i < n; i++) {
    assert_true(fabs(number_at(own_gap, i) - (flat ? 1 : geodisk_model_gap(model)[i] / 4)) < 1e-15);
    for (int k = 0; k < dim; k++) {
      const unsigned char *six = take(&at, 6);
      int64_t value = 0;
      for (int b = 5; b >= 0; b--)
        value = value * 256 + six[b];
      if (six[5] >= 128)
        value -= (int64_t)1 << 48;
      assert_true(fabs(ldexp((double)value, -47) * unit - geodisk_model_vectors(model)[i * (size_t)dim + (size_t)k]) <=
                  ldexp(1.1 * unit, -47)); /* half a step; the largest coordinate loses a whole one */
    }
  }
  free(bytes);
  free(text);
  free(page);
  geodisk_scene_destroy(scene);
  geodisk_graph_destroy(graph);
  geodisk_model_destroy(model);
}

static void arrays(void **state) {
  (void)state;
  check_arrays(2, GEODISK_SPACE_HYPERBOLIC, false);
  check_arrays(5, GEODISK_SPACE_HYPERBOLIC, false);
  check_arrays(3, GEODISK_SPACE_EUCLIDEAN, false);
  check_arrays(2, GEODISK_SPACE_HYPERBOLIC, true);
  check_arrays(3, GEODISK_SPACE_HYPERBOLIC, true);
}

/* Whatever the sizes of the pieces, base64 is that of all bytes; and the buffer may be full at any place. */
static void base64_in_pieces(void **state) {
  (void)state;
  static unsigned char bytes[40000];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(i * 2654435761u >> 13);
  for (size_t piece = 1; piece < 9; piece++) {
    const size_t total = sizeof bytes - piece;
    page_text *out = geodisk_allocate_zero(1, sizeof *out);
    assert_non_null(out);
    assert_int_equal(geodisk_file_create(context, path, &out->file), GEODISK_OK);
    for (size_t i = 0; i < total; i += piece)
      page_base64(out, bytes + i, i + piece <= total ? piece : total - i);
    page_base64_end(out);
    page_flush(out);
    assert_int_equal(out->status, GEODISK_OK);
    assert_int_equal(geodisk_file_commit(out->file), GEODISK_OK);
    free(out);
    size_t length, size;
    char *text = slurp(&length);
    unsigned char *back = decode(text, &size);
    assert_int_equal(size, total);
    assert_memory_equal(back, bytes, total);
    free(back);
    free(text);
  }
}

static void errors(void **state) {
  (void)state;
  geodisk_model *model = make_model(2, GEODISK_SPACE_HYPERBOLIC);
  geodisk_scene *scene = make_scene(model, NULL);
  assert_int_equal(geodisk_scene_write_page(context, NULL, path, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_scene_write_page(context, scene, NULL, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_scene_write_page(context, scene, path, &(geodisk_page_options){.title = "\xff"}, NULL),
                   GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_scene_write_page(context, scene, "no/such/folder/page.html", NULL, NULL), GEODISK_ERROR_IO);
  geodisk_scene_destroy(scene);
  const geodisk_scene_options half = {.scale = 0.5};
  assert_int_equal(geodisk_scene_create(context, model, NULL, &half, &scene), GEODISK_OK);
  assert_int_equal(geodisk_scene_write_page(context, scene, path, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "page: the scene has scale 0.5, not 1");
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(viewer_around_data),         cmocka_unit_test(names_are_data),
      cmocka_unit_test(long_histories_are_thinned), cmocka_unit_test(arrays),
      cmocka_unit_test(base64_in_pieces),           cmocka_unit_test(errors),
  };
  return cmocka_run_group_tests(tests, start, finish);
}

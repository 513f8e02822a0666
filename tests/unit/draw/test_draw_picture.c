/* test_draw_picture.c - pictures as files: the same bytes every time, names as text, what is refused, what is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "geodisk/draw.h"

static const char svg_path[] = "test_draw_picture.svg", png_path[] = "test_draw_picture.png",
                  pdf_path[] = "test_draw_picture.pdf";
static geodisk_context *context;
static geodisk_model *model;
static geodisk_scene *scene;

/* A tree of three levels; two names that would be markup. */
static const char *const names[] = {
    "top", "<img src=x onerror=alert(1)>", "a & \"b\"", "left_leaf.n.01", "right_leaf.n.01", "another", "control\001char",
    "lone"};
static const uint32_t children[] = {1, 2, 3, 4, 5, 6}, parents[] = {0, 0, 1, 1, 2, 2};
static const double points[][2] = {{0, 0}, {0.5, 0.1}, {-0.5, 0.1}, {0.8, 0.2}, {0.8, -0.2}, {-0.8, 0.2}, {-0.8, -0.2}, {0, 0.7}};
enum { NODES = 8 };

static int start(void **state) {
  (void)state;
  const geodisk_model_spec spec = {.nodes = NODES, .ball = geodisk_unit_ball(2), .name_list = names};
  const geodisk_graph_arrays arrays = {NODES, names, 6, children, parents, NULL};
  const geodisk_ball plane = geodisk_unit_ball(2);
  geodisk_graph *graph = NULL;
  if (geodisk_context_create(2, &context) != GEODISK_OK || geodisk_model_create(context, &spec, &model) != GEODISK_OK ||
      geodisk_graph_create(context, &arrays, NULL, &graph) != GEODISK_OK)
    return -1;
  for (size_t i = 0; i < NODES; i++) {
    memcpy(geodisk_model_edit_vectors(model) + 2 * i, points[i], sizeof points[i]);
    geodisk_model_edit_gap(model)[i] = geodisk_gap(&plane, points[i]);
  }
  const geodisk_status status = geodisk_scene_create(context, model, graph, NULL, &scene);
  geodisk_graph_destroy(graph);
  return status == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
  geodisk_context_destroy(context);
  unlink(svg_path);
  unlink(png_path);
  unlink(pdf_path);
  return 0;
}

static char *content(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *bytes = calloc(1, 1 << 20);
  *length = fread(bytes, 1, (1 << 20) - 1, file);
  fclose(file);
  return bytes;
}

static char *draw(const char *path, const geodisk_picture_options *options, size_t *length) {
  geodisk_picture_info info = {0};
  if (geodisk_picture_write(context, scene, path, options, &info) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  assert_int_equal(info.height, options != NULL && options->size > 0 ? options->size : 1000);
  assert_true(info.width >= info.height && info.labels <= NODES);
  return content(path, length);
}

static size_t count(const char *text, const char *part) {
  size_t n = 0;
  for (const char *p = text; (p = strstr(p, part)) != NULL; p++)
    n++;
  return n;
}

static void svg(void **state) {
  (void)state;
  size_t n, m;
  char *text = draw(svg_path, NULL, &n);
  assert_int_equal(count(text, "<path ") - count(strstr(text, "<g id=\"rim\">"), "<path "),
                   6);                             /* an arc or line for every edge */
  assert_int_equal(count(text, "<title>"), NODES); /* a circle for every node */
  assert_null(strstr(text, "<img"));
  assert_non_null(strstr(text, "&lt;img src=x onerror=alert(1)&gt;"));
  assert_non_null(strstr(text, "a &amp; &quot;b&quot;"));
  assert_null(strchr(text, '\001'));
  assert_non_null(strstr(text, ">left leaf</text>"));
  assert_int_equal(count(text, "http"), 1); /* the name space of SVG, and no other address */
  char *again = draw(svg_path, NULL, &m);
  assert_int_equal(n, m);
  assert_memory_equal(text, again, n);
  free(again);
  free(text);

  const geodisk_picture_options more = {.grid = true, .dark = true, .no_legend = true, .size = 333};
  text = draw(svg_path, &more, &n);
  assert_non_null(strstr(text, "<g id=\"grid\">"));
  assert_int_equal(count(text, "<path ") - count(strstr(text, "<g id=\"rim\">"), "<path "), 6 + 12);
  assert_null(strstr(text, ">other<"));
  free(text);
}

static void highlights_and_labels(void **state) {
  (void)state;
  size_t n;
  const char *const stressed[] = {"another", "left_leaf.n.01"};
  const geodisk_picture_options few = {.highlight = stressed, .highlights = 2, .no_labels = true};
  char *text = draw(svg_path, &few, &n);
  assert_int_equal(count(text, "font-weight=\"bold\""), 2);
  const char *labels = strstr(text, "<g id=\"labels\">"), *legend = strstr(text, "<g id=\"legend\">");
  assert_true(labels != NULL && legend != NULL && labels < legend);
  const size_t all = count(labels, "<text") - count(legend, "<text");
  assert_int_equal(all, 2);
  free(text);
  const geodisk_picture_options three = {.labels = 3};
  text = draw(svg_path, &three, &n);
  assert_int_equal(count(strstr(text, "<g id=\"labels\">"), "<text") - count(strstr(text, "<g id=\"legend\">"), "<text"), 3);
  free(text);
}

/* PNG and PDF by cairo, or the message that it is not there. */
static void by_cairo(void **state) {
  (void)state;
  const char *const paths[] = {png_path, pdf_path}, *const starts[] = {"\x89PNG\r\n\x1a\n", "%PDF-"};
  const bool built_in = strstr(geodisk_features(), "without cairo") == NULL;
  for (int k = 0; k < 2; k++) {
    if (!built_in) {
      assert_int_equal(geodisk_picture_write(context, scene, paths[k], NULL, NULL), GEODISK_ERROR_UNSUPPORTED);
      assert_non_null(strstr(geodisk_context_error(context), "cairo"));
      continue;
    }
    size_t n, m;
    const geodisk_picture_options small = {.size = 300};
    char *bytes = draw(paths[k], &small, &n), *again = draw(paths[k], &small, &m);
    assert_memory_equal(bytes, starts[k], strlen(starts[k]));
    assert_int_equal(n, m);
    assert_memory_equal(bytes, again, n);
    for (size_t i = 0; i + 12 < n; i++)
      assert_int_not_equal(memcmp(bytes + i, "CreationDate", 12), 0);
    free(bytes);
    free(again);
  }
}

static void refused(void **state) {
  (void)state;
  const char *const nobody[] = {"anothr"};
  const geodisk_picture_options tiny = {.size = 10}, huge = {.size = 20001}, lost = {.highlight = nobody, .highlights = 1},
                                centre = {.centre = GEODISK_CENTRE_NODE, .centre_node = "tops"},
                                nowhere = {.centre = GEODISK_CENTRE_NODE}, strange = {.centre = (geodisk_picture_centre)9};
  const geodisk_picture_options *const wrong[] = {&tiny, &huge, &lost, &centre, &nowhere, &strange};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    geodisk_picture_info info = {.width = 7};
    assert_int_equal(geodisk_picture_write(context, scene, "test_draw_none.svg", wrong[i], &info), GEODISK_ERROR_ARGUMENT);
    assert_int_equal(info.width, 7);
    if (wrong[i] == &lost)
      assert_string_equal(geodisk_context_error(context), "no node 'anothr'; did you mean 'another'?");
  }
  assert_int_equal(geodisk_picture_write(context, scene, "test_draw_none.gif", NULL, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_picture_write(context, scene, "no/folder.svg", NULL, NULL), GEODISK_ERROR_IO);
  assert_int_equal(geodisk_picture_write(context, NULL, svg_path, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(access("test_draw_none.svg", F_OK), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(svg),
      cmocka_unit_test(highlights_and_labels),
      cmocka_unit_test(by_cairo),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, start, finish);
}

/* test_draw_geometry.c - geodesics on paper, the isometry to the centre, the projection into the plane, places for labels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw/picture.h"
#include "draw/projection.h"
#include "geodisk/draw.h"

static const double TURN = 2 * 3.14159265358979323846;
static const disk_frame unit_frame = {0, 0, 1};
static geodisk_context *context;

static int start(void **state) {
  (void)state;
  return geodisk_context_create(2, &context) == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return 0;
}

static void assert_near(const char *what, double actual, double expected, double bound) {
  if (!(fabs(actual - expected) <= bound))
    fail_msg("%s: %.17g, expected %.17g, off by %.3g, allowed %.3g", what, actual, expected, fabs(actual - expected), bound);
}

/* The circle passes through both ends and meets the rim at right angles: |c|^2 = 1 + r^2. */
static void arcs(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(1, 1);
  for (int k = 0; k < 2000; k++) {
    double p[2], q[2];
    for (int i = 0; i < 2; i++) {
      const double r = sqrt(geodisk_random_uniform(&random)), a = TURN * geodisk_random_uniform(&random);
      double *x = i == 0 ? p : q;
      x[0] = r * cos(a);
      x[1] = r * sin(a);
    }
    const canvas_arc arc = disk_arc(&unit_frame, p, q);
    assert_near("x1", arc.x1, p[0], 0);
    assert_near("y2, downwards", arc.y2, -q[1], 0);
    if (arc.straight)
      continue;
    const double slack = 1e-9 * arc.r * arc.r; /* ends nearly in line with the origin make large circles */
    assert_near("through q", hypot(arc.x2 - arc.cx, arc.y2 - arc.cy), arc.r, 1e-12 + slack);
    assert_near("right angle", arc.cx * arc.cx + arc.cy * arc.cy - arc.r * arc.r, 1, 1e-12 + slack);
    double middle[2]; /* of the geodesic, by the library: on the circle too */
    const geodisk_ball plane = geodisk_unit_ball(2);
    geodisk_geodesic(&plane, p, q, 0.5, middle);
    assert_near("middle", hypot(middle[0] - arc.cx, -middle[1] - arc.cy), arc.r, 1e-9 + slack);
  }
  const double p[2] = {0.5, 0.25}, q[2] = {-0.8, -0.4}, o[2] = {0, 0};
  assert_true(disk_arc(&unit_frame, p, q).straight);
  assert_true(disk_arc(&unit_frame, o, q).straight);
  assert_true(disk_arc(&unit_frame, p, p).straight);
}

/* A scene over points of the plane, as a model gives it. */
static geodisk_scene *plane_scene(size_t n, const double *radius, const double *angle, geodisk_model **model) {
  const geodisk_ball plane = geodisk_unit_ball(2);
  const geodisk_model_spec spec = {.nodes = n, .ball = plane};
  const geodisk_scene_options options = {.scale = 1};
  geodisk_scene *scene = NULL;
  *model = NULL;
  assert_int_equal(geodisk_model_create(context, &spec, model), GEODISK_OK);
  for (size_t i = 0; i < n; i++) {
    const double e = geodisk_euclidean_from_radius(&plane, radius[i]);
    geodisk_model_edit_vectors(*model)[2 * i] = e * cos(angle[i]);
    geodisk_model_edit_vectors(*model)[2 * i + 1] = e * sin(angle[i]);
    geodisk_model_edit_gap(*model)[i] = geodisk_gap_from_radius(&plane, radius[i]);
  }
  assert_int_equal(geodisk_scene_create(context, *model, NULL, &options, &scene), GEODISK_OK);
  assert_true(scene->scale == 1);
  return scene;
}

/* Whatever is moved to the centre is there, and distances stay; also of nodes that coordinates alone could not tell from the rim.
 */
static void isometry(void **state) {
  (void)state;
  enum { N = 40 };
  const geodisk_ball plane = geodisk_unit_ball(2);
  double radius[N], angle[N], x[2 * N];
  for (int i = 0; i < N; i++) {
    radius[i] = i == 1 ? 60 : 0.08 * i;
    angle[i] = i < 2 ? 1 : 2.4 * i;
  }
  radius[0] = 57;
  geodisk_model *model;
  geodisk_scene *scene = plane_scene(N, radius, angle, &model);
  geodisk_picture_options options = {.centre = GEODISK_CENTRE_NODE, .centre_node = "0"};
  assert_int_equal(view_make(context, scene, &options, x), GEODISK_OK);
  assert_true(x[0] == 0 && x[1] == 0);
  assert_near("three units further out", hypot(x[2], x[3]), tanh(1.5), 1e-12);
  assert_near("in its direction", atan2(x[3], x[2]), 1, 1e-9);

  options.centre_node = "20";
  assert_int_equal(view_make(context, scene, &options, x), GEODISK_OK);
  assert_true(x[40] == 0 && x[41] == 0);
  for (size_t i = 2; i < N; i++)
    for (size_t j = 2; j < i; j++)
      assert_near("distance", geodisk_distance(&plane, x + 2 * i, x + 2 * j),
                  geodisk_distance(&plane, scene->x + 2 * i, scene->x + 2 * j), 1e-9);

  options.centre = GEODISK_CENTRE_ROOT; /* no graph: the innermost node */
  assert_int_equal(view_make(context, scene, &options, x), GEODISK_OK);
  assert_true(x[4] == 0 && x[5] == 0);
  options.centre = GEODISK_CENTRE_NODE;
  options.centre_node = "x";
  assert_int_equal(view_make(context, scene, &options, x), GEODISK_ERROR_ARGUMENT);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
}

static void barycenter(void **state) {
  (void)state;
  const double radius[3] = {2, 2, 2}, angle[3] = {0.3, 0.3 + TURN / 3, 0.3 + 2 * TURN / 3};
  double x[6];
  geodisk_model *model;
  geodisk_scene *scene = plane_scene(3, radius, angle, &model);
  const geodisk_picture_options options = {.centre = GEODISK_CENTRE_BARYCENTER};
  assert_int_equal(view_make(context, scene, &options, x), GEODISK_OK);
  for (int i = 0; i < 3; i++)
    assert_near("around the middle", hypot(x[2 * i], x[2 * i + 1]), tanh(1), 1e-12);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
}

/* Three quarters of the nodes of a deep model are drawn within a distance of 3.7; directions stay. */
static void scale(void **state) {
  (void)state;
  enum { N = 41 };
  double radius[N], angle[N];
  for (int i = 0; i < N; i++) {
    radius[i] = i;
    angle[i] = 0.1 * i;
  }
  geodisk_model *model;
  geodisk_scene *scene = plane_scene(N, radius, angle, &model);
  geodisk_scene_destroy(scene);
  assert_int_equal(geodisk_scene_create(context, model, NULL, NULL, &scene), GEODISK_OK);
  assert_near("scale", scene->scale, 3.7 / 30, 1e-12);
  const geodisk_ball plane = geodisk_unit_ball(2);
  for (size_t i = 1; i < N; i++) {
    assert_near("drawn", geodisk_radius_from_gap(&plane, scene->gap[i]), scene->scale * radius[i], 1e-10);
    assert_near("x", scene->x[2 * i], tanh(scene->scale * radius[i] / 2) * cos(angle[i]), 1e-14);
    assert_near("y", scene->x[2 * i + 1], tanh(scene->scale * radius[i] / 2) * sin(angle[i]), 1e-14);
  }
  geodisk_scene_destroy(scene);
  const geodisk_scene_options wrong = {.scale = -1};
  assert_int_equal(geodisk_scene_create(context, model, NULL, &wrong, &scene), GEODISK_ERROR_ARGUMENT);
  geodisk_model_destroy(model);
}

/* ---- the plane of the projection --------------------------------------------------------------------------------- */

static void plane_formulas(void **state) {
  (void)state;
  const geodisk_ball plane = geodisk_unit_ball(2);
  geodisk_random random = geodisk_random_stream(2, 1);
  for (int k = 0; k < 500; k++) {
    const double r = 4 * geodisk_random_uniform(&random), s = 4 * geodisk_random_uniform(&random);
    const plane_point p = {exp(r), TURN * geodisk_random_uniform(&random)}, q = {exp(s), TURN * geodisk_random_uniform(&random)};
    const double x[2] = {tanh(r / 2) * cos(p.angle), tanh(r / 2) * sin(p.angle)};
    const double y[2] = {tanh(s / 2) * cos(q.angle), tanh(s / 2) * sin(q.angle)};
    assert_near("distance", plane_distance(&p, &q), geodisk_distance(&plane, x, y), 1e-10);

    const double step = 3 * geodisk_random_uniform(&random), way = TURN * geodisk_random_uniform(&random);
    const double lam = geodisk_metric_factor(&plane, x);
    const double v[2] = {step / lam * cos(p.angle + way), step / lam * sin(p.angle + way)};
    double z[2];
    plane_point moved = p;
    geodisk_exp(&plane, x, v, z);
    plane_step(&moved, exp(step), cos(way), sin(way));
    const double rho = tanh(log(moved.e) / 2);
    assert_near("x after a step", rho * cos(moved.angle), z[0], 1e-10);
    assert_near("y after a step", rho * sin(moved.angle), z[1], 1e-10);
  }
}

/* A binary tree in a plane of five-dimensional space: it comes out as it is, with any number of threads. */
static geodisk_scene *project_tree(int threads, geodisk_space space, bool with_graph, geodisk_model **model) {
  enum { N = 127, DIM = 5 };
  const geodisk_generate_options tree = {.kind = GEODISK_GENERATOR_TREE, .branching = 2, .depth = 6};
  const geodisk_model_spec spec = {.nodes = N, .ball = {DIM, 1, 1}, .space = space};
  geodisk_context *own = NULL;
  geodisk_graph *graph = NULL;
  geodisk_scene *scene = NULL;
  assert_int_equal(geodisk_context_create(threads, &own), GEODISK_OK);
  assert_int_equal(geodisk_graph_generate(own, &tree, &graph), GEODISK_OK);
  *model = NULL;
  assert_int_equal(geodisk_model_create(own, &spec, model), GEODISK_OK);
  for (size_t i = 0, level = 0; i < N; i++) {
    while (i + 2 > ((size_t)2 << level))
      level++;
    const double share = ((double)(i + 1 - ((size_t)1 << level)) + 0.5) / (double)((size_t)1 << level);
    const double e = tanh(1.1 * (double)level / 2), a = TURN * share;
    double *x = geodisk_model_edit_vectors(*model) + DIM * i;
    x[0] = e * cos(a) * 0.6; /* the plane of (0.6, 0.8, 0, 0, 0) and (0, 0, 0, 1, 0) */
    x[1] = e * cos(a) * 0.8;
    x[3] = e * sin(a);
    if (space == GEODISK_SPACE_HYPERBOLIC)
      geodisk_model_edit_gap(*model)[i] = 1 - e * e;
  }
  if (geodisk_scene_create(own, *model, with_graph ? graph : NULL, NULL, &scene) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(own));
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(own);
  return scene;
}

static void projection(void **state) {
  (void)state;
  geodisk_model *model, *other;
  geodisk_scene *scene = project_tree(1, GEODISK_SPACE_HYPERBOLIC, true, &model);
  assert_true(scene->projection.projected && scene->projection.centre == 0 && scene->projection.pairs > 90000);
  assert_near("mean distortion", scene->projection.distortion_mean, 0, 1e-12);
  assert_near("of edges", scene->projection.edge_distortion_mean, 0, 1e-12);
  assert_true(scene->projection.distortion_median <= scene->projection.distortion_95);
  geodisk_scene *again = project_tree(4, GEODISK_SPACE_HYPERBOLIC, true, &other);
  assert_memory_equal(scene->x, again->x, 2 * scene->nodes * sizeof *scene->x);
  assert_memory_equal(scene->gap, again->gap, scene->nodes * sizeof *scene->gap);
  geodisk_scene_destroy(again);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
  geodisk_model_destroy(other);

  scene = project_tree(1, GEODISK_SPACE_HYPERBOLIC, false, &model); /* a hierarchy from the points alone */
  assert_near("without a graph", scene->projection.distortion_mean, 0, 0.1);
  assert_true(isnan(scene->projection.edge_distortion_mean) && scene->edges == 0);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);

  scene = project_tree(1, GEODISK_SPACE_EUCLIDEAN, true, &model); /* flat distances do not fit as well, but there is a picture */
  assert_true(scene->projection.projected && scene->projection.distortion_mean < 0.35);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
}

/* The fit alone: points of a plane, started from wrong radii and angles, find their distances again. */
static void stress(void **state) {
  (void)state;
  enum { N = 60 };
  const geodisk_ball ball = geodisk_unit_ball(2);
  double x[2 * N] = {0}, gap[N] = {1};
  uint32_t parent[N] = {GEODISK_NODE_NONE};
  plane_point points[N] = {{1, 0}};
  geodisk_random random = geodisk_random_stream(4, 1);
  for (uint32_t i = 1; i < N; i++) {
    geodisk_random_in_ball(&ball, &random, 4, x + 2 * i, gap + i);
    parent[i] = i / 2;
    points[i].e = exp(geodisk_radius_from_gap(&ball, gap[i]) * (0.7 + 0.6 * geodisk_random_uniform(&random)));
    points[i].angle = atan2(x[2 * i + 1], x[2 * i]) + 0.1 * (geodisk_random_uniform(&random) - 0.5);
  }
  const source_points source = {.nodes = N, .dim = 2, .ball = ball, .unit = 1, .x = x, .gap = gap};
  const geodisk_scene no_edges = {.nodes = N};
  geodisk_projection before, after;
  assert_int_equal(stress_measure(context, &source, &no_edges, points, &before), GEODISK_OK);
  assert_int_equal(stress_fit(context, &source, parent, 0, points), GEODISK_OK);
  assert_int_equal(stress_measure(context, &source, &no_edges, points, &after), GEODISK_OK);
  assert_true(before.distortion_mean > 0.1);
  assert_near("mean distortion", after.distortion_mean, 0, 0.01); /* 0.002 when written */
  assert_true(points[0].e == 1);                                  /* the centre stays */
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static bool apart(const label_box *a, const label_box *b) {
  return a->right <= b->left || b->right <= a->left || a->bottom <= b->top || b->bottom <= a->top;
}

static void label_places(void **state) {
  (void)state;
  enum { N = 600 };
  label_wish wishes[N];
  placed_label placed[N];
  double dots[3 * N];
  size_t n = 0;
  geodisk_random random = geodisk_random_stream(3, 1);
  for (uint32_t i = 0; i < N; i++) {
    wishes[i] = (label_wish){.node = i,
                             .weight = geodisk_random_uniform(&random),
                             .x = 700 * geodisk_random_uniform(&random),
                             .y = 500 * geodisk_random_uniform(&random),
                             .r = 3,
                             .size = 8 + 6 * geodisk_random_uniform(&random),
                             .bold = i % 2 == 0,
                             .text = i % 3 == 0 ? "a longer name" : "name"};
    memcpy(dots + 3 * i, (const double[]){wishes[i].x, wishes[i].y, 3}, 3 * sizeof *dots);
  }
  const label_box taken = {500, 0, 700, 120};
  const label_paper paper = {700, 500, &taken, 1, N, dots};
  assert_int_equal(labels_place(context, &paper, N, wishes, N, placed, &n), GEODISK_OK);
  assert_true(n > 100 && n < N); /* more than fit is no error */
  for (size_t i = 0; i < n; i++) {
    const label_box *b = &placed[i].box;
    assert_true(b->left >= 0 && b->top >= 0 && b->right <= 700 && b->bottom <= 500 && apart(b, &taken));
    assert_near("width", b->right - b->left, text_width(placed[i].wish->text, placed[i].wish->bold) * placed[i].wish->size, 1e-9);
    for (size_t j = 0; j < i; j++)
      assert_true(apart(b, &placed[j].box));
    assert_true(i == 0 || placed[i].wish->weight <= placed[i - 1].wish->weight);
  }
  assert_true(placed[0].wish == &wishes[0]); /* the heaviest has its label in any case */
  assert_int_equal(labels_place(context, &paper, N, wishes, 5, placed, &n), GEODISK_OK);
  assert_int_equal(n, 5);
  assert_int_equal(labels_place(context, &paper, 0, NULL, 5, placed, &n), GEODISK_OK);
  assert_int_equal(n, 0);
}

/* Eager wishes that find no place beside their node take one farther off, with a line, or smaller letters. */
static void eager_labels(void **state) {
  (void)state;
  enum { N = 12 };
  label_wish wishes[N];
  placed_label placed[N];
  double dots[3 * N];
  for (int eager = 0; eager < 2; eager++) {
    size_t n = 0, far = 0;
    for (uint32_t i = 0; i < N; i++) {
      wishes[i] = (label_wish){
          .node = i, .weight = i, .x = 300 + 2 * (double)i, .y = 200, .r = 3, .size = 12, .eager = eager, .text = "a name"};
      memcpy(dots + 3 * i, (const double[]){wishes[i].x, wishes[i].y, 3}, 3 * sizeof *dots);
    }
    const label_paper paper = {600, 400, NULL, 0, N, dots};
    assert_int_equal(labels_place(context, &paper, N, wishes, N, placed, &n), GEODISK_OK);
    for (size_t i = 0; i < n; i++) {
      far += placed[i].far;
      assert_true(placed[i].size <= 12 && placed[i].size > 7);
      for (size_t j = 0; j < i; j++)
        assert_true(apart(&placed[i].box, &placed[j].box));
    }
    assert_true(eager ? n == N && far > 0 : n < N && far == 0);
  }
}

static void widths(void **state) {
  (void)state;
  assert_near("ascii", text_width("dog", false), 0.635 + 0.612 + 0.635, 1e-12);
  assert_near("umlauts", text_width("\xc3\xa4\xc3\xb6", false), 1.4, 1e-12);
  assert_near("Chinese", text_width("\xe7\x8b\x97", true), 1, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arcs),   cmocka_unit_test(isometry),       cmocka_unit_test(barycenter),
      cmocka_unit_test(scale),  cmocka_unit_test(plane_formulas), cmocka_unit_test(projection),
      cmocka_unit_test(stress), cmocka_unit_test(label_places),   cmocka_unit_test(eager_labels),
      cmocka_unit_test(widths),
  };
  return cmocka_run_group_tests(tests, start, finish);
}

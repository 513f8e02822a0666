/* test_draw_names.c - what nodes are called in pictures: readable names, cut ones, others that were given, odd letters, locales.
 */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "draw/picture.h"
#include "geodisk/draw.h"

#define DOTS "\xe2\x80\xa6"
static const char path[] = "test_draw_names.out";
static geodisk_context *context;
static char warning[1024];

static void keep_warning(void *user, geodisk_log_level level, const char *text) {
  (void)user;
  if (level == GEODISK_LOG_WARNING)
    snprintf(warning, sizeof warning, "%s", text);
}

static int start(void **state) {
  (void)state;
  if (geodisk_context_create(1, &context) != GEODISK_OK)
    return -1;
  geodisk_context_on_log(context, keep_warning, NULL);
  return 0;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  unlink(path);
  return system("rm -rf test_draw_locale");
}

/* A model of names on a circle, each within 0.9 of the radius, and its scene; the first name in the middle is everybody's parent.
 */
static geodisk_scene *scene_of(const char *const *names, size_t n, const geodisk_scene_options *options, geodisk_model **model) {
  const geodisk_model_spec spec = {.nodes = n, .ball = geodisk_unit_ball(2), .name_list = names};
  const geodisk_ball plane = geodisk_unit_ball(2);
  geodisk_scene *scene = NULL;
  *model = NULL;
  assert_int_equal(geodisk_model_create(context, &spec, model), GEODISK_OK);
  for (size_t i = 1; i < n; i++) {
    double *x = geodisk_model_edit_vectors(*model) + 2 * i;
    const double angle = 6.283185307179586 * (double)i / (double)(n - 1);
    x[0] = 0.9 * cos(angle);
    x[1] = 0.9 * sin(angle);
    geodisk_model_edit_gap(*model)[i] = geodisk_gap(&plane, x);
  }
  if (geodisk_scene_create(context, *model, NULL, options, &scene) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  return scene;
}

static void assert_labels(const char *const *names, size_t n, bool full, const char *const *expected, const char *prefix) {
  geodisk_model *model;
  const geodisk_scene_options options = {.full_names = full};
  geodisk_scene *scene = scene_of(names, n, &options, &model);
  for (uint32_t i = 0; i < n; i++)
    assert_string_equal(geodisk_scene_label(scene, i), expected[i]);
  assert_null(geodisk_scene_label(scene, (uint32_t)n));
  assert_string_equal(scene->prefix, prefix);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
}

/* WordNet's endings and underscores go; other people's underscores stay. */
static void readable(void **state) {
  (void)state;
  static const char *const names[] = {"great_dane.n.01", "run.v.12",  "version.1.02",       ".n.01",         "n.01",
                                      "my_table_name",   "tab\there", "\xc3\xa4\xc3\xb6_x", "c1\xc2\x85 end"};
  static const char *const plain[] = {"great dane",    "run",      "version.1.02",       ".n.01",  "n.01",
                                      "my_table_name", "tab here", "\xc3\xa4\xc3\xb6_x", "c1  end"};
  static const char *const full[] = {"great_dane.n.01", "run.v.12", "version.1.02",       ".n.01",  "n.01",
                                     "my_table_name",   "tab here", "\xc3\xa4\xc3\xb6_x", "c1  end"};
  assert_labels(names, 9, false, plain, "");
  assert_labels(names, 9, true, full, "");
}

/* A long beginning that most names have is left out, up to the last sign between parts. */
static void common_beginnings(void **state) {
  (void)state;
  static const char *const paths[] = {"/usr/lib/python3/azure/core", "/usr",
                                      "/usr/lib/python3/azure",      "/usr/lib/python3/numpy",
                                      "/usr/lib/python3/yaml",       "/usr/lib/python3/"};
  static const char *const parts[] = {DOTS "/azure/core", "/usr",       DOTS "/azure",
                                      DOTS "/numpy",      DOTS "/yaml", "/usr/lib/python3/"};
  static const char *const seven[] = {"/usr/lib/python3/azure/core",
                                      "/usr",
                                      "/usr/lib/python3/azure",
                                      "/usr/lib/python3/numpy",
                                      "/usr/lib/python3/yaml",
                                      "/usr/lib/python3/x",
                                      "/usr/lib/python3/"};
  static const char *const shorter[] = {DOTS "/azure/core", "/usr",    DOTS "/azure",      DOTS "/numpy",
                                        DOTS "/yaml",       DOTS "/x", "/usr/lib/python3/"};
  static const char *const modules[] = {"org.example.a.B", "org.example.a.C", "org.example.d", "org.example.e", "org.example.f"};
  static const char *const short_modules[] = {DOTS "a.B", DOTS "a.C", DOTS "d", DOTS "e", DOTS "f"};
  (void)parts;
  assert_labels(paths, 6, false, paths, ""); /* four of them are too few */
  assert_labels(seven, 7, false, shorter, "/usr/lib/python3/");
  assert_labels(seven, 7, true, seven, "");
  assert_labels(modules, 5, false, short_modules, "org.example.");
}

static void other_labels(void **state) {
  (void)state;
  static const char *const names[] = {"Q1", "Q2", "Q3"}, *const which[] = {"Q2", "Q9", "Q3"},
                           *const texts[] = {"the second_one.n.01", "nobody", "tab\tand \xef\xbf\xbe"};
  const geodisk_scene_options options = {.renamed = 3, .renamed_names = which, .renamed_texts = texts};
  geodisk_model *model;
  geodisk_scene *scene = scene_of(names, 3, &options, &model), *none = NULL;
  assert_string_equal(geodisk_scene_label(scene, 0), "Q1");
  assert_string_equal(geodisk_scene_label(scene, 1), "the second_one.n.01");
  assert_string_equal(geodisk_scene_label(scene, 2), "tab and \xef\xbf\xbd");
  assert_string_equal(geodisk_scene_name(scene, 1), "Q2");
  static const char *const bad[] = {"x", "y", "\xff"};
  const geodisk_scene_options wrong = {.renamed = 3, .renamed_names = which, .renamed_texts = bad};
  assert_int_equal(geodisk_scene_create(context, model, NULL, &wrong, &none), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "the label of 'Q3' is not UTF-8");
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
}

static void assert_short(const char *text, size_t most, const char *expected) {
  char *cut = label_shorten(text, most);
  assert_string_equal(cut, expected);
  free(cut);
}

static void cut_in_the_middle(void **state) {
  (void)state;
  assert_short("short", 10, "short");
  assert_short("1234567890", 10, "1234567890");
  assert_short("12345678901", 10, "1234" DOTS "78901");
  assert_short("member 32 of the club that broke apart", 32, "member 32 " DOTS " that broke apart"); /* as on the page */
  assert_short("/usr/lib/python3/dist-packages/azure", 24, "/usr/lib/" DOTS "/azure");
  assert_short("/usr/lib/python3/dist-packages/azure/core", 28, "/usr/lib/" DOTS "/azure/core");
  assert_short("Amalgamated Consolidated Holdings International", 24, "Amalgamat" DOTS " International");
  assert_short("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 8,
               "\xc3\xa4\xc3\xb6\xc3\xbc" DOTS "\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc");
  assert_short("aaaaaaaaaaaa\xcc\x88\xcc\x88\xcc\x88\xcc\x88\xcc\x88\xcc\x88\xcc\x88", 8, "aaa" DOTS); /* marks only */
}

/* A small graph has all its names, however its nodes crowd; a larger one as many as find a place. */
static void all_names(void **state) {
  (void)state;
  enum { FEW = 60, MANY = 150 };
  static char text[MANY][32];
  const char *names[MANY];
  const geodisk_ball plane = geodisk_unit_ball(2);
  geodisk_random random = geodisk_random_stream(3, 3);
  for (int i = 0; i < MANY; i++) {
    snprintf(text[i], sizeof text[i], "a name of node %d", i);
    names[i] = text[i];
  }
  for (size_t n = FEW; n <= MANY; n += MANY - FEW) {
    const geodisk_scene_options options = {.scale = 1};
    const geodisk_picture_options svg = {.format = GEODISK_PICTURE_SVG};
    geodisk_picture_info info = {0};
    geodisk_model *model;
    geodisk_scene *scene = scene_of(names, n, NULL, &model);
    geodisk_scene_destroy(scene);
    for (size_t i = 0; i < n; i++)
      geodisk_random_in_ball(&plane, &random, 1.6, geodisk_model_edit_vectors(model) + 2 * i, geodisk_model_edit_gap(model) + i);
    assert_int_equal(geodisk_scene_create(context, model, NULL, &options, &scene), GEODISK_OK);
    assert_int_equal(geodisk_picture_write(context, scene, path, &svg, &info), GEODISK_OK);
    if (n == FEW ? info.labels != FEW : info.labels >= MANY)
      fail_msg("%zu names of %zu nodes", info.labels, n);
    geodisk_scene_destroy(scene);
    geodisk_model_destroy(model);
  }
}

static size_t file_size(void) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  const long size = ftell(file);
  fclose(file);
  return (size_t)size;
}

/* Unicode's noncharacters are in valid UTF-8, but cairo refuses text that has them. */
static void noncharacters(void **state) {
  (void)state;
  static const char *const names[] = {"good",
                                      "a\xef\xbf\xbe",             /* U+FFFE */
                                      "b\xef\xbf\xbf",             /* U+FFFF */
                                      "c\xef\xb7\x90\xef\xb7\xaf", /* U+FDD0, U+FDEF */
                                      "d\xf0\x9f\xbf\xbe",         /* U+1FFFE */
                                      "e\xf4\x8f\xbf\xbf",         /* U+10FFFF */
                                      "f\xef\xb7\x8f"};            /* U+FDCF: a letter */
  geodisk_model *model;
  geodisk_scene *scene = scene_of(names, 7, NULL, &model);
  static const char *const labels[] = {"good",          "a\xef\xbf\xbd", "b\xef\xbf\xbd", "c\xef\xbf\xbd\xef\xbf\xbd",
                                       "d\xef\xbf\xbd", "e\xef\xbf\xbd", "f\xef\xb7\x8f"};
  for (uint32_t i = 0; i < 7; i++)
    assert_string_equal(geodisk_scene_label(scene, i), labels[i]);
  const bool cairo = strstr(geodisk_features(), "without cairo") == NULL;
  for (int format = GEODISK_PICTURE_PNG; format <= GEODISK_PICTURE_PDF; format++) {
    const geodisk_picture_options options = {.format = (geodisk_picture_format)format, .size = 300};
    geodisk_picture_info info = {0};
    if (format != GEODISK_PICTURE_SVG && !cairo)
      continue;
    if (geodisk_picture_write(context, scene, path, &options, &info) != GEODISK_OK)
      fail_msg("format %d: %s", format, geodisk_context_error(context));
    assert_int_equal(info.labels, 7);
    assert_true(file_size() > 500);
  }
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
}

/* musl takes any name of a locale and keeps the point */
static bool set_comma_locale(const char *name) {
  return setlocale(LC_ALL, name) != NULL && localeconv()->decimal_point[0] == ',';
}

/* A locale with a decimal comma: one of the system's, or made for the test. */
static bool comma_locale(void) {
  static const char *const places[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "sv_SE.utf8"};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
    if (set_comma_locale(places[i]))
      return true;
  if (system("mkdir -p test_draw_locale && localedef -i de_DE -f UTF-8 test_draw_locale/de_DE.UTF-8 2>/dev/null") != 0)
    return false;
  char folder[4096], full[5000];
  if (getcwd(folder, sizeof folder) == NULL)
    return false;
  snprintf(full, sizeof full, "%s/test_draw_locale", folder);
  return setenv("LOCPATH", full, 1) == 0 && set_comma_locale("de_DE.UTF-8");
}

/* The numbers of a picture have a point whatever the program's locale says. */
static void any_locale(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "c", "d"};
  const geodisk_scene_options options = {.scale = 0.35};
  geodisk_model *model;
  geodisk_scene *scene = scene_of(names, 4, &options, &model);
  char text[2][20000] = {"", ""}, comma[16];
  for (int k = 0; k < 2; k++) {
    const geodisk_picture_options svg = {.format = GEODISK_PICTURE_SVG};
    const bool there = k == 1 && comma_locale();
    snprintf(comma, sizeof comma, "%.1f", 0.5);
    assert_string_equal(comma, there ? "0,5" : "0.5");
    assert_int_equal(geodisk_picture_write(context, scene, path, &svg, NULL), GEODISK_OK);
    setlocale(LC_ALL, "C");
    if (k == 1 && !there)
      print_message("no locale with a decimal comma, and none can be made: install locales\n");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_true(fread(text[k], 1, sizeof text[k] - 1, file) > 0);
    fclose(file);
  }
  assert_non_null(strstr(text[0], "distances from the origin drawn \xc3\x97 0.35</text>"));
  assert_string_equal(text[0], text[1]);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
}

/* Letters that no font can have: private use. Reported once, with a package. */
static void missing_letters(void **state) {
  (void)state;
  static const char *const names[] = {"plain", "odd \xf3\xb0\x80\x80", "odder \xf3\xb0\x80\x81\xf3\xb0\x80\x80"};
  geodisk_model *model;
  geodisk_scene *scene = scene_of(names, 3, NULL, &model);
  const geodisk_picture_options png = {.format = GEODISK_PICTURE_PNG}, svg = {.format = GEODISK_PICTURE_SVG};
  geodisk_picture_info info = {0};
  if (strstr(geodisk_features(), "without cairo") == NULL) {
    *warning = 0;
    assert_int_equal(geodisk_picture_write(context, scene, path, &png, &info), GEODISK_OK);
    if (info.unwritable > 0) { /* fontconfig is optional when geodisk is built */
      assert_int_equal(info.unwritable, 2);
      assert_non_null(strstr(warning, "2 names have letters that no font of this machine has, as U+F0000 in 'odd"));
      assert_non_null(strstr(warning, "install fonts-noto-core"));
    }
  }
  *warning = 0;
  assert_int_equal(geodisk_picture_write(context, scene, path, &svg, &info), GEODISK_OK);
  assert_string_equal(warning, "");
  assert_int_equal(info.unwritable, 0);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readable),          cmocka_unit_test(common_beginnings), cmocka_unit_test(other_labels),
      cmocka_unit_test(cut_in_the_middle), cmocka_unit_test(noncharacters),     cmocka_unit_test(any_locale),
      cmocka_unit_test(missing_letters),   cmocka_unit_test(all_names),
  };
  return cmocka_run_group_tests(tests, start, finish);
}

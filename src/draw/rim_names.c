/* rim_names.c - names around the disk: in a small graph nodes near the rim have theirs outside, level, one below the other on
 * each side, with a line to the node. Lines end on a circle, inside which they stay, so none crosses a name. */
#include <math.h>
#include <stdlib.h>

#include "base/sorting.h"
#include "picture.h"

#define NEAR     0.8  /* of the radius: nodes beyond have their names outside */
#define LETTERS  11.2 /* size, in thousandths of the height, before small graphs enlarge it */
#define LINE     1.32 /* from one name to the next, in sizes of the letters */
#define DISTANCE 0.75 /* from the rim, in sizes of the letters */

/* A name on its way to a place on one side. */
typedef struct entry {
  uint32_t node;
  double wanted, y; /* heights on paper, from the centre, of the middle of the letters */
  double rank;
} entry;

static int greatest_first(const void *a, const void *b) {
  const entry *p = a, *q = b;
  return compare_first(COMPARE(q->rank, p->rank), COMPARE(p->node, q->node));
}

static int from_above(const void *a, const void *b) {
  const entry *p = a, *q = b;
  return compare_first(COMPARE(p->wanted, q->wanted), COMPARE(p->node, q->node));
}

/* Heights as near to the wanted ones as their order and a distance of `line` allow (least squares, by joining neighbours that are
 * too close into blocks which share the mean of their wishes), all of them within `limit` of the centre. */
static void spread_out(entry *list, size_t n, double line, double limit, double *sum, size_t *count) {
  size_t blocks = 0;
  for (size_t i = 0; i < n; i++) {
    sum[blocks] = list[i].wanted - (double)i * line;
    count[blocks++] = 1;
    while (blocks > 1 && sum[blocks - 2] / (double)count[blocks - 2] > sum[blocks - 1] / (double)count[blocks - 1]) {
      sum[blocks - 2] += sum[blocks - 1];
      count[blocks - 2] += count[blocks - 1];
      blocks--;
    }
  }
  for (size_t b = 0, i = 0; b < blocks; b++)
    for (size_t k = 0; k < count[b]; k++, i++)
      list[i].y = sum[b] / (double)count[b] + (double)i * line;
  for (size_t i = 0; i < n; i++)
    list[i].y = fmax(list[i].y, -limit + (double)i * line);
  for (size_t i = n; i-- > 0;)
    list[i].y = fmin(list[i].y, limit - (double)(n - 1 - i) * line);
}

/* The name of a node at its height: beside the circle that the lines end on. */
static bool set_name(const picture *p, const entry *e, bool right, rim_name *out) {
  const double s = p->rim_size, radius = p->frame.radius + DISTANCE * s, inner = fmax(0, fabs(e->y) - 0.5 * s);
  const double away = sqrt(fmax(0, radius * radius - inner * inner)) + (inner >= radius ? 0.3 * s : 0);
  *out = (rim_name){.node = e->node, .anchor = right ? ANCHOR_START : ANCHOR_END};
  out->text = label_shorten(geodisk_scene_label(p->scene, e->node), label_limit(p->scene));
  if (out->text == NULL)
    return false;
  const double width = text_width(out->text, p->highlighted[e->node]) * s, middle = p->frame.y + e->y;
  out->x = right ? away : -away;
  out->y = middle + (TEXT_ASCENT - TEXT_DESCENT) / 2 * s;
  out->box = (label_box){right ? away : -away - width, middle - 0.5 * s, right ? away + width : -away, middle + 0.5 * s};
  return true;
}

/* The names of one side, from above. */
static geodisk_status fill_side(geodisk_context *context, picture *p, entry *list, size_t n, bool right) {
  const double limit = p->height / 2 - 0.8 * p->rim_size;
  const double line = LINE * p->rim_size;
  double *sum = geodisk_allocate(n, sizeof *sum);
  size_t *count = geodisk_allocate(n, sizeof *count);
  geodisk_status st = sum != NULL && count != NULL ? GEODISK_OK : geodisk_no_memory(context, "for the picture");
  const size_t room = 1 + (size_t)fmax(0, floor(2 * limit / line + 1e-9));
  if (n > room) { /* the greatest stay; the others look for a place inside */
    for (size_t i = 0; i < n; i++)
      list[i].rank = picture_rank(p, list[i].node);
    qsort(list, n, sizeof *list, greatest_first);
    n = room;
  }
  if (st == GEODISK_OK && n > 0) {
    qsort(list, n, sizeof *list, from_above);
    spread_out(list, n, line, limit, sum, count);
  }
  for (size_t i = 0; st == GEODISK_OK && i < n; i++) {
    if (!set_name(p, &list[i], right, &p->rim[p->rim_names]))
      st = geodisk_no_memory(context, "for the picture");
    else
      p->at_rim[p->rim[p->rim_names++].node] = true;
  }
  geodisk_free_all(sum, count);
  return st;
}

geodisk_status rim_names_make(geodisk_context *context, picture *p, double *left, double *right) {
  const size_t nodes = p->scene->nodes;
  entry *sides[2] = {geodisk_allocate(nodes, sizeof *sides[0]), geodisk_allocate(nodes, sizeof *sides[1])};
  size_t n[2] = {0, 0};
  p->rim = geodisk_allocate_zero(nodes, sizeof *p->rim);
  geodisk_status st =
      p->rim != NULL && sides[0] != NULL && sides[1] != NULL ? GEODISK_OK : geodisk_no_memory(context, "for the picture");
  p->rim_size = fmax(LETTERS * p->letters * p->unit, 6.5);
  for (uint32_t i = 0; st == GEODISK_OK && i < nodes; i++) {
    const double *x = p->x + 2 * (size_t)i, r = hypot(x[0], x[1]);
    if (r < NEAR)
      continue;
    const int side = x[0] >= 0;
    sides[side][n[side]++] = (entry){.node = i, .wanted = -x[1] / r * (p->frame.radius + DISTANCE * p->rim_size)};
  }
  const double room = p->height - 1.6 * p->rim_size, most = fmax((double)n[0], (double)n[1]);
  if (most > 1 && (most - 1) * LINE * p->rim_size > room) /* smaller letters rather than fewer names */
    p->rim_size = fmax(room / ((most - 1) * LINE), 5);
  for (int side = 0; st == GEODISK_OK && side < 2; side++)
    st = fill_side(context, p, sides[side], n[side], side == 1);
  for (size_t i = 0; p->rim != NULL && i < p->rim_names; i++) {
    *left = fmax(*left, -p->rim[i].box.left);
    *right = fmax(*right, p->rim[i].box.right);
  }
  geodisk_free_all(sides[0], sides[1]);
  return st;
}

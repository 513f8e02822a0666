/* picture.h - a scene laid out on paper: where every node lies, how large it is, which label stands where. Internal to the draw
 * module. */
#pragma once

#include "canvas.h"

/* ---- geometry ---------------------------------------------------------------------------------------------------- */

/* The disk on paper: y upwards in the disk, downwards on paper. */
typedef struct disk_frame {
  double x, y, radius;
} disk_frame;

/* The geodesic from p to q, points of the unit disk, on paper: an arc of the circle through both that meets the rim at right
 * angles. With c its centre, c.p = (1 + |p|^2)/2 and c.q = (1 + |q|^2)/2. Straight where the circle is so large that nobody can
 * tell. */
canvas_arc disk_arc(const disk_frame *frame, const double *p, const double *q);

/* The nodes of the scene in the unit disk (nodes x 2) after the centre was moved to its middle by an isometry. */
geodisk_status view_make(geodisk_context *context, const geodisk_scene *scene, const geodisk_picture_options *options, double *x);

/* ---- labels ------------------------------------------------------------------------------------------------------ */

typedef struct label_box {
  double left, top, right, bottom;
} label_box;

/* A node that would like a label. */
typedef struct label_wish {
  uint32_t node;
  double weight;  /* larger ones choose first */
  double x, y, r; /* the node on paper */
  double size;    /* of the letters */
  bool bold;
  bool eager; /* takes a place farther off, too, with a line to its node, and smaller letters */
  char *text; /* its own */
} label_wish;

typedef struct placed_label {
  const label_wish *wish;
  label_box box;
  canvas_anchor anchor;
  double x, y; /* for the canvas */
  double size; /* of the letters: the wish's, or less */
  bool far;    /* wants a line to its node */
} placed_label;

typedef struct label_paper {
  double width, height;
  const label_box *taken; /* boxes to keep clear of: the legend, the caption */
  size_t n_taken;
  size_t n_dots;      /* nodes, which labels rather do not cover */
  const double *dots; /* n_dots x 3: x, y, radius on paper */
} label_paper;

/* Gives places to the wishes (sorted by this function, heaviest first), at most `most` of them, so that no two boxes meet, none
 * meets a taken one and all lie on the paper. *n of them are written to `out` (room for n_wishes). */
geodisk_status labels_place(geodisk_context *context, const label_paper *paper, size_t n_wishes, label_wish *wishes, size_t most,
                            placed_label *out, size_t *n);

/* A text of at most `most` letters (at least 8): longer ones are cut in the middle, between words where that is near. NULL: no
 * memory. The caller's to free (node_names.c). */
char *label_shorten(const char *text, size_t most);

/* The letters that a label of the scene may have. */
enum { LONGEST_LABEL = 32 };
static inline size_t label_limit(const geodisk_scene *scene) { return scene->full_names ? SIZE_MAX : LONGEST_LABEL; }

/* ---- the picture ----------------------------------------------------------------------------------------------------------- */

typedef struct theme {
  uint32_t paper, disk, rim, grid, ink, soft_ink, halo, stress;
} theme;
typedef struct legend_line {
  uint32_t rgb;
  char *text;
} legend_line;

/* A name outside the rim. */
typedef struct rim_name {
  uint32_t node;
  char *text;  /* its own */
  double x, y; /* where its line of writing begins or ends */
  canvas_anchor anchor;
  label_box box;
} rim_name;

typedef struct picture {
  const geodisk_scene *scene;
  const geodisk_picture_options *options;
  const theme *theme;
  double *x; /* nodes x 2: in the unit disk, moved */
  disk_frame frame;
  double unit; /* a thousandth of the height */
  double width, height;
  double *dots;      /* nodes x 3: x, y, radius on paper */
  bool *highlighted; /* nodes */
  bool *stressed;    /* nodes: highlighted, or on the way up from there, or below; all if nothing is highlighted */
  bool any_highlighted;
  bool small;       /* few nodes: larger type, all names, those near the rim outside of it */
  double letters;   /* how much larger the type is */
  uint32_t least;   /* descendants, in a network edges */
  rim_name *rim;    /* names outside the rim */
  size_t rim_names; /* how many */
  double rim_size;  /* of their letters */
  bool *at_rim;     /* nodes: have such a name */
  legend_line legend[GEODISK_SCENE_BRANCHES + 1];
  size_t legend_lines;
  double legend_size; /* of its letters */
  label_box legend_box;
  char caption[320];
} picture;

/* Nodes shrink towards the rim as lengths do, but not to nothing. */
double picture_shrink(const picture *p, uint32_t i);

/* How much smaller things are where there are many nodes. */
double picture_crowd(const picture *p);

/* What sizes go by: log2(1 + descendants), in a network the edges, 0 for the nodes that have the fewest. */
double picture_rank(const picture *p, uint32_t i);

/* Names of a small graph that stand outside the rim, for a disk around the origin of the paper; how far they reach to the left
 * and to the right of it. Fills p->rim, p->rim_names and p->at_rim (rim_names.c). */
geodisk_status rim_names_make(geodisk_context *context, picture *p, double *left, double *right);

/* The disk with grid, edges, rim and nodes; then labels; then legend and caption. */
geodisk_status picture_draw_disk(geodisk_context *context, const picture *p, canvas *c);
geodisk_status picture_draw_labels(geodisk_context *context, const picture *p, canvas *c, geodisk_picture_info *info);
void picture_draw_legend(const picture *p, canvas *c);

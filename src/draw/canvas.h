/* canvas.h - what a picture is drawn on: a few shapes, and two ways to keep them (SVG text; cairo's PNG and PDF). Units are
 * pixels (PNG) or points, y downwards. A canvas that runs out of memory remembers it and says so at the end. Internal to the draw
 * module. */
#pragma once

#include "base/grow.h"
#include "geodisk/draw.h"

/* A piece of a circle, or a straight line. */
typedef struct canvas_arc {
  double x1, y1, x2, y2; /* from, to */
  bool straight;
  double cx, cy, r; /* of the circle; the shorter way round is meant */
} canvas_arc;

typedef struct canvas_paint {
  uint32_t rgb;
  double alpha; /* 0: nothing is painted */
} canvas_paint;

typedef enum canvas_anchor { ANCHOR_START = 0, ANCHOR_MIDDLE = 1, ANCHOR_END = 2 } canvas_anchor;

typedef struct canvas_text {
  const char *text;
  double x, y; /* where the line of writing begins, has its middle, or ends */
  canvas_anchor anchor;
  double size;
  bool bold;
  uint32_t rgb;
  double halo; /* width of the halo around the letters, or 0 */
  uint32_t halo_rgb;
} canvas_text;

typedef struct canvas canvas;
typedef struct canvas_class {
  void (*group)(canvas *c, const char *name);               /* what follows belongs together; NULL ends the group */
  void (*pen)(canvas *c, canvas_paint paint, double width); /* for the arcs that follow */
  void (*arc)(canvas *c, const canvas_arc *arc);
  void (*disk)(canvas *c, double x, double y, double r, canvas_paint fill, canvas_paint line, double width, const char *title);
  void (*box)(canvas *c, double x, double y, double width, double height, canvas_paint fill);
  void (*text)(canvas *c, const canvas_text *text);
  geodisk_status (*finish)(canvas *c, geodisk_context *context, byte_sink *out); /* the whole file */
  void (*destroy)(canvas *c);
} canvas_class;

/* Letters that no font of the machine has. */
typedef enum canvas_script { SCRIPT_CJK = 0, SCRIPT_EMOJI = 1, SCRIPT_OTHER = 2 } canvas_script;
typedef struct canvas_missing {
  size_t texts;     /* that have some */
  uint32_t code;    /* the first of them; 0: none */
  char example[64]; /* the text it is in */
  unsigned scripts; /* a bit for each script */
} canvas_missing;

struct canvas {
  const canvas_class *class;
  canvas_missing missing; /* of the texts so far */
};

/* The two kinds. cairo_canvas_create is UNSUPPORTED in a build without cairo. */
geodisk_status svg_canvas_create(geodisk_context *context, double width, double height, canvas **out);
geodisk_status cairo_canvas_create(geodisk_context *context, geodisk_picture_format format, double width, double height,
                                   canvas **out);

/* The width of a text of size 1: that of DejaVu Sans, which is among the widest of common sans-serif fonts, so that a label fits
 * its box whatever font is there in the end. Letters that are not ASCII count as 0.7, from the CJK scripts on as 1. */
double text_width(const char *text, bool bold);
#define TEXT_ASCENT  0.76 /* of capitals and ascenders above the line of writing, size 1 */
#define TEXT_DESCENT 0.24

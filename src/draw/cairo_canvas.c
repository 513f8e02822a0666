/* cairo_canvas.c - pictures as PNG and PDF, by cairo. Without cairo at build time this says so. */
#include "canvas.h"

#ifdef GEODISK_HAVE_CAIRO

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairo-pdf.h>
#include <cairo.h>

#include "cairo_fonts.h"

typedef struct cairo_canvas {
  canvas base;
  geodisk_picture_format format;
  cairo_surface_t *surface;
  cairo_t *cairo;
  font_list *fonts[2]; /* regular and bold; made when first wanted */
  bool no_memory;
  byte_sink out;
} cairo_canvas;

static cairo_status_t collect(void *closure, const unsigned char *bytes, unsigned int length) {
  byte_sink *sink = closure;
  sink_add(sink, bytes, length);
  return sink->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static void set_paint(cairo_t *c, canvas_paint p) {
  cairo_set_source_rgba(c, (p.rgb >> 16 & 255) / 255.0, (p.rgb >> 8 & 255) / 255.0, (p.rgb & 255) / 255.0, p.alpha);
}

static void cairo_group(canvas *base, const char *name) {
  (void)base;
  (void)name;
}

static void cairo_pen(canvas *base, canvas_paint p, double width) {
  cairo_t *c = ((cairo_canvas *)base)->cairo;
  set_paint(c, p);
  cairo_set_line_width(c, width);
}

static void cairo_canvas_arc(canvas *base, const canvas_arc *a) {
  cairo_t *c = ((cairo_canvas *)base)->cairo;
  cairo_new_path(c);
  cairo_move_to(c, a->x1, a->y1);
  if (a->straight) {
    cairo_line_to(c, a->x2, a->y2);
  } else {
    const double from = atan2(a->y1 - a->cy, a->x1 - a->cx), to = atan2(a->y2 - a->cy, a->x2 - a->cx);
    const double turn = (a->x1 - a->cx) * (a->y2 - a->cy) - (a->y1 - a->cy) * (a->x2 - a->cx);
    if (turn > 0)
      cairo_arc(c, a->cx, a->cy, a->r, from, to);
    else
      cairo_arc_negative(c, a->cx, a->cy, a->r, from, to);
  }
  cairo_stroke(c);
}

static void cairo_disk(canvas *base, double x, double y, double r, canvas_paint fill, canvas_paint line, double width,
                       const char *title) {
  static const double TURN = 2 * 3.14159265358979323846;
  cairo_t *c = ((cairo_canvas *)base)->cairo;
  (void)title;
  cairo_new_path(c);
  cairo_arc(c, x, y, r, 0, TURN);
  if (fill.alpha > 0) {
    set_paint(c, fill);
    cairo_fill_preserve(c);
  }
  if (line.alpha > 0) {
    set_paint(c, line);
    cairo_set_line_width(c, width);
    cairo_stroke_preserve(c);
  }
  cairo_new_path(c);
}

static void cairo_box(canvas *base, double x, double y, double width, double height, canvas_paint fill) {
  cairo_t *c = ((cairo_canvas *)base)->cairo;
  set_paint(c, fill);
  cairo_rectangle(c, x, y, width, height);
  cairo_fill(c);
}

/* A piece of a text in a font of its own, copied so that it ends where the piece does. */
typedef struct text_piece {
  cairo_font_face_t *face; /* NULL: sans-serif */
  size_t start, length;
} text_piece;

enum { MOST_PIECES = 24 }; /* further ones are written with the last one's font */

static size_t find_pieces(cairo_canvas *c, const canvas_text *t, text_piece *out) {
  size_t n = 0, at = 0;
  const canvas_missing before = c->base.missing;
  canvas_missing now = before;
  if (c->fonts[t->bold] == NULL && (c->fonts[t->bold] = fonts_create(t->bold)) == NULL) {
    c->no_memory = true;
    return 0;
  }
  now.scripts = 0;
  for (size_t length; t->text[at] != 0; at += length) {
    cairo_font_face_t *face;
    length = fonts_next_piece(c->fonts[t->bold], t->text + at, &now, &face);
    if (n == MOST_PIECES)
      out[n - 1].length += length;
    else
      out[n++] = (text_piece){face, at, length};
  }
  now.texts += now.scripts != 0;
  now.scripts |= before.scripts;
  c->base.missing = now;
  if (before.code == 0 && now.code != 0) { /* the whole text, not from the piece on */
    snprintf(c->base.missing.example, sizeof now.example, "%s", t->text);
    c->base.missing.example[geodisk_utf8_prefix(c->base.missing.example, strlen(c->base.missing.example))] = 0;
  }
  return n;
}

static void set_font(cairo_t *c, const canvas_text *t, cairo_font_face_t *face) {
  if (face != NULL)
    cairo_set_font_face(c, face);
  else
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, t->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c, t->size);
}

/* Goes over the pieces from the current point on: measures them, draws their halos, or writes them. Returns the width. */
typedef enum text_pass { MEASURE, HALO, WRITE } text_pass;
static double go_over(cairo_t *c, const canvas_text *t, const text_piece *pieces, size_t n, char *copy, text_pass pass) {
  double x = 0;
  for (size_t i = 0; i < n; i++) {
    cairo_text_extents_t extents;
    memcpy(copy, t->text + pieces[i].start, pieces[i].length);
    copy[pieces[i].length] = 0;
    set_font(c, t, pieces[i].face);
    cairo_text_extents(c, copy, &extents);
    cairo_move_to(c, x, 0);
    if (pass == HALO) {
      cairo_text_path(c, copy);
      cairo_stroke(c);
    } else if (pass == WRITE) {
      cairo_show_text(c, copy);
    }
    x += extents.x_advance;
  }
  return x;
}

/* Letters as they are, but never wider than the box that was kept free for them. */
static void cairo_canvas_text(canvas *base, const canvas_text *t) {
  cairo_canvas *own = (cairo_canvas *)base;
  cairo_t *c = own->cairo;
  text_piece pieces[MOST_PIECES];
  char *copy = geodisk_allocate(strlen(t->text) + 1, 1);
  const size_t n = copy != NULL ? find_pieces(own, t, pieces) : 0;
  own->no_memory = own->no_memory || copy == NULL;
  cairo_save(c);
  const double wide = go_over(c, t, pieces, n, copy, MEASURE), most = text_width(t->text, t->bold) * t->size;
  const double squeeze = wide > most && most > 0 ? most / wide : 1, width = wide * squeeze;
  cairo_translate(c, t->x - (t->anchor == ANCHOR_END ? width : t->anchor == ANCHOR_MIDDLE ? width / 2 : 0), t->y);
  cairo_scale(c, squeeze, 1);
  if (t->halo > 0) {
    set_paint(c, (canvas_paint){t->halo_rgb, 1});
    cairo_set_line_width(c, t->halo);
    go_over(c, t, pieces, n, copy, HALO);
  }
  set_paint(c, (canvas_paint){t->rgb, 1});
  go_over(c, t, pieces, n, copy, WRITE);
  cairo_restore(c);
  cairo_new_path(c);
  free(copy);
}

/* The date of making would make every file different: blanks take its place, so that no offset in the file changes. */
static void blank_date(byte_sink *pdf) {
  static const char key[] = "/CreationDate (";
  for (size_t i = 0; i + sizeof key < pdf->length; i++) {
    if (pdf->bytes[i] != '/' || memcmp(pdf->bytes + i, key, sizeof key - 1) != 0)
      continue;
    const char *end = memchr(pdf->bytes + i, ')', pdf->length - i);
    if (end != NULL)
      memset(pdf->bytes + i, ' ', (size_t)(end - (pdf->bytes + i)) + 1);
    return;
  }
}

static geodisk_status cairo_finish(canvas *base, geodisk_context *context, byte_sink *out) {
  cairo_canvas *c = (cairo_canvas *)base;
  cairo_status_t status = cairo_status(c->cairo);
  if (status == CAIRO_STATUS_SUCCESS && c->format == GEODISK_PICTURE_PNG)
    status = cairo_surface_write_to_png_stream(c->surface, collect, &c->out);
  if (status == CAIRO_STATUS_SUCCESS && c->format == GEODISK_PICTURE_PDF) {
    cairo_show_page(c->cairo);
    cairo_surface_finish(c->surface);
    status = cairo_surface_status(c->surface);
    blank_date(&c->out);
  }
  if (status == CAIRO_STATUS_NO_MEMORY || c->out.failed || c->no_memory)
    return geodisk_no_memory(context, "for the picture");
  if (status != CAIRO_STATUS_SUCCESS)
    return geodisk_fail(context, GEODISK_ERROR_IO, "cairo: %s", cairo_status_to_string(status));
  *out = c->out;
  c->out = (byte_sink){0};
  return GEODISK_OK;
}

static void cairo_canvas_destroy(canvas *base) {
  cairo_canvas *c = (cairo_canvas *)base;
  if (c == NULL)
    return;
  cairo_destroy(c->cairo);
  cairo_surface_destroy(c->surface);
  fonts_destroy(c->fonts[0]);
  fonts_destroy(c->fonts[1]);
  geodisk_free_all(c->out.bytes, c);
}

static const canvas_class cairo_class = {cairo_group, cairo_pen,         cairo_canvas_arc, cairo_disk,
                                         cairo_box,   cairo_canvas_text, cairo_finish,     cairo_canvas_destroy};

/* Letters keep their shapes at any size, so that the layout does not depend on it. */
static void set_up(cairo_t *c) {
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(c, options);
  cairo_font_options_destroy(options);
  cairo_set_line_cap(c, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
}

geodisk_status cairo_canvas_create(geodisk_context *context, geodisk_picture_format format, double width, double height,
                                   canvas **out) {
  cairo_canvas *c = geodisk_allocate_zero(1, sizeof *c);
  if (c == NULL)
    return geodisk_no_memory(context, "for the picture");
  c->base.class = &cairo_class;
  c->format = format;
  if (format == GEODISK_PICTURE_PDF) {
    c->surface = cairo_pdf_surface_create_for_stream(collect, &c->out, width, height);
    cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  } else {
    c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
  }
  c->cairo = cairo_create(c->surface);
  const cairo_status_t status = cairo_status(c->cairo);
  if (status != CAIRO_STATUS_SUCCESS) {
    cairo_canvas_destroy(&c->base);
    return geodisk_fail(context, status == CAIRO_STATUS_NO_MEMORY ? GEODISK_ERROR_MEMORY : GEODISK_ERROR_ARGUMENT,
                        "a picture of %g x %g: %s", width, height, cairo_status_to_string(status));
  }
  set_up(c->cairo);
  *out = &c->base;
  return GEODISK_OK;
}

#else
#pragma GCC diagnostic ignored "-Wunused-parameter" /* what stands in for cairo */

geodisk_status cairo_canvas_create(geodisk_context *context, geodisk_picture_format format, double width, double height,
                                   canvas **out) {
  return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "%s needs cairo, which this geodisk was built without; SVG does not",
                      format == GEODISK_PICTURE_PDF ? "PDF" : "PNG");
}

#endif

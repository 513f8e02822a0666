/* svg_canvas.c - pictures as SVG, written by hand: arcs stay arcs, names stay text that can be searched and edited, and nothing
 * in it depends on time or machine. */
#include "canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Rounded to 1/1000. */
static void sink_number(byte_sink *sink, double value) {
  char number[GEODISK_NUMBER_BYTES];
  const double rounded = round(value * 1000) / 1000;
  sink_add(sink, number, (size_t)geodisk_format_double(rounded == 0 ? 0 : rounded, number));
}

/* Text between tags or in an attribute: XML's signs are escaped; control characters, which XML forbids, become blanks. */
static void sink_escaped(byte_sink *sink, const char *text) {
  for (const char *p = text; *p != 0; p++) {
    const unsigned char c = (unsigned char)*p;
    if (c == '&')
      sink_text(sink, "&amp;");
    else if (c == '<')
      sink_text(sink, "&lt;");
    else if (c == '>')
      sink_text(sink, "&gt;");
    else if (c == '"')
      sink_text(sink, "&quot;");
    else if (c == 0xef && (unsigned char)p[1] == 0xbf && (unsigned char)p[2] >= 0xbe) { /* U+FFFE and U+FFFF, too */
      sink_text(sink, "\xef\xbf\xbd");
      p += 2;
    } else
      sink_add(sink, c < 0x20 || c == 0x7f ? " " : p, 1);
  }
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

typedef struct svg_canvas {
  canvas base;
  byte_sink out;
  bool in_group, in_pen;
} svg_canvas;

static void attribute(byte_sink *s, const char *name, double value) {
  sink_text(s, " ");
  sink_text(s, name);
  sink_text(s, "=\"");
  sink_number(s, value);
  sink_text(s, "\"");
}

static void colour(byte_sink *s, const char *name, uint32_t rgb) {
  char text[32];
  snprintf(text, sizeof text, " %s=\"#%06x\"", name, (unsigned)(rgb & 0xffffff));
  sink_text(s, text);
}

static void paint(byte_sink *s, const char *name, canvas_paint p) {
  char opacity[24];
  if (!(p.alpha > 0))
    return;
  colour(s, name, p.rgb);
  snprintf(opacity, sizeof opacity, "%s-opacity", name);
  if (p.alpha < 1)
    attribute(s, opacity, p.alpha);
}

static void end_pen(svg_canvas *c) {
  if (c->in_pen)
    sink_text(&c->out, "</g>\n");
  c->in_pen = false;
}

static void svg_group(canvas *base, const char *name) {
  svg_canvas *c = (svg_canvas *)base;
  end_pen(c);
  if (c->in_group)
    sink_text(&c->out, "</g>\n");
  c->in_group = name != NULL;
  if (name == NULL)
    return;
  sink_text(&c->out, "<g id=\"");
  sink_escaped(&c->out, name);
  sink_text(&c->out, "\">\n");
}

static void svg_pen(canvas *base, canvas_paint p, double width) {
  svg_canvas *c = (svg_canvas *)base;
  end_pen(c);
  sink_text(&c->out, "<g fill=\"none\" stroke-linecap=\"round\"");
  paint(&c->out, "stroke", p);
  attribute(&c->out, "stroke-width", width);
  sink_text(&c->out, ">\n");
  c->in_pen = true;
}

static void pair(byte_sink *s, const char *before, double x, double y) {
  sink_text(s, before);
  sink_number(s, x);
  sink_text(s, " ");
  sink_number(s, y);
}

static void svg_arc(canvas *base, const canvas_arc *a) {
  svg_canvas *c = (svg_canvas *)base;
  byte_sink *s = &c->out;
  pair(s, "<path d=\"M", a->x1, a->y1);
  if (a->straight) {
    pair(s, "L", a->x2, a->y2);
  } else {
    /* y points downwards: positive angles, and so sweep 1, go clockwise on the screen. */
    const double turn = (a->x1 - a->cx) * (a->y2 - a->cy) - (a->y1 - a->cy) * (a->x2 - a->cx);
    pair(s, "A", a->r, a->r);
    sink_text(s, turn > 0 ? " 0 0 1" : " 0 0 0");
    pair(s, " ", a->x2, a->y2);
  }
  sink_text(s, "\"/>\n");
}

static void svg_disk(canvas *base, double x, double y, double r, canvas_paint fill, canvas_paint line, double width,
                     const char *title) {
  svg_canvas *c = (svg_canvas *)base;
  byte_sink *s = &c->out;
  end_pen(c);
  sink_text(s, "<circle");
  attribute(s, "cx", x);
  attribute(s, "cy", y);
  attribute(s, "r", r);
  if (fill.alpha > 0)
    paint(s, "fill", fill);
  else
    sink_text(s, " fill=\"none\"");
  paint(s, "stroke", line);
  if (line.alpha > 0)
    attribute(s, "stroke-width", width);
  if (title == NULL) {
    sink_text(s, "/>\n");
    return;
  }
  sink_text(s, "><title>");
  sink_escaped(s, title);
  sink_text(s, "</title></circle>\n");
}

static void svg_box(canvas *base, double x, double y, double width, double height, canvas_paint fill) {
  svg_canvas *c = (svg_canvas *)base;
  end_pen(c);
  sink_text(&c->out, "<rect");
  attribute(&c->out, "x", x);
  attribute(&c->out, "y", y);
  attribute(&c->out, "width", width);
  attribute(&c->out, "height", height);
  paint(&c->out, "fill", fill);
  sink_text(&c->out, "/>\n");
}

static void svg_text(canvas *base, const canvas_text *t) {
  static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  svg_canvas *c = (svg_canvas *)base;
  byte_sink *s = &c->out;
  end_pen(c);
  sink_text(s, "<text");
  attribute(s, "x", t->x);
  attribute(s, "y", t->y);
  attribute(s, "font-size", t->size);
  sink_text(s, anchors[t->anchor]);
  if (t->bold)
    sink_text(s, " font-weight=\"bold\"");
  colour(s, "fill", t->rgb);
  if (t->halo > 0) {
    colour(s, "stroke", t->halo_rgb);
    attribute(s, "stroke-width", t->halo);
    sink_text(s, " stroke-linejoin=\"round\" paint-order=\"stroke\"");
  }
  sink_text(s, ">");
  sink_escaped(s, t->text);
  sink_text(s, "</text>\n");
}

static geodisk_status svg_finish(canvas *base, geodisk_context *context, byte_sink *out) {
  svg_canvas *c = (svg_canvas *)base;
  svg_group(base, NULL);
  sink_text(&c->out, "</svg>\n");
  if (c->out.failed)
    return geodisk_no_memory(context, "for the picture");
  *out = c->out;
  c->out = (byte_sink){0};
  return GEODISK_OK;
}

static void svg_destroy(canvas *base) {
  if (base != NULL)
    free(((svg_canvas *)base)->out.bytes);
  free(base);
}

static const canvas_class svg_class = {svg_group, svg_pen, svg_arc, svg_disk, svg_box, svg_text, svg_finish, svg_destroy};

geodisk_status svg_canvas_create(geodisk_context *context, double width, double height, canvas **out) {
  svg_canvas *c = geodisk_allocate_zero(1, sizeof *c);
  if (c == NULL)
    return geodisk_no_memory(context, "for the picture");
  c->base.class = &svg_class;
  sink_text(&c->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
  attribute(&c->out, "width", width);
  attribute(&c->out, "height", height);
  pair(&c->out, " viewBox=\"0 0 ", width, height);
  sink_text(&c->out, "\" font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\">\n");
  *out = &c->base;
  return GEODISK_OK;
}

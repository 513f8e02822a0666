/* svg_canvas.c - pictures as SVG, written by hand: arcs stay arcs, names stay text that can be searched and edited, and nothing
 * in it depends on time or machine. */
#include "base/put_format.h"
#include "canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void put_bytes(void *sink, const void *bytes, size_t size) { sink_add(sink, bytes, size); }

/* Rounded to 1/1000. */
static void put_number(void *sink, double value) {
  char number[GEODISK_NUMBER_BYTES];
  const double rounded = round(value * 1000) / 1000;
  sink_add(sink, number, (size_t)geodisk_format_double(rounded == 0 ? 0 : rounded, number));
}

/* Text between tags or in an attribute: XML's signs are escaped; control characters, which XML forbids, become blanks. */
static void put_escaped(void *sink, char letter, const char *text) {
  (void)letter; /* x */
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

/* %x: a text that is escaped. */
static void sink_format(byte_sink *sink, const char *format, ...) {
  static const text_target target = {put_bytes, put_number, put_escaped};
  va_list arguments;
  va_start(arguments, format);
  put_format(&target, sink, format, arguments);
  va_end(arguments);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

typedef struct svg_canvas {
  canvas base;
  byte_sink out;
  bool in_group, in_pen;
} svg_canvas;

static void colour(byte_sink *s, const char *name, uint32_t rgb) {
  char text[32];
  snprintf(text, sizeof text, " %s=\"#%06x\"", name, (unsigned)(rgb & 0xffffff));
  sink_text(s, text);
}

static void paint(byte_sink *s, const char *name, canvas_paint p) {
  if (!(p.alpha > 0))
    return;
  colour(s, name, p.rgb);
  if (p.alpha < 1)
    sink_format(s, " %s-opacity=\"%n\"", name, p.alpha);
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
  if (name != NULL)
    sink_format(&c->out, "<g id=\"%x\">\n", name);
}

static void svg_pen(canvas *base, canvas_paint p, double width) {
  svg_canvas *c = (svg_canvas *)base;
  end_pen(c);
  sink_text(&c->out, "<g fill=\"none\" stroke-linecap=\"round\"");
  paint(&c->out, "stroke", p);
  sink_format(&c->out, " stroke-width=\"%n\">\n", width);
  c->in_pen = true;
}

static void svg_arc(canvas *base, const canvas_arc *a) {
  svg_canvas *c = (svg_canvas *)base;
  byte_sink *s = &c->out;
  sink_format(s, "<path d=\"M%n %n", a->x1, a->y1);
  if (a->straight) {
    sink_format(s, "L%n %n\"/>\n", a->x2, a->y2);
  } else {
    /* y points downwards: positive angles, and so sweep 1, go clockwise on the screen. */
    const double turn = (a->x1 - a->cx) * (a->y2 - a->cy) - (a->y1 - a->cy) * (a->x2 - a->cx);
    sink_format(s, "A%n %n 0 0 %s %n %n\"/>\n", a->r, a->r, turn > 0 ? "1" : "0", a->x2, a->y2);
  }
}

static void svg_disk(canvas *base, double x, double y, double r, canvas_paint fill, canvas_paint line, double width,
                     const char *title) {
  svg_canvas *c = (svg_canvas *)base;
  byte_sink *s = &c->out;
  end_pen(c);
  sink_format(s, "<circle cx=\"%n\" cy=\"%n\" r=\"%n\"", x, y, r);
  if (fill.alpha > 0)
    paint(s, "fill", fill);
  else
    sink_text(s, " fill=\"none\"");
  paint(s, "stroke", line);
  if (line.alpha > 0)
    sink_format(s, " stroke-width=\"%n\"", width);
  sink_format(s, title == NULL ? "/>\n" : "><title>%x</title></circle>\n", title);
}

static void svg_box(canvas *base, double x, double y, double width, double height, canvas_paint fill) {
  svg_canvas *c = (svg_canvas *)base;
  end_pen(c);
  sink_format(&c->out, "<rect x=\"%n\" y=\"%n\" width=\"%n\" height=\"%n\"", x, y, width, height);
  paint(&c->out, "fill", fill);
  sink_text(&c->out, "/>\n");
}

static void svg_text(canvas *base, const canvas_text *t) {
  static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  svg_canvas *c = (svg_canvas *)base;
  byte_sink *s = &c->out;
  end_pen(c);
  sink_format(s, "<text x=\"%n\" y=\"%n\" font-size=\"%n\"%s%s", t->x, t->y, t->size, anchors[t->anchor],
              t->bold ? " font-weight=\"bold\"" : "");
  colour(s, "fill", t->rgb);
  if (t->halo > 0) {
    colour(s, "stroke", t->halo_rgb);
    sink_format(s, " stroke-width=\"%n\" stroke-linejoin=\"round\" paint-order=\"stroke\"", t->halo);
  }
  sink_format(s, ">%x</text>\n", t->text);
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
  sink_format(&c->out,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%n\" height=\"%n\" "
              "viewBox=\"0 0 %n %n\" font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\">\n",
              width, height, width, height);
  *out = &c->base;
  return GEODISK_OK;
}

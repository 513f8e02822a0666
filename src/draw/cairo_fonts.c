/* cairo_fonts.c - fonts for letters that the system's sans-serif font lacks (CJK, emoji): fontconfig's list, searched letter by
 * letter. cairo's own text functions know one font at a time and write boxes for what it does not have. */
#include "canvas.h"

#ifdef GEODISK_HAVE_CAIRO

#include <stdlib.h>

#include "base/characters.h"
#include "cairo_fonts.h"

#ifdef GEODISK_HAVE_FONTCONFIG

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

struct font_list {
  FcPattern *wanted;
  FcFontSet *set;           /* NULL: fontconfig found none */
  cairo_font_face_t **face; /* set->nfont, made when first wanted */
};

font_list *fonts_create(bool bold) {
  font_list *f = geodisk_allocate_zero(1, sizeof *f);
  FcResult result = FcResultNoMatch;
  if (f == NULL)
    return NULL;
  f->wanted = FcPatternCreate();
  if (f->wanted == NULL) {
    fonts_destroy(f);
    return NULL;
  }
  FcPatternAddString(f->wanted, FC_FAMILY, (const FcChar8 *)"sans-serif");
  FcPatternAddInteger(f->wanted, FC_WEIGHT, bold ? FC_WEIGHT_BOLD : FC_WEIGHT_NORMAL);
  FcConfigSubstitute(NULL, f->wanted, FcMatchPattern);
  FcDefaultSubstitute(f->wanted);
  f->set = FcFontSort(NULL, f->wanted, FcTrue, NULL, &result);
  const size_t count = f->set != NULL ? (size_t)f->set->nfont : 0;
  f->face = geodisk_allocate_zero(count, sizeof(cairo_font_face_t *));
  if (f->face == NULL) {
    fonts_destroy(f);
    return NULL;
  }
  return f;
}

void fonts_destroy(font_list *f) {
  if (f == NULL)
    return;
  for (int i = 0; f->set != NULL && f->face != NULL && i < f->set->nfont; i++)
    cairo_font_face_destroy(f->face[i]);
  free((void *)f->face);
  if (f->set != NULL)
    FcFontSetDestroy(f->set);
  if (f->wanted != NULL)
    FcPatternDestroy(f->wanted);
  free(f);
}

/* The first font that has a letter; -1: none. */
static int font_of(const font_list *f, uint32_t code) {
  for (int i = 0; f->set != NULL && i < f->set->nfont; i++) {
    FcCharSet *letters = NULL;
    if (FcPatternGetCharSet(f->set->fonts[i], FC_CHARSET, 0, &letters) == FcResultMatch && FcCharSetHasChar(letters, code))
      return i;
  }
  return -1;
}

static cairo_font_face_t *face_of(font_list *f, int i) {
  if (i <= 0) /* as cairo itself chooses it */
    return NULL;
  if (f->face[i] == NULL) {
    FcPattern *pattern = FcFontRenderPrepare(NULL, f->wanted, f->set->fonts[i]);
    if (pattern != NULL) {
      f->face[i] = cairo_ft_font_face_create_for_pattern(pattern);
      FcPatternDestroy(pattern);
    }
  }
  return f->face[i];
}

#else
#pragma GCC diagnostic ignored "-Wunused-parameter" /* what stands in for fontconfig */

struct font_list {
  char none;
};

font_list *fonts_create(bool bold) { return geodisk_allocate_zero(1, sizeof(font_list)); }

void fonts_destroy(font_list *f) { free(f); }

static int font_of(const font_list *f, uint32_t code) { return 0; }

static cairo_font_face_t *face_of(font_list *f, int i) { return NULL; }

#endif

/* Marks and joiners go with the letter before them; cairo's own font, on a machine without any, has ASCII. */
static bool goes_along(uint32_t code) {
  return code < 0x7f || (code >= 0x300 && code <= 0x36f) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0xfe00 && code <= 0xfe0f) || code == 0x2060 || code == 0xfeff || (code >= 0xe0000 && code <= 0xe01ef);
}

static canvas_script script_of(uint32_t code) {
  if ((code >= 0x2600 && code <= 0x27bf) || (code >= 0x1f000 && code <= 0x1faff))
    return SCRIPT_EMOJI;
  if ((code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || (code >= 0xf900 && code <= 0xfaff) ||
      (code >= 0xff00 && code <= 0xffef) || (code >= 0x20000 && code <= 0x3ffff))
    return SCRIPT_CJK;
  return SCRIPT_OTHER;
}

size_t fonts_next_piece(font_list *fonts, const char *text, canvas_missing *missing, cairo_font_face_t **face) {
  size_t length = 0;
  int font = -2; /* not known yet */
  for (size_t step; text[length] != 0; length += step) {
    uint32_t code;
    step = take_utf8(text + length, &code);
    int own = font_of(fonts, code);
    if (own < 0 && !goes_along(code)) {
      missing->code = missing->code == 0 ? code : missing->code;
      missing->scripts |= 1u << script_of(code);
    }
    own = own < 0 ? (font > -2 ? font : 0) : own;
    if (font > -2 && own != font && !(length > 0 && code >= 0x7f && goes_along(code)))
      break;
    font = font > -2 ? font : own;
  }
  *face = face_of(fonts, font);
  return length;
}

#endif

/* cairo_fonts.h - which font a letter is written with: the sans-serif font of the system, or the first that has the letter.
 * Without fontconfig at build time there is the one font only. Internal to the draw module. */
#pragma once

#include <cairo.h>

#include "canvas.h"

typedef struct font_list font_list;

/* The fonts of the machine, best first; NULL: no memory. */
font_list *fonts_create(bool bold);
void fonts_destroy(font_list *fonts);

/* The next piece of a text that one font can write: its bytes (0: the text is at its end), and the font (NULL: the system's
 * sans-serif). Letters that no font has are noted in *missing and written with the first. */
size_t fonts_next_piece(font_list *fonts, const char *text, canvas_missing *missing, cairo_font_face_t **face);

/* viewer.h - the page of the viewer without its data: web/dist/viewer.html, embedded by the build. Internal to the draw module.
 */
#pragma once

#include <stddef.h>

extern const unsigned char draw_viewer[];
extern const size_t draw_viewer_size;

/* viewer.h - the page of the viewer without its data: web/dist/viewer.html, embedded by the build. Internal to the draw module.
 */
#ifndef GEODISK_DRAW_VIEWER_H
#define GEODISK_DRAW_VIEWER_H

#include <stddef.h>

extern const unsigned char draw_viewer[];
extern const size_t draw_viewer_size;

#endif

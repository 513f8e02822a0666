/* geodisk/geodisk.h - everything: graphs and hierarchies in hyperbolic space. Include this, link with -lgeodisk. */
#ifndef GEODISK_GEODISK_H
#define GEODISK_GEODISK_H

#include "geodisk/auto.h"
#include "geodisk/ball.h"
#include "geodisk/base.h"
#include "geodisk/draw.h"
#include "geodisk/embed.h"
#include "geodisk/eval.h"
#include "geodisk/graph.h"
#include "geodisk/mean.h"
#include "geodisk/optim.h"
#include "geodisk/vectors.h"

#endif

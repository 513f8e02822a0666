/* each_node.h - a task for each of many nodes, on all threads. */
#pragma once

#include "geodisk/base.h"

/* Calls one(arg, 0) ... one(arg, count - 1), in any order; false: memory is out. Progress, of nodes, is called `task`. Errors:
 * MEMORY, whose text is left to the caller; STOPPED. */
geodisk_status each_node(geodisk_context *context, const char *task, size_t count, bool (*one)(void *arg, size_t index),
                         void *arg);

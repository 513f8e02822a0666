/* device.c - loads libgeodisk-cuda, if it is there: beside this library, or where GEODISK_CUDA says, or where the system looks.
 */
#define _GNU_SOURCE 1 /* for dladdr */
#include "device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libgeodisk-cuda.so." DEVICE_SOVERSION

/* A library that is loaded stays: what it found is the same for the whole process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const device_table *replaced, *loaded;
static bool tried;
static char reason[DEVICE_TEXT];

/* The path of the library beside the file that this code is in; false: not known. */
static bool path_beside(char *out, size_t size) {
  Dl_info here;
  if (!dladdr((const void *)&reason, &here) || !here.dli_fname)
    return false;
  const char *slash = strrchr(here.dli_fname, '/');
  return slash && (size_t)snprintf(out, size, "%.*s/" LIBRARY, (int)(slash - here.dli_fname), here.dli_fname) < size;
}

static void *open_library(void) {
  char path[4096];
  const char *given = getenv("GEODISK_CUDA");
  if (given && *given)
    return dlopen(given, RTLD_NOW | RTLD_LOCAL);
  void *library = path_beside(path, sizeof path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  return library ? library : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static void load(void) {
  void *library = open_library();
  if (!library) {
    const char *text = dlerror();
    snprintf(reason, sizeof reason, "libgeodisk-cuda cannot be loaded: %.200s", text ? text : "not found");
    return;
  }
  const device_table *table = (const device_table *)dlsym(library, DEVICE_SYMBOL);
  if (!table || table->layout != DEVICE_LAYOUT || strcmp(table->version, geodisk_version()) != 0) {
    snprintf(reason, sizeof reason, "libgeodisk-cuda is of another version than this library");
    dlclose(library);
    return;
  }
  loaded = table;
}

geodisk_status geodisk_device_open(geodisk_context *context, const device_table **out) {
  device_facts facts;
  char why[DEVICE_TEXT] = "";
  pthread_mutex_lock(&lock);
  if (!replaced && !tried)
    load();
  tried = tried || !replaced;
  const device_table *table = replaced ? replaced : loaded;
  memcpy(why, reason, sizeof why);
  pthread_mutex_unlock(&lock);
  if (!table)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "no CUDA device: %s", why);
  const geodisk_status st = table->look(&facts, why);
  if (st != GEODISK_OK)
    return geodisk_fail(context, st, "no CUDA device: %s", why);
  *out = table;
  return GEODISK_OK;
}

void geodisk_device_replace(const device_table *table) {
  pthread_mutex_lock(&lock);
  replaced = table;
  pthread_mutex_unlock(&lock);
}

bool geodisk_device_name(geodisk_context *context, char *out, size_t size) {
  const device_table *table = NULL;
  device_facts facts = {.memory = 0};
  char why[DEVICE_TEXT] = "";
  geodisk_status st = geodisk_device_open(context, &table);
  if (st == GEODISK_OK)
    st = table->look(&facts, why);
  if (st == GEODISK_OK && out && size > 0)
    snprintf(out, size, "%s", facts.name);
  return st == GEODISK_OK;
}

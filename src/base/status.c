/* status.c - texts of the status codes, the version, and what is built in (GEODISK_FEATURES comes from CMake). */
#include "geodisk/base.h"

const char *geodisk_status_text(geodisk_status status) {
  switch (status) {
  case GEODISK_OK:
    return "success";
  case GEODISK_ERROR_MEMORY:
    return "out of memory";
  case GEODISK_ERROR_ARGUMENT:
    return "argument outside its domain";
  case GEODISK_ERROR_IO:
    return "input or output failed";
  case GEODISK_ERROR_FORMAT:
    return "malformed file";
  case GEODISK_ERROR_NUMERIC:
    return "a number is not finite";
  case GEODISK_ERROR_STOPPED:
    return "stopped on request";
  case GEODISK_ERROR_UNSUPPORTED:
    return "not built into this library";
  case GEODISK_ERROR_THREAD:
    return "a thread could not be started";
  case GEODISK_ERROR_DEVICE:
    return "a device failed";
  }
  return "unknown status";
}

const char *geodisk_version(void) { return GEODISK_VERSION; }

const char *geodisk_features(void) { return GEODISK_FEATURES; }

/* What libgeodisk-cuda computes, compiled for the host (tests/unit/cuda/cuda_host.h), as a library that the command loads in its
 * place: so that tests of the command can ask for a device where there is none. */
#include "unit/cuda/cuda_host.h"

__attribute__((visibility("default"))) extern const device_table geodisk_device_table;
const device_table geodisk_device_table = {DEVICE_LAYOUT, HOST_VERSION, host_look, &host_train, &host_rank, &host_near};

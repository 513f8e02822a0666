# A toolchain for another machine, by Debian's cross compilers, its programs run by qemu-user:
#   cmake -S . -B build/arm64 -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/cross.cmake -DGEODISK_MACHINE=aarch64
# GEODISK_MACHINE is aarch64, riscv64, s390x (big-endian), or musl: this machine with another C library. Nothing of this machine's own
# libraries is found, so zlib, cairo and MPI are left out, and the unit tests use tests/cross/cmocka.h.
set(GEODISK_MACHINE "" CACHE STRING "aarch64, riscv64, s390x or musl")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GEODISK_MACHINE)
set(CMAKE_SYSTEM_NAME Linux)
if(GEODISK_MACHINE STREQUAL "musl")
  set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_HOST_SYSTEM_PROCESSOR})
  set(CMAKE_C_COMPILER musl-gcc)
  set(CMAKE_FIND_ROOT_PATH /usr/lib/musl)
elseif(GEODISK_MACHINE MATCHES "^(aarch64|riscv64|s390x)$")
  set(CMAKE_SYSTEM_PROCESSOR ${GEODISK_MACHINE})
  set(CMAKE_C_COMPILER ${GEODISK_MACHINE}-linux-gnu-gcc)
  set(CMAKE_FIND_ROOT_PATH /usr/${GEODISK_MACHINE}-linux-gnu)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${GEODISK_MACHINE};-L;/usr/${GEODISK_MACHINE}-linux-gnu)
else()
  message(FATAL_ERROR "GEODISK_MACHINE is '${GEODISK_MACHINE}', not one of aarch64, riscv64, s390x, musl")
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_FIND_ROOT_PATH}/pkgconfig) # where there is nothing
set(ENV{PKG_CONFIG_PATH} "")

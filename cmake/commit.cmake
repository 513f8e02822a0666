# Writes FILE, a header with the commit that SOURCE is at, if it is not so already: `geodisk reproduce` records it.
execute_process(COMMAND git describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE code)
if(NOT "${code}" STREQUAL "0" OR "${commit}" STREQUAL "")
  set(commit "unknown")
endif()
set(text "#define GEODISK_COMMIT \"${commit}\"\n")
if(EXISTS ${FILE})
  file(READ ${FILE} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${FILE} "${text}")
endif()

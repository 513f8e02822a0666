# Turns the file INPUT into the C source OUTPUT that defines its bytes as `const unsigned char NAME[]` and their number as
# `const size_t NAME_size`, which HEADER declares. Plain CMake: building needs neither Node nor xxd.
file(READ ${INPUT} hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(................................................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
get_filename_component(from ${INPUT} NAME)
file(WRITE ${OUTPUT} "/* ${from}, as made by cmake/embed.cmake. */\n#include \"${HEADER}\"\n\n"
     "const size_t ${NAME}_size = ${size};\nconst unsigned char ${NAME}[] = {\n${hex}\n};\n")

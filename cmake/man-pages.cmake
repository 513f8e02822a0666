# Writes the manual pages of all commands into DIR, printed by COMMAND itself: geodisk.1, geodisk-geometry-exp.1, ...
# Built for another machine, it is run by EMULATOR.
separate_arguments(EMULATOR UNIX_COMMAND "${EMULATOR}")
function(write_page file)
  execute_process(COMMAND ${EMULATOR} ${COMMAND} ${ARGN} --man OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${DIR}/${file}.1 "${page}")
endfunction()

file(REMOVE_RECURSE ${DIR})
write_page(geodisk)
execute_process(COMMAND ${EMULATOR} ${COMMAND} --commands OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" names "${names}")
foreach(name ${names})
  string(REPLACE " " "-" file "${name}")
  separate_arguments(words UNIX_COMMAND "${name}")
  write_page(geodisk-${file} ${words})
endforeach()

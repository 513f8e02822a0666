# Writes what bash, zsh and fish complete into DIR, where the shells look for it below a prefix's share/; printed by COMMAND itself.
# Built for another machine, it is run by EMULATOR.
separate_arguments(EMULATOR UNIX_COMMAND "${EMULATOR}")
foreach(pair bash=bash-completion/completions/geodisk zsh=zsh/site-functions/_geodisk fish=fish/vendor_completions.d/geodisk.fish)
  string(REPLACE "=" ";" pair "${pair}")
  list(GET pair 0 shell)
  list(GET pair 1 file)
  execute_process(COMMAND ${EMULATOR} ${COMMAND} completion ${shell} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${DIR}/${file} "${text}")
endforeach()

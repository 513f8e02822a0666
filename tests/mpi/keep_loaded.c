/* keep_loaded.c - for sanitizers only: nothing that was loaded is unloaded, so that the leak sanitizer knows whose memory is
 * whose (Open MPI unloads its modules before it ends, and leaves some). */
__attribute__((visibility("default"))) int dlclose(void *handle);
int dlclose(void *handle) { return handle == 0; }

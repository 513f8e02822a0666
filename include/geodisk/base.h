/* geodisk/base.h - what every other header builds on: status codes, the context (worker threads, last error, log and
 * progress events), counter-based random numbers.
 *
 * Two kinds of function make up the library, no third:
 *   pure      returns its value or fills `out`; never allocates; NaN for input outside its domain;
 *   fallible  returns a geodisk_status; its outputs come last and stay untouched on failure; the text of the last error is
 *             on the context (geodisk_context_error).
 * The library never prints, exits, aborts or keeps global state.
 *
 * For example:
 *     geodisk_context *context = NULL;
 *     geodisk_graph *graph = NULL;
 *     if (geodisk_context_create(0, &context) == GEODISK_OK &&                          // as many threads as there are cores
 *         geodisk_graph_read(context, "tree.tsv", NULL, NULL, &graph) != GEODISK_OK)
 *       fprintf(stderr, "%s\n", geodisk_context_error(context));
 *     geodisk_graph_destroy(graph);
 *     geodisk_context_destroy(context);
 */
#ifndef GEODISK_BASE_H
#define GEODISK_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GEODISK_API                 __attribute__((visibility("default")))
#define GEODISK_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define GEODISK_API
#define GEODISK_PRINTF(text, first)
#endif

#define GEODISK_VERSION_MAJOR 0
#define GEODISK_VERSION_MINOR 1
#define GEODISK_VERSION_PATCH 0
#define GEODISK_VERSION       "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest dimension that points are trained and trees constructed in; models and geometry take more. */
#define GEODISK_DIM_MOST 512

/* ---- status -------------------------------------------------------------------------------------------------------- */

/* What a fallible function returns. The numbers are part of the ABI and never change. */
typedef enum geodisk_status {
  GEODISK_OK = 0,
  GEODISK_ERROR_MEMORY = 1,      /* an allocation failed */
  GEODISK_ERROR_ARGUMENT = 2,    /* an argument is outside its domain */
  GEODISK_ERROR_IO = 3,          /* a file could not be opened, read or written */
  GEODISK_ERROR_FORMAT = 4,      /* the content of a file is malformed */
  GEODISK_ERROR_NUMERIC = 5,     /* a number that must be finite is not */
  GEODISK_ERROR_STOPPED = 6,     /* a callback asked to stop */
  GEODISK_ERROR_UNSUPPORTED = 7, /* not built into this library */
  GEODISK_ERROR_THREAD = 8,      /* a worker thread could not be started */
  GEODISK_ERROR_DEVICE = 9       /* a device failed: what it was computing is lost */
} geodisk_status;

/* A short English text for a status, e.g. "out of memory"; "unknown status" for any other number. Static storage. */
GEODISK_API const char *geodisk_status_text(geodisk_status status);

/* The version of the library at run time, e.g. "0.1.0". Static storage. */
GEODISK_API const char *geodisk_version(void);

/* The optional parts of this build, e.g. "zlib, without cairo"; "none" if there are none. Static storage. */
GEODISK_API const char *geodisk_features(void);

/* Where something is computed: on the processor's threads, on a CUDA device (libgeodisk-cuda, loaded when it is first asked for),
 * or on a device where there is one and the work is large enough for it. What comes out is the same. */
typedef enum geodisk_device { GEODISK_DEVICE_CPU = 0, GEODISK_DEVICE_CUDA = 1, GEODISK_DEVICE_AUTO = 2 } geodisk_device;

/* ---- context ------------------------------------------------------------------------------------------------------- */

/* A context owns worker threads, the text of the last error, and the callbacks for log and progress events. Wherever a
 * function takes a context, NULL means: this thread only, no events, no error text. A context serves one call at a time. After a
 * fork the child may use or destroy its copy: the worker threads are not there, so it has one thread, the caller's. */
typedef struct geodisk_context geodisk_context;

typedef enum geodisk_log_level { GEODISK_LOG_INFO = 0, GEODISK_LOG_WARNING = 1 } geodisk_log_level;

/* A message worth showing to a person. Called on the thread that called the library. */
typedef void (*geodisk_log_fn)(void *user, geodisk_log_level level, const char *text);

/* How far a long task has come. `total` 0: not known. */
typedef struct geodisk_progress {
  const char *task;  /* what is being done, e.g. "reading edges"; valid during the call only */
  const char *unit;  /* what `done` counts, e.g. "edges"; valid during the call only */
  uint64_t done;     /* units done so far */
  uint64_t total;    /* units in all, or 0 */
  const char *extra; /* a figure to show beside, e.g. "loss 1.234", or NULL */
} geodisk_progress;

/* Return false to stop the task: it ends with GEODISK_ERROR_STOPPED. Called on the thread that called the library. */
typedef bool (*geodisk_progress_fn)(void *user, const geodisk_progress *progress);

/* Creates a context with `threads` threads in all, the caller's included; 0 means one per available core.
 * Errors: ARGUMENT (threads < 0 or > 1024, or GEODISK_ISA names an instruction set that is not there), MEMORY, THREAD. */
GEODISK_API geodisk_status geodisk_context_create(int threads, geodisk_context **out);
GEODISK_API void geodisk_context_destroy(geodisk_context *context);
GEODISK_API int geodisk_context_threads(const geodisk_context *context); /* 1 for NULL */

/* The text of the last error on this context, "" if there was none. Valid until the next call that takes the context. */
GEODISK_API const char *geodisk_context_error(const geodisk_context *context);

/* The instruction set the vector code of this context runs on: "avx512", "avx2", "sse2", "neon" (64-bit ARM: the
 * trainer), or "ref" (plain C). A new context takes the widest the processor has, or the one named by the environment variable
 * GEODISK_ISA. `use` changes it, for tests and measurements: ARGUMENT if the name is unknown or the machine lacks it. */
GEODISK_API const char *geodisk_instruction_set(const geodisk_context *context);
GEODISK_API geodisk_status geodisk_use_instruction_set(geodisk_context *context, const char *name);

/* Whether there is a CUDA device that can be used; its name goes to `out` (or NULL). If not, the error on the context says why:
 * libgeodisk-cuda, which may be told by the environment variable GEODISK_CUDA, is not there, the driver is too old, there is no
 * device. */
GEODISK_API bool geodisk_device_name(geodisk_context *context, char *out, size_t size);

/* Takes a piece of a file; anything but OK ends the writing with that status. */
typedef geodisk_status (*geodisk_write_fn)(void *user, const void *bytes, size_t size);

GEODISK_API void geodisk_context_on_log(geodisk_context *context, geodisk_log_fn log, void *user);
GEODISK_API void geodisk_context_on_progress(geodisk_context *context, geodisk_progress_fn progress, void *user);
/* Where whatever is written to the path "-" goes (models, graphs, pictures, pages): NULL is standard output. */
GEODISK_API void geodisk_context_on_write(geodisk_context *context, geodisk_write_fn write, void *user);

/* For modules and back-ends: record an error text and return `status`; emit a log event; emit a progress event (false: stop).
 * All do nothing but return (`status`; true) when context is NULL. */
GEODISK_API geodisk_status geodisk_fail(geodisk_context *context, geodisk_status status, const char *format, ...)
    GEODISK_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* which looks at one file at a time and would not know that `status` comes back */
#define geodisk_fail(context, status, ...) ((void)(geodisk_fail)(context, status, __VA_ARGS__), (status))
#endif
/* MEMORY, with what it was for: geodisk_no_memory(context, "for %zu nodes", n), or "to read %s". */
#define geodisk_no_memory(context, ...) geodisk_fail(context, GEODISK_ERROR_MEMORY, "not enough memory " __VA_ARGS__)
GEODISK_API void geodisk_log_event(geodisk_context *context, geodisk_log_level level, const char *format, ...)
    GEODISK_PRINTF(3, 4);
/* Not again if it is what was last told this way: of what would be said at every step. */
GEODISK_API void geodisk_log_once(geodisk_context *context, geodisk_log_level level, const char *format, ...)
    GEODISK_PRINTF(3, 4);
/* No log events until it is taken back: while something is only tried. */
GEODISK_API void geodisk_log_hush(geodisk_context *context, bool hush);
GEODISK_API bool geodisk_progress_event(geodisk_context *context, const geodisk_progress *progress);

/* Runs task(arg, i) once for every i in [0, count), spread over the context's threads, and returns when all are done. Which
 * thread runs which i is not fixed: a task that writes only what belongs to its i gives the same result for any number of
 * threads. A call from inside a task runs on that task's thread alone. */
typedef void (*geodisk_task_fn)(void *arg, size_t index);
GEODISK_API void geodisk_parallel(geodisk_context *context, size_t count, geodisk_task_fn task, void *arg);

/* malloc / calloc / realloc of count * size bytes with the product checked; NULL when it overflows or memory is out. A request
 * for zero bytes returns a pointer that free() takes. */
GEODISK_API void *geodisk_allocate(size_t count, size_t size);
GEODISK_API void *geodisk_allocate_zero(size_t count, size_t size);
GEODISK_API void *geodisk_reallocate(void *block, size_t count, size_t size);

/* Sees to it that the array whose pointer lies at `array` has room for `more` entries of `size` bytes behind the `used` ones;
 * *room is how many there is room for. It grows by half at least. False: memory is out, and the array as it was. */
GEODISK_API bool geodisk_grow(void *array, size_t used, size_t more, size_t *room, size_t size);

/* free() of several blocks, NULL among them or not: geodisk_free_all(x, y, z). */
GEODISK_API void geodisk_free_blocks(size_t count, void *const blocks[]);
#define geodisk_free_all(...) geodisk_free_blocks(sizeof((void *[]){__VA_ARGS__}) / sizeof(void *), (void *const[]){__VA_ARGS__})

/* ---- numbers as text ----------------------------------------------------------------------------------------------- */

/* The shortest decimal that reads back as the same number, e.g. "0.1", "-1e-300", "nan", "-inf"; the nearest of them. Returns its
 * length; buffer holds at least GEODISK_NUMBER_BYTES and ends with a NUL. */
#define GEODISK_NUMBER_BYTES 32
GEODISK_API int geodisk_format_double(double value, char *buffer);
GEODISK_API int geodisk_format_float(float value, char *buffer);

/* Whether text[0..length) is a finite decimal (or 0x hexadecimal) number and nothing else: no blanks, no inf, no nan, at most
 * 1000 bytes; a number too large for a double is refused, one too small rounds to 0. Correctly rounded, whatever the locale. *out
 * is untouched on failure. */
GEODISK_API bool geodisk_parse_double(const char *text, size_t length, double *out);

/* The length of the longest prefix of text[0..length) that is valid UTF-8: `length` if all of it is. */
GEODISK_API size_t geodisk_utf8_prefix(const char *text, size_t length);

/* Text from a file as it may go to a terminal or into a row of a table: tab, line feed, return become \t, \n, \r; other control
 * characters, bytes that are not UTF-8, Unicode's ends of lines and turns of direction \x1b or \u202e; with `backslashes` a
 * backslash becomes two, to have the text back. Writes at most room - 1 bytes and a NUL, never half of an escape or character;
 * returns the bytes that the whole needs without the NUL. Error texts and log messages have gone through it. Pure. */
GEODISK_API size_t geodisk_escape(const char *text, size_t length, bool backslashes, char *out, size_t room);

/* ---- files ---------------------------------------------------------------------------------------------------------- */

/* For modules that write files: a file that is there as a whole or not at all. It is written under a temporary name in the same
 * folder (".geodisk-...tmp"), and `commit` flushes it to disk and renames it; a failure at any point leaves what was there
 * before, and what a killed process has left of the same file is removed by the next `create`. A symbolic link stays and the file
 * behind it is replaced, or made if it is not there; permissions are kept. "-" is standard output, or what took its place by
 * geodisk_context_on_write; that, and whatever exists and is no plain file (a pipe, a terminal), is written directly. `check`
 * says beforehand whether it could be written, without opening a pipe, where somebody may wait for the first and only writer;
 * `check_room` also, whether the disk has room for so many bytes more, as far as the system tells. The error text is on the
 * context given to `create`. `commit` and `abandon` free the object, whatever they return; abandon(NULL) is fine. Errors:
 * ARGUMENT, MEMORY, IO. */
typedef struct geodisk_file geodisk_file;
GEODISK_API geodisk_status geodisk_file_create(geodisk_context *context, const char *path, geodisk_file **out);
GEODISK_API geodisk_status geodisk_file_check(geodisk_context *context, const char *path);
GEODISK_API geodisk_status geodisk_file_check_room(geodisk_context *context, const char *path, uint64_t bytes);
GEODISK_API geodisk_status geodisk_file_write(geodisk_file *file, const void *bytes, size_t size);
GEODISK_API geodisk_status geodisk_file_commit(geodisk_file *file);
GEODISK_API void geodisk_file_abandon(geodisk_file *file);
/* Commits if `status` is OK, else abandons; what went wrong. */
GEODISK_API geodisk_status geodisk_file_finish(geodisk_file *file, geodisk_status status);

/* A file in memory. All zero is an empty one; `free` makes it that again.
 *
 *     geodisk_bytes page = {0};
 *     geodisk_context_on_write(context, geodisk_bytes_write, &page);
 *     geodisk_status st = geodisk_scene_write_page(context, scene, "-", NULL, NULL);
 *     geodisk_context_on_write(context, NULL, NULL);
 *     ... page.bytes, page.size ...
 *     geodisk_bytes_free(&page); */
typedef struct geodisk_bytes {
  char *bytes;
  size_t size, room;
} geodisk_bytes;
GEODISK_API geodisk_status geodisk_bytes_write(void *bytes, const void *piece, size_t size); /* a geodisk_write_fn; MEMORY */
GEODISK_API void geodisk_bytes_free(geodisk_bytes *bytes);

/* ---- random numbers ------------------------------------------------------------------------------------------------ */

/* Philox4x32-10 (Salmon et al., SC 2011): a bijection of the 128-bit counter for each 64-bit key. Pure. */
GEODISK_API void geodisk_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* A stream of random numbers: key = seed, upper half of the counter = stream, lower half = position. Streams of different
 * (seed, stream) are independent, so what is drawn never depends on threads or order. Copy it to fork it. */
typedef struct geodisk_random {
  uint64_t seed;
  uint64_t stream;
  uint64_t position; /* the next counter value */
  uint32_t block[4]; /* numbers not yet handed out, from index `used` on */
  uint32_t used;
  double spare; /* the second normal of a pair, while has_spare */
  bool has_spare;
} geodisk_random;

GEODISK_API geodisk_random geodisk_random_stream(uint64_t seed, uint64_t stream);
GEODISK_API uint32_t geodisk_random_bits32(geodisk_random *random);
GEODISK_API uint64_t geodisk_random_bits64(geodisk_random *random);
GEODISK_API double geodisk_random_uniform(geodisk_random *random); /* [0, 1), a multiple of 2^-53 */
GEODISK_API double geodisk_random_normal(geodisk_random *random);  /* mean 0, variance 1; no libm: the same bytes everywhere */
GEODISK_API uint64_t geodisk_random_below(geodisk_random *random, uint64_t bound); /* [0, bound), unbiased; 0 for bound 0 */

#ifdef __cplusplus
}
#endif
#endif

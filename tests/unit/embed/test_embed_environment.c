/* Training gives the same bytes whatever surrounds it: the system's libm with other variants of its functions (GLIBC_TUNABLES
 * hides AVX2 and FMA from it; the program runs itself again for that), and a caller that rounds upwards or flushes small numbers
 * to zero. */
#include <fenv.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "embed_cases.h"

static const char *program;

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) { /* FNV-1a */
  for (size_t k = 0; k < size; k++)
    hash = (hash ^ ((const unsigned char *)data)[k]) * 0x100000001B3u;
  return hash;
}

/* A hash of what the cases train to, rows and history: by the plain loop or by kernels, on 2 threads, which are made here. */
static uint64_t hash_of_cases(void) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (size_t i = 0; i < 2 * EMBED_CASES; i++) {
    const embed_case *c = &embed_cases[i / 2];
    geodisk_graph *graph = graph_of_case(c->graph);
    geodisk_context *context = context_of(i % 2 ? NULL : "ref", 2);
    geodisk_train_options o = options_of(c, i % 4 == 0 || i % 4 == 3);
    o.placement = i % 2 ? GEODISK_PLACEMENT_TREE : o.placement; /* angles */
    o.epochs = 2;
    geodisk_trainer *t = make_trainer(context, graph, &o);
    train_on(context, t);
    hash = hash_bytes(hash, t->rows, t->nodes * row_bytes(t));
    for (size_t e = 0; e < t->history_rows; e++) {
      const double numbers[] = {t->history[e].lr, t->history[e].loss, t->history[e].sample, t->history[e].radius};
      hash = hash_bytes(hash, numbers, sizeof numbers);
    }
    geodisk_trainer_destroy(t);
    geodisk_context_destroy(context);
    geodisk_graph_destroy(graph);
  }
  return hash;
}

/* ---- the system's libm ---- */

/* What the program prints with this in its environment: a hash of models, and one of libm's own results. */
static void run_again(const char *tunables, char *out, size_t size) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (tunables)
      setenv("GLIBC_TUNABLES", tunables, 1);
    dup2(ends[1], 1);
    execl(program, program, "--hash", (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  size_t n = 0;
  for (ssize_t got; n + 1 < size && (got = read(ends[0], out + n, size - n - 1)) > 0;)
    n += (size_t)got;
  out[n] = '\0';
  close(ends[0]);
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void print_hashes(void) {
  uint64_t system = 0;
  volatile double x = 0.001; /* not folded by compilers */
  for (int i = 0; i < 20000; i++, x *= 1.0009) {
    const double values[] = {sin(x), cos(x), exp(-x), log(x), pow(x, 0.37), tan(x), atan(x)};
    system = hash_bytes(system, values, sizeof values);
  }
  printf("models %016llx\nlibm %016llx\n", (unsigned long long)hash_of_cases(), (unsigned long long)system);
}

static void test_other_libm(void **state) {
  (void)state;
  /* as glibc names them: before 2.33 with _Usable, from then on without; what it does not know it passes over */
  static const char masked[] = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable,-FMA4_Usable,-AVX512F,-AVX512F_Usable";
  char usual[256], other[256];
  run_again(NULL, usual, sizeof usual);
  run_again(masked, other, sizeof other);
  char *usual_libm = strchr(usual, '\n'), *other_libm = strchr(other, '\n');
  assert_non_null(usual_libm);
  assert_non_null(other_libm);
  print_message("the system's libm %s without FMA\n",
                strcmp(usual_libm, other_libm) ? "gives other bytes" : "gives the same bytes");
  *usual_libm = *other_libm = '\0';
  assert_string_equal(usual, other);
}

/* ---- the caller's floating-point environment ---- */

static void test_other_rounding(void **state) {
  (void)state;
  static const int modes[] = {FE_UPWARD, FE_TOWARDZERO};
  const uint64_t expected = hash_of_cases();
  for (int i = 0; i < 2; i++) {
    fesetround(modes[i]); /* threads of a new context inherit it */
    const uint64_t got = hash_of_cases();
    const int after = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(after, modes[i]);
    assert_true(got == expected);
  }
}

static void test_small_numbers_flushed(void **state) {
  (void)state;
#if defined(__x86_64__)
  enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };
  const uint64_t expected = hash_of_cases();
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
  const uint64_t got = hash_of_cases();
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  assert_true((after & FLUSH_TO_ZERO) && (after & DENORMALS_ARE_ZERO));
  assert_true(got == expected);
#else
  skip();
#endif
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--hash") == 0) {
    print_hashes();
    return 0;
  }
  program = argv[0];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_other_libm),
      cmocka_unit_test(test_other_rounding),
      cmocka_unit_test(test_small_numbers_flushed),
  };
  return cmocka_run_group_tests_name("whatever surrounds training", tests, NULL, NULL);
}

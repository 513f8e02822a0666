/* ask.h - questions to the ranks that know the answers, many at a time. Internal to the mpi module. */
#pragma once

#include "share.h"

/* A question is a word or two, the first the number (or place) of a node: whoever owns it answers. Answers are aligned to their
 * size. */
typedef struct asking {
  size_t question_words, answer_bytes;
  void (*answer)(void *user, const uint32_t *question, void *answer);
  void *user;
} asking;

/* Collective; each rank may have another number of questions. A few at a time, so that it takes little memory. answers may be
 * where the questions are if both have the same size. */
geodisk_status mpi_ask(geodisk_context *context, const mpi_share *share, const asking *a, const void *questions, size_t count,
                       void *answers);

/* The other way: messages to the owners of the node they begin with, aligned as a structure of that size may be. */
typedef struct telling {
  size_t message_bytes;
  void (*message)(void *user, size_t i, void *message); /* the i-th, asked for in order */
  void (*hear)(void *user, const void *message);
  void *user;
} telling;
geodisk_status mpi_tell(geodisk_context *context, const mpi_share *share, const telling *what, size_t count);

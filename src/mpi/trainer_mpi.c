/* trainer_mpi.c - the trainer's back-end on ranks: creation, an epoch from deal to rows at home, the held-out sample, saving. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embed/placement.h"
#include "exchange.h"
#include "launch.h"
#include "ranks.h"

enum { MOST_RECORDS = 1 << 22 };

/* ---- an epoch ---- */

/* Sums of games over all ranks: each was played on one of them, so adding the zeros of the others changes nothing. */
static bool share_tallies(const ranks *r, tally *sums, uint32_t games) {
  enum { REALS = 2, WHOLES = 6 };
  double *reals = geodisk_allocate(games, REALS * sizeof *reals);
  uint64_t *wholes = geodisk_allocate(games, WHOLES * sizeof *wholes);
  const bool ok = ranks_all(r, reals && wholes);
  for (uint32_t i = 0; i < games && ok; i++) {
    const tally *s = &sums[i];
    const double real[REALS] = {s->loss, s->ratio};
    const uint64_t whole[WHOLES] = {s->edges, s->skipped, s->clips, s->bad, s->bad_child, s->bad_parent};
    memcpy(reals + (size_t)i * REALS, real, sizeof real);
    memcpy(wholes + (size_t)i * WHOLES, whole, sizeof whole);
  }
  if (ok) {
    MPI_Allreduce(MPI_IN_PLACE, reals, (int)(games * REALS), MPI_DOUBLE, MPI_SUM, r->share->comm);
    MPI_Allreduce(MPI_IN_PLACE, wholes, (int)(games * WHOLES), MPI_UINT64_T, MPI_SUM, r->share->comm);
  }
  for (uint32_t i = 0; i < games && ok; i++) {
    const double *real = reals + (size_t)i * REALS;
    const uint64_t *whole = wholes + (size_t)i * WHOLES;
    sums[i] = (tally){.loss = real[0],
                      .ratio = real[1],
                      .edges = whole[0],
                      .skipped = whole[1],
                      .clips = whole[2],
                      .bad = whole[3] != 0,
                      .bad_child = (uint32_t)whole[4],
                      .bad_parent = (uint32_t)whole[5]};
  }
  free(reals);
  free(wholes);
  return ok;
}

/* The names of the nodes of a bad step, from whoever owns them. */
static void ask_names(ranks *r, const tally *sum) {
  const uint32_t rows[2] = {sum->bad_child, sum->bad_parent};
  memset(r->bad_names, 0, sizeof r->bad_names);
  memcpy(r->bad_rows, rows, sizeof rows);
  for (uint32_t i = 0; i < r->share->owned; i++)
    for (int k = 0; k < 2; k++)
      if (order_of(r, i) == rows[k])
        snprintf(r->bad_names[k], sizeof r->bad_names[k], "%s", r->share->names + r->share->name_starts[i]);
  MPI_Allreduce(MPI_IN_PLACE, r->bad_names, (int)sizeof r->bad_names, MPI_BYTE, MPI_BOR, r->share->comm);
}

static tally ranks_epoch(geodisk_trainer *t, const episode *e) {
  ranks *r = ranks_of(t);
  tally sum = nothing;
  const uint32_t all = tournament_rounds(r->parts), games = games_before(r->parts, all);
  const uint64_t most = t->edges / (r->most_records * (uint64_t)r->count) + 1;
  const uint32_t phases = most < all ? (uint32_t)most : all;
  tally *sums = geodisk_allocate_zero(games, sizeof *sums); /* zero, and not `nothing`, where others play */
  bool ok = ranks_all(r, sums != NULL) && ranks_deal(t, e->number, e->sampling == GEODISK_SAMPLING_DEGREE);
  for (uint32_t phase = 0; phase < phases && ok; phase++) {
    const uint32_t from = (uint32_t)((uint64_t)all * phase / phases), to = (uint32_t)((uint64_t)all * (phase + 1) / phases);
    ok = ranks_deliver(t, from, to) && ranks_play(t, e, from, to, sums);
  }
  ranks_delivered(t);
  ok = ok && ranks_gather(t) && share_tallies(r, sums, games);
  MPI_Allreduce(MPI_IN_PLACE, &r->traffic, sizeof r->traffic / sizeof(uint64_t), MPI_UINT64_T, MPI_SUM, r->share->comm);
  for (uint32_t i = 0; i < games && ok; i++)
    embed_add_tally(&sum, &sums[i]);
  free(sums);
  if (ok && sum.bad)
    ask_names(r, &sum);
  return ok ? sum : out_of_memory;
}

static const char *ranks_name(geodisk_trainer *t, uint32_t row) {
  const ranks *r = ranks_of(t);
  return r->bad_names[row == r->bad_rows[0] ? 0 : 1];
}

/* ---- its end ---- */

typedef struct settling {
  geodisk_trainer *t;
  double *radii; /* of all blocks */
} settling;

static void settle_block(void *arg, size_t block) {
  const settling *s = arg;
  const ranks *r = ranks_of(s->t);
  const size_t first = block * SHARE_BLOCK, left = r->share->owned - first;
  s->radii[r->share->first / SHARE_BLOCK + block] =
      embed_settle_block(s->t, r->home + first * row_bytes(s->t), left < SHARE_BLOCK ? left : SHARE_BLOCK);
}

static bool ranks_settle(geodisk_trainer *t, double *radius) {
  const ranks *r = ranks_of(t);
  const size_t blocks = (t->nodes + SHARE_BLOCK - 1) / SHARE_BLOCK;
  settling s = {t, geodisk_allocate_zero(blocks, sizeof *s.radii)};
  const bool ok = ranks_all(r, s.radii != NULL);
  if (ok) {
    geodisk_parallel(t->context, (r->share->owned + SHARE_BLOCK - 1) / SHARE_BLOCK, settle_block, &s);
    MPI_Allreduce(MPI_IN_PLACE, s.radii, (int)blocks, MPI_DOUBLE, MPI_SUM, r->share->comm);
    double sum = 0.0;
    for (size_t i = 0; i < blocks; i++)
      sum += s.radii[i];
    *radius = sum / (double)t->nodes;
  }
  free(s.radii);
  return ok;
}

/* Draws the held-out sample: each of its edges by the rank that has it. Then its nodes are known to all. */
static geodisk_status draw_sample(geodisk_trainer *t) {
  const ranks *r = ranks_of(t);
  const mpi_share *share = r->share;
  geodisk_status st = mpi_agree(t->context, share->comm, embed_held_out_allocate(t));
  if (st != GEODISK_OK)
    return st;
  for (size_t i = 0; i < t->held_out->edges; i++) {
    geodisk_random random;
    const uint64_t edge = embed_sample_edge(t, i, &random) - share->edges_before;
    if (edge >= share->offsets[share->owned]) /* of another rank; those before wrap to large numbers */
      continue;
    uint32_t low = 0, high = share->owned;
    while (high - low > 1) {
      const uint32_t middle = low + (high - low) / 2;
      if (share->offsets[middle] <= edge)
        low = middle;
      else
        high = middle;
    }
    const uint64_t first = share->offsets[low];
    embed_sample_nodes(t, &random, share->first + low, share->targets[edge], share->targets + first,
                       (size_t)(share->offsets[low + 1] - first), t->held_out->nodes[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, t->held_out->nodes, (int)(t->held_out->edges * SAMPLE_NODES), MPI_UINT32_T, MPI_SUM, share->comm);
  return GEODISK_OK;
}

/* The loss of the sample, from the rows of its nodes, which their owners tell all. NaN: out of memory. */
static double ranks_held_out_loss(geodisk_trainer *t) {
  const ranks *r = ranks_of(t);
  const mpi_share *share = r->share;
  const size_t n = t->held_out->edges * SAMPLE_NODES, size = row_bytes(t);
  held_out sample = {.edges = t->held_out->edges, .losses = t->held_out->losses};
  char *rows = geodisk_allocate_zero(n + 1, size);
  double loss = (double)NAN;
  sample.nodes = geodisk_allocate(sample.edges, sizeof *sample.nodes);
  if (ranks_all(r, rows && sample.nodes)) {
    for (size_t i = 0; i < n; i++) {
      const uint32_t node = t->held_out->nodes[i / SAMPLE_NODES][i % SAMPLE_NODES];
      sample.nodes[i / SAMPLE_NODES][i % SAMPLE_NODES] = node == NO_NODE ? NO_NODE : (uint32_t)i;
      if (node != NO_NODE && node >= share->first && node - share->first < share->owned)
        memcpy(rows + i * size, r->home + (size_t)(node - share->first) * size, size);
    }
    MPI_Allreduce(MPI_IN_PLACE, rows, (int)(n * size / 8), MPI_UINT64_T, MPI_BOR, share->comm);
    geodisk_trainer view = *t; /* with the sample's rows as all there are */
    view.rows = rows;
    view.held_out = &sample;
    loss = embed_held_out_loss(&view);
  }
  free(rows);
  free(sample.nodes);
  return loss;
}

static bool ranks_agree(geodisk_trainer *t, bool go_on) { return ranks_all(ranks_of(t), go_on); }

/* ---- creation ---- */

static void ranks_destroy(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  embed_held_out_destroy(t->held_out);
  if (!r)
    return;
  ranks_delivered(t);
  for (uint32_t s = 0; r->slots && s < r->slot_count; s++)
    free(r->slots[s].nodes);
  for (int i = 0; i < 2; i++) {
    free(r->scattered[i]);
    free(r->turn_of[i]);
  }
  for (uint32_t p = 0; p < MOST_PARTS; p++)
    free(r->inner_weights[p]);
  if (r->share && r->target_order != r->share->targets)
    free(r->target_order);
  free(r->slots);
  free(r->home);
  free(r->order);
  free(r->own_part);
  free(r->target_part);
  free(r->arrivals);
  free(r->degrees);
  if (r->comm != MPI_COMM_NULL)
    MPI_Comm_free(&r->comm);
  if (r->line != MPI_DATATYPE_NULL)
    MPI_Type_free(&r->line);
  mpi_share_destroy(r->share);
  free(r);
}

static geodisk_status ranks_save(geodisk_trainer *t, const char *path) {
  const ranks *r = ranks_of(t);
  const checkpoint c = {.options = t->options, .history = t->history, .position = t->position, .rows = r->home};
  return mpi_share_save(t->context, r->share, &c, path);
}

static const embed_backend ranks_backend = {.epoch = ranks_epoch,
                                            .settle = ranks_settle,
                                            .held_out_loss = ranks_held_out_loss,
                                            .name = ranks_name,
                                            .save = ranks_save,
                                            .agree = ranks_agree,
                                            .destroy = ranks_destroy};

static geodisk_status check_options(geodisk_context *context, const geodisk_train_options *o, uint64_t position, int count,
                                    size_t nodes) {
  if (o->async)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "--async is for the threads of one process; leave it out on ranks");
  if (o->variant == GEODISK_VARIANT_GROUPED)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED,
                        "--variant grouped trains in one process only; on ranks take --variant edge");
  if (position < o->core_epochs)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED,
                        "--core-epochs needs the graph in one process; on ranks take --core-epochs 0 --placement tree");
  if (o->negatives == GEODISK_ALL_NEGATIVES)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED,
                        "--negatives all needs all points in one process; on ranks give a number of negatives");
  const uint32_t parts = embed_choose_parts(o, nodes), games = tournament_games(parts);
  if ((uint32_t)count > games)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "%d ranks are too many: with %u parts %u can train side by side. Start at most %u ranks, or take "
                        "fewer --negatives, or more --parts (which changes the result)",
                        count, parts, games, games);
  return GEODISK_OK;
}

/* Results differ by rounding between instruction sets, so all ranks must have the same. */
static geodisk_status check_machines(geodisk_context *context, MPI_Comm comm) {
  char leading[32] = "";
  int rank;
  const char *here = geodisk_instruction_set(context);
  MPI_Comm_rank(comm, &rank);
  snprintf(leading, sizeof leading, "%s", here);
  MPI_Bcast(leading, (int)sizeof leading, MPI_BYTE, 0, comm);
  geodisk_status st = GEODISK_OK;
  if (strcmp(leading, here) != 0)
    st = geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                      "rank 0 uses the instruction set %s, rank %d %s, which round differently: start all with the same, by "
                      "mpirun -x GEODISK_ISA=NAME (avx512, avx2, sse2)",
                      leading, rank, here);
  return mpi_agree(context, comm, st);
}

/* The places of the targets in the order: asked of their owners. */
static geodisk_status translate_targets(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  const mpi_share *share = r->share;
  const uint64_t edges = share->offsets[share->owned];
  if (!r->order) {
    r->target_order = share->targets;
    return GEODISK_OK;
  }
  const size_t n = (size_t)r->count;
  uint64_t *counts = geodisk_allocate_zero(3 * n, sizeof *counts), *received = counts + n, *next = counts + 2 * n, asked = 0;
  uint32_t *questions = geodisk_allocate(edges, sizeof *questions), *answers = NULL, *numbers = NULL;
  geodisk_status st = counts && questions ? GEODISK_OK : GEODISK_ERROR_MEMORY;
  if ((st = mpi_agree(t->context, share->comm, st)) != GEODISK_OK)
    goto done;
  for (uint64_t e = 0; e < edges; e++)
    counts[mpi_share_owner(share, share->targets[e])]++;
  mpi_exchange_counts(share->comm, counts, received);
  for (size_t k = 0; k < n; k++) {
    next[k] = k > 0 ? next[k - 1] + counts[k - 1] : 0;
    asked += received[k];
  }
  for (uint64_t e = 0; e < edges; e++)
    questions[next[mpi_share_owner(share, share->targets[e])]++] = share->targets[e];
  numbers = geodisk_allocate(asked, sizeof *numbers);
  answers = geodisk_allocate(edges, sizeof *answers);
  st = numbers && answers ? GEODISK_OK : GEODISK_ERROR_MEMORY;
  if ((st = mpi_agree(t->context, share->comm, st)) != GEODISK_OK)
    goto done;
  mpi_exchange(share->comm, sizeof *numbers, questions, counts, numbers, received);
  for (uint64_t i = 0; i < asked; i++)
    numbers[i] = r->order[numbers[i] - share->first];
  mpi_exchange(share->comm, sizeof *numbers, numbers, received, answers, counts);
  for (size_t k = 0; k < n; k++)
    next[k] = k > 0 ? next[k - 1] + counts[k - 1] : 0;
  for (uint64_t e = 0; e < edges; e++)
    questions[e] = answers[next[mpi_share_owner(share, share->targets[e])]++];
  r->target_order = questions;
  questions = NULL;
done:
  free(counts);
  free(questions);
  free(answers);
  free(numbers);
  return st == GEODISK_OK ? st : geodisk_fail(t->context, st, "out of memory for the order of the edges");
}

/* When the turn of each source of a part comes, for both sizes of parts. */
static bool make_turns(ranks *r) {
  for (uint32_t k = 0; k < 2; k++) {
    const uint32_t count = r->largest - k, jump = scattering_jump(count);
    r->scattered[k] = geodisk_allocate(count, sizeof *r->scattered[k]);
    r->turn_of[k] = geodisk_allocate(count, sizeof *r->turn_of[k]);
    if (!r->scattered[k] || !r->turn_of[k])
      return false;
    for (uint32_t i = 0, at = 0; i < count; i++, at = at + jump < count ? at + jump : at + jump - count) {
      r->scattered[k][i] = at;
      r->turn_of[k][at] = i;
    }
  }
  return true;
}

/* What an epoch needs besides the rows. */
static bool make_schedule(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  const uint32_t games = tournament_games(r->parts);
  r->first_game = (uint32_t)((uint64_t)games * (uint64_t)r->rank / (uint64_t)r->count);
  r->end_game = (uint32_t)((uint64_t)games * ((uint64_t)r->rank + 1) / (uint64_t)r->count);
  r->largest = (uint32_t)((t->nodes + r->parts - 1) / r->parts);
  r->wide = r->largest > 0xFFFF;
  r->most_records = MOST_RECORDS;
  r->slot_count = 2 * (r->end_game - r->first_game) + (r->count > 1 ? 2 : 0);
  r->slots = geodisk_allocate_zero(r->slot_count, sizeof *r->slots);
  r->own_part = geodisk_allocate(r->share->owned, sizeof *r->own_part);
  r->target_part = geodisk_allocate((size_t)r->share->offsets[r->share->owned], sizeof *r->target_part);
  for (uint32_t s = 0; r->slots && s < r->slot_count; s++)
    if (!(r->slots[s].nodes = geodisk_allocate((size_t)r->largest + 1, sizeof *r->slots[s].nodes)))
      return false;
  return r->slots && r->own_part && r->target_part && make_turns(r) && embed_create_workers(t, r->largest) == GEODISK_OK;
}

/* The owned nodes' rows, from a checkpoint or placed anew, and their places in the order. */
static geodisk_status take_points(geodisk_trainer *t, void *rows) {
  ranks *r = ranks_of(t);
  const bool ordered = embed_ordered_by_tree(&t->options);
  r->home = rows ? rows : geodisk_allocate((size_t)r->share->owned + 1, row_bytes(t));
  r->order = ordered ? geodisk_allocate(r->share->owned, sizeof *r->order) : NULL;
  const geodisk_status st =
      mpi_agree_memory(t->context, r->share->comm, r->home && (!ordered || r->order), "the points of a share");
  if (st != GEODISK_OK || (rows && !ordered))
    return st;
  return mpi_share_place(t->context, r->share, &t->options, rows ? NULL : r->home, r->order);
}

geodisk_status mpi_trainer_of_share(geodisk_context *context, mpi_share *share, const char *resume,
                                    const geodisk_train_options *options, geodisk_trainer **out) {
  MPI_Comm comm = share->comm;
  checkpoint_found found = {.options = *options};
  void *rows = NULL;
  geodisk_trainer *t = geodisk_allocate_zero(1, sizeof *t);
  ranks *r = geodisk_allocate_zero(1, sizeof *r);
  geodisk_status st = t && r ? GEODISK_OK : geodisk_fail(context, GEODISK_ERROR_MEMORY, "out of memory");
  if ((st = mpi_agree(context, comm, st)) != GEODISK_OK) {
    free(t);
    free(r);
    mpi_share_destroy(share);
    return st;
  }
  t->backend = &ranks_backend;
  t->own = r;
  r->share = share;
  r->rank = share->rank;
  r->count = share->ranks;
  r->most_records = MOST_RECORDS;
  MPI_Type_contiguous(64, MPI_BYTE, &r->line);
  MPI_Type_commit(&r->line);
  MPI_Comm_dup(comm, &r->comm);
  if ((st = check_machines(context, comm)) != GEODISK_OK)
    goto done;
  if ((st = embed_check_options(context, options)) != GEODISK_OK)
    goto done;
  if (resume && (st = mpi_share_load(context, share, resume, options, &found, &rows)) != GEODISK_OK)
    goto done;
  if ((st = check_options(context, &found.options, found.position, r->count, (size_t)share->nodes)) != GEODISK_OK)
    goto done;
  if ((st = embed_start(context, &found.options, (size_t)share->nodes, (size_t)share->edges, share->mean_weight, t)) !=
      GEODISK_OK)
    goto done;
  r->parts = embed_choose_parts(&found.options, t->nodes);
  st = take_points(t, rows);
  rows = NULL;
  if (st != GEODISK_OK)
    goto done;
  if ((st = mpi_agree_memory(context, comm, make_schedule(t), "the schedule of a share")) != GEODISK_OK)
    goto done;
  if ((st = translate_targets(t)) != GEODISK_OK)
    goto done;
  if (resume)
    embed_go_on(t, &found);
  if (found.options.epochs == GEODISK_AUTO_EPOCHS)
    st = draw_sample(t);
done:
  free(rows);
  free(found.history);
  if (st == GEODISK_OK)
    *out = t;
  else
    geodisk_trainer_destroy(t);
  return st;
}

geodisk_mpi_traffic geodisk_mpi_trainer_traffic(const geodisk_trainer *trainer) { return ranks_of(trainer)->traffic; }

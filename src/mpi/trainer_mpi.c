/* trainer_mpi.c - the trainer's back-end on ranks: creation, what ends an epoch, the sample of the loss, saving. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embed/placement/placement.h"
#include "exchange.h"
#include "launch.h"
#include "ranks.h"
#include "share_facts.h"

/* ---- messages ---- */

bool(ranks_all)(const ranks *r, bool ok) {
  int all = ok;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, r->share->comm);
  return all != 0;
}

bool ranks_reserve(room *r, size_t count, size_t element_bytes) {
  const size_t size = (count + 1) * element_bytes;
  if (size <= r->size)
    return true;
  free(r->bytes);
  r->size = size + size / 4;
  r->bytes = malloc(r->size);
  r->size = r->bytes ? r->size : 0;
  return r->bytes != NULL;
}

bool ranks_trade(ranks *r, bool ok, size_t element_bytes, const void *from, const uint64_t *sent, room *to, uint64_t *received,
                 uint64_t *bytes) {
  size_t count = 0;
  mpi_exchange_counts(r->share->comm, sent, received);
  for (int k = 0; k < r->count; k++) {
    count += (size_t)received[k];
    *bytes += k != r->rank ? sent[k] * element_bytes : 0;
    r->sent.messages += k != r->rank && sent[k] > 0;
  }
  ok = ok && ranks_reserve(to, count, element_bytes);
  if (!ranks_all(r, ok))
    return false;
  mpi_exchange(r->share->comm, element_bytes, from, sent, to->bytes, received);
  return true;
}

/* ---- the end of an epoch ---- */

static bool ranks_radius(geodisk_trainer *t, double *mean) {
  ranks *r = ranks_of(t);
  const uint64_t here = embed_radii(t, t->rows, r->owned);
  uint64_t sums[2] = {here == UINT64_MAX ? 0 : here, here == UINT64_MAX};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, r->share->comm);
  *mean = sums[1] == 0 ? (double)sums[0] / RADIUS_SCALE / (double)t->nodes : (double)NAN;
  MPI_Allreduce(&r->sent, &r->traffic, sizeof r->sent / sizeof(uint64_t), MPI_UINT64_T, MPI_SUM, r->share->comm);
  r->sent = (geodisk_mpi_traffic){0};
  return true;
}

/* The name of a node, from whoever owns its number. */
static const char *ranks_name(geodisk_trainer *t, uint32_t node) {
  ranks *r = ranks_of(t);
  const uint32_t i = node - r->share->first;
  memset(r->bad_name, 0, sizeof r->bad_name);
  if (i < r->share->owned)
    snprintf(r->bad_name, sizeof r->bad_name, "%s", r->share->names + r->share->name_starts[i]);
  MPI_Allreduce(MPI_IN_PLACE, r->bad_name, (int)sizeof r->bad_name, MPI_BYTE, MPI_BOR, r->share->comm);
  return r->bad_name;
}

static bool ranks_agree(geodisk_trainer *t, bool go_on) { return ranks_all(ranks_of(t), go_on); }

/* ---- the sample of the loss ---- */

/* Draws it: each of its edges by the rank that has it. Then its nodes are known to all. */
static geodisk_status draw_sample(geodisk_trainer *t) {
  const mpi_share *share = ranks_of(t)->share;
  const geodisk_status st = mpi_agree(t->context, share->comm, embed_sample_allocate(t));
  if (st != GEODISK_OK)
    return st;
  for (size_t i = 0; i < t->sample->edges; i++) {
    geodisk_random random;
    const uint64_t edge = embed_sample_edge(t, i, &random) - share->edges_before;
    if (edge >= share->offsets[share->owned]) /* of another rank; those before wrap to large numbers */
      continue;
    const size_t row = csr_row(share->offsets, 0, share->owned, edge);
    const uint64_t first = share->offsets[row];
    embed_sample_nodes(t, &random, share->first + (uint32_t)row, share->targets[edge], share->targets + first,
                       (size_t)(share->offsets[row + 1] - first), t->sample->nodes[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, t->sample->nodes, (int)(t->sample->edges * SAMPLE_NODES), MPI_UINT32_T, MPI_SUM, share->comm);
  return GEODISK_OK;
}

/* The loss of the sample, from the rows of its nodes, which their owners tell all. NaN: out of memory. */
static double ranks_sample_loss(geodisk_trainer *t) {
  const ranks *r = ranks_of(t);
  const size_t n = t->sample->edges * SAMPLE_NODES, size = row_bytes(t);
  loss_sample sample = {.edges = t->sample->edges, .losses = t->sample->losses};
  char *rows = geodisk_allocate_zero(n + 1, size);
  double loss = (double)NAN;
  sample.nodes = geodisk_allocate(sample.edges, sizeof *sample.nodes);
  const bool memory = rows && sample.nodes;
  if (ranks_all(r, memory)) {
    const uint32_t *places = (const uint32_t *)r->sample_places;
    uint32_t *nodes = (uint32_t *)sample.nodes; /* all of them, one after the other */
    for (size_t i = 0; i < n; i++) {
      nodes[i] = places[i] == NO_NODE ? NO_NODE : (uint32_t)i;
      if (places[i] != NO_NODE && ranks_owns(r, places[i]))
        memcpy(rows + i * size, trainer_row(t, places[i] - r->first), size);
    }
    MPI_Allreduce(MPI_IN_PLACE, rows, (int)(n * size / 8), MPI_UINT64_T, MPI_BOR, r->share->comm);
    geodisk_trainer view = *t; /* with the sample's rows as all there are */
    view.rows = rows;
    view.sample = &sample;
    loss = embed_sample_loss(&view);
  }
  geodisk_free_all(rows, sample.nodes);
  return loss;
}

/* ---- saving ---- */

static geodisk_status ranks_save(geodisk_trainer *t, const char *path) {
  ranks *r = ranks_of(t);
  geodisk_status st = ranks_core_gather(t);
  if (st != GEODISK_OK)
    return st;
  ranks_crew_destroy(r, r->crew); /* whose memory is needed for the rows by number */
  r->crew = NULL;
  char *rows = geodisk_allocate((size_t)r->owned + 1, row_bytes(t));
  st = mpi_agree_memory(t->context, r->share->comm, rows != NULL, "the points to be saved");
  if (st == GEODISK_OK)
    st = ranks_rows_by_number(t, rows);
  const checkpoint c = {.options = t->options,
                        .history = t->history,
                        .rows_kept = t->history_rows,
                        .position = t->position,
                        .note = t->note,
                        .rows = rows};
  if (st == GEODISK_OK)
    st = mpi_share_save(t->context, r->share, &c, path);
  free(rows);
  return st;
}

/* ---- creation ---- */

static void ranks_destroy(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  embed_sample_destroy(t->sample);
  if (!r)
    return;
  ranks_core_destroy(r->core);
  ranks_crew_destroy(r, r->crew);
  if (r->offsets != r->share->offsets)
    free(r->offsets);
  if (r->targets != r->share->targets)
    free(r->targets);
  if (r->weights != r->share->weights)
    free(r->weights);
  mpi_share_destroy(r->share);
  geodisk_free_all(r->number, r->unit_place, r->extra, r->unit_firsts, r->sample_places, r->bad, r);
}

static const embed_backend ranks_backend = {.batch = ranks_batch,
                                            .radius = ranks_radius,
                                            .sample_loss = ranks_sample_loss,
                                            .core_epoch = ranks_core_epoch,
                                            .name = ranks_name,
                                            .save = ranks_save,
                                            .agree = ranks_agree,
                                            .destroy = ranks_destroy};

/* Units by number: of edges where there are those, else further ones. */
static geodisk_status number_units(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  const bool edges = t->options.units == GEODISK_UNITS_EDGE;
  uint64_t mine = edges ? r->offsets[r->owned] : embed_extra_units(r->offsets, NULL, r->owned, NULL);
  r->extra = geodisk_allocate(edges ? 0 : (size_t)mine, sizeof *r->extra);
  r->unit_firsts = geodisk_allocate_zero((size_t)r->count + 1, sizeof *r->unit_firsts);
  const geodisk_status st = mpi_agree_memory(t->context, r->share->comm, r->extra && r->unit_firsts, "the units");
  if (st != GEODISK_OK)
    return st;
  if (!edges)
    embed_extra_units(r->offsets, NULL, r->owned, r->extra);
  MPI_Allgather(&mine, 1, MPI_UINT64_T, r->unit_firsts + 1, 1, MPI_UINT64_T, r->share->comm);
  for (int k = 0; k < r->count; k++)
    r->unit_firsts[k + 1] += r->unit_firsts[k];
  return GEODISK_OK;
}

/* What is known from the shares as they were read: what units weigh and how many there are, and the sample. */
static geodisk_status look_at_share(geodisk_trainer *t) {
  const mpi_share *s = ranks_of(t)->share;
  const geodisk_graph_rows rows = {s->offsets, s->targets, s->weights};
  t->most_weight = embed_heaviest_unit(t, &rows, s->owned);
  MPI_Allreduce(MPI_IN_PLACE, &t->most_weight, 1, MPI_DOUBLE, MPI_MAX, s->comm);
  if (t->options.units == GEODISK_UNITS_SOURCE)
    t->extras = (size_t)mpi_sum(s->comm, embed_extra_units(s->offsets, NULL, s->owned, NULL));
  return t->is_core ? GEODISK_OK : draw_sample(t);
}

/* Rows by number, from a checkpoint (else NULL) or placed by the hierarchy, go to their places; others are placed there. */
static geodisk_status place_points(geodisk_trainer *t, void *loaded) {
  ranks *r = ranks_of(t);
  const bool ordered = embed_ordered_by_tree(&t->options), tree = !loaded && embed_placed_by_tree(&t->options);
  uint32_t *place = ordered ? geodisk_allocate(r->owned, sizeof *place) : NULL;
  char *rows = tree ? geodisk_allocate((size_t)r->owned + 1, row_bytes(t)) : loaded;
  const size_t size = (((size_t)r->owned + (size_t)r->rounds * r->fetch_room) * row_bytes(t) + 127) / 64 * 64 + 64;
  geodisk_status st =
      mpi_agree_memory(t->context, r->share->comm, (!ordered || place) && (!tree || rows), "the points of a share");
  if (st == GEODISK_OK && (tree || ordered))
    st = mpi_share_place(t->context, r->share, &t->options, tree ? rows : NULL, place);
  if (st == GEODISK_OK) {
    t->rows = embed_allocate_rows(size);
    if (t->rows)
      memset(t->rows, 0, (size_t)r->owned * row_bytes(t));
    st = mpi_agree_memory(t->context, r->share->comm, t->rows != NULL, "the points of a share");
  }
  if (st == GEODISK_OK)
    st = ranks_take_places(t, place, rows);
  else
    free(place);
  if (tree)
    free(rows);
  return st;
}

static void warn_of_idle_ranks(const geodisk_trainer *t) {
  const ranks *r = ranks_of(t);
  const epoch_plan plan = embed_plan(t);
  const uint64_t blocks = embed_batch_blocks(&plan);
  if (r->rank == 0 && !t->is_core && blocks < (uint64_t)r->count)
    geodisk_log_event(t->context, GEODISK_LOG_WARNING,
                      "a batch has %llu block%s: so many of the %d ranks find work, the others are idle",
                      (unsigned long long)blocks, blocks == 1 ? "" : "s", r->count);
}

/* Everything after the options are known. */
static geodisk_status create(geodisk_trainer *t, void *rows) {
  geodisk_status st = look_at_share(t);
  if (st != GEODISK_OK)
    return st;
  ranks_plan_rounds(t);
  if ((st = place_points(t, rows)) != GEODISK_OK)
    return st;
  if ((st = number_units(t)) != GEODISK_OK)
    return st;
  if ((t->options.sampling == GEODISK_SAMPLING_DEGREE || t->options.burn_in > 0) && (st = ranks_degree_tables(t)) != GEODISK_OK)
    return st;
  if (t->options.inner > 0.0 && (st = ranks_list_inner(t)) != GEODISK_OK)
    return st;
  if ((st = embed_check_weights(t)) != GEODISK_OK)
    return st;
  warn_of_idle_ranks(t);
  return GEODISK_OK;
}

static geodisk_status new_trainer(geodisk_context *context, mpi_share *share, geodisk_trainer **out) {
  geodisk_trainer *t = geodisk_allocate_zero(1, sizeof *t);
  ranks *r = geodisk_allocate_zero(1, sizeof *r);
  const geodisk_status st = mpi_agree_memory(context, share->comm, t && r, "a trainer");
  if (st != GEODISK_OK) {
    geodisk_free_all(t, r);
    mpi_share_destroy(share);
    return st;
  }
  t->backend = &ranks_backend;
  t->own = r;
  r->share = share;
  r->rank = share->rank;
  r->count = share->ranks;
  r->first = share->first;
  r->owned = share->owned;
  *out = t;
  return GEODISK_OK;
}

/* What only one process can do. */
static geodisk_status check_for_ranks(geodisk_context *context, const geodisk_train_options *o) {
  const struct {
    bool asked;
    const char *text;
  } refused[] = {
      {o->device == GEODISK_DEVICE_CUDA, "ranks compute on their processors, not on a CUDA device"},
      {o->start != NULL, "ranks cannot start from another model: nodes that it does not know are placed one after the other"},
      {o->placement == GEODISK_PLACEMENT_ARCS, "the placement on arcs (recipe entailment) needs the whole graph in one process"},
      {o->placement == GEODISK_PLACEMENT_CONSTRUCTION, "the construction of a tree needs the whole graph in one process"},
  };
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
    if (refused[i].asked)
      return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "%s", refused[i].text);
  return GEODISK_OK;
}

geodisk_status mpi_trainer_of_share(geodisk_context *context, mpi_share *share, const char *resume,
                                    const geodisk_train_options *options, geodisk_trainer **out) {
  checkpoint_found found = {.options = *options};
  graph_facts facts;
  void *rows = NULL;
  geodisk_trainer *t = NULL;
  geodisk_status st = new_trainer(context, share, &t);
  if (st != GEODISK_OK)
    return st;
  if ((st = embed_check_options(context, options)) != GEODISK_OK)
    goto done;
  if ((st = check_for_ranks(context, options)) != GEODISK_OK)
    goto done;
  if (resume && (st = mpi_share_load(context, share, resume, options, &found, &rows)) != GEODISK_OK)
    goto done;
  if ((st = embed_start(context, &found.options, (size_t)share->nodes, (size_t)share->edges, share->mean_weight, t)) !=
      GEODISK_OK)
    goto done;
  if (!resume) {
    if ((st = mpi_share_facts(context, share, &facts)) != GEODISK_OK)
      goto done;
    embed_resolve(&facts, &t->options);
  }
  t->options.device = options->device;                                        /* which no checkpoint remembers */
  snprintf(t->reason, sizeof t->reason, "ranks compute on their processors"); /* what AUTO comes to */
  if ((st = create(t, rows)) == GEODISK_OK && resume)
    embed_go_on(t, &found);
done:
  geodisk_free_all(rows, found.history);
  if (st == GEODISK_OK)
    *out = t;
  else
    geodisk_trainer_destroy(t);
  return st;
}

geodisk_status ranks_create_core(const geodisk_trainer *whole, mpi_share *share, geodisk_trainer **out) {
  const geodisk_train_options options = embed_core_options(&whole->options);
  geodisk_trainer *t = NULL;
  geodisk_status st = new_trainer(whole->context, share, &t);
  if (st != GEODISK_OK)
    return st;
  t->is_core = true;
  if ((st = embed_start(whole->context, &options, (size_t)share->nodes, (size_t)share->edges, share->mean_weight, t)) ==
      GEODISK_OK)
    st = create(t, NULL);
  if (st == GEODISK_OK)
    *out = t;
  else
    geodisk_trainer_destroy(t);
  return st;
}

geodisk_mpi_traffic geodisk_mpi_trainer_traffic(const geodisk_trainer *trainer) { return ranks_of(trainer)->traffic; }

/* share_read.c - an edge list read by all ranks at once. A range of bytes belongs to each; names go to their owners piece by
 * piece and come back as ids, so that a rank keeps 8 bytes for each of its edges and nothing else. When all is read, names get
 * their numbers, and edges go to the ranks that own their children (share_rows.c). */
#include "exchange.h"
#include "name_owners.h"
#include "share_rows.h"

#include <stdlib.h>
#include <string.h>

typedef struct shared_reading {
  geodisk_context *context;
  MPI_Comm comm;
  int rank, ranks;
  const char *path;
  geodisk_graph_read_options options;
  edge_plan plan; /* rank 0's */
  name_owners owners;
  uint64_t next_key;   /* of the next name that is new in its piece */
  graph_builder edges; /* between ids, in the order of the file; no names */
  edge_reader *reader; /* NULL: nothing of the file begins in this rank's range */
  uint64_t stop;       /* where the range ends */
  edge_found found;
  bool broken; /* an exchange failed, on all ranks */
} shared_reading;

/* ---- pieces ----------------------------------------------------------------------------------------------------------- */

/* One round, in which every rank takes part until all are done: *more is false when they are. *first is the first rank that
 * failed, or the number of ranks. */
static void begin_round(const shared_reading *s, bool active, geodisk_status status, bool *more, int *first) {
  const int mine[2] = {status != GEODISK_OK ? s->rank : s->ranks, active ? 0 : 1};
  int all[2];
  MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, s->comm);
  *first = all[0];
  *more = all[1] == 0;
}

/* Names to ids, and the edges between them kept. */
static geodisk_status keep_piece(shared_reading *s, graph_builder *piece) {
  uint32_t *ids = geodisk_allocate(piece->names.count, sizeof *ids);
  geodisk_status status = mpi_agree_memory(s->context, s->comm, ids != NULL, "the names");
  if (status == GEODISK_OK)
    status = owners_identify(&s->owners, &piece->names, s->next_key, ids);
  s->broken = status != GEODISK_OK;
  for (edge_block *block = piece->first; block != NULL && !s->broken; block = block->next)
    for (size_t i = 0; i < block->count; i++) {
      block->children[i] = ids[block->children[i]];
      block->parents[i] = ids[block->parents[i]];
    }
  free(ids);
  if (s->broken || piece->first == NULL)
    return status;
  if (s->edges.last != NULL)
    s->edges.last->next = piece->first;
  else
    s->edges.first = piece->first;
  s->edges.last = piece->last;
  s->edges.edges += piece->edges;
  s->edges.weighted = s->edges.weighted || piece->weighted;
  piece->first = piece->last = NULL;
  piece->edges = 0;
  return status;
}

static geodisk_status take_piece(void *user, graph_builder *piece) {
  shared_reading *s = user;
  bool more;
  int first;
  begin_round(s, true, GEODISK_OK, &more, &first);
  const size_t names = piece->names.count;
  const geodisk_status status = keep_piece(s, piece);
  s->next_key += names;
  if (status == GEODISK_OK && first < s->rank) /* an error earlier in the file: nobody will ask for the rest of it */
    return geodisk_fail(s->context, GEODISK_ERROR_STOPPED, "stopped: rank %d found an error", first);
  return status;
}

/* Reads this rank's range, then serves the others until they are done. */
static geodisk_status read_pieces(shared_reading *s) {
  geodisk_status status = GEODISK_OK;
  if (s->reader != NULL) {
    status = edge_reader_run(s->reader, s->stop);
    s->found = *edge_reader_found(s->reader);
  }
  bool more = !s->broken;
  while (more) {
    int first;
    graph_builder nothing = {.weighted = false};
    begin_round(s, false, status, &more, &first);
    if (more && keep_piece(s, &nothing) != GEODISK_OK)
      more = false;
  }
  if (s->broken && status == GEODISK_OK)
    status = GEODISK_ERROR_MEMORY; /* the text is there */
  return mpi_agree(s->context, s->comm, status);
}

/* ---- ranges ----------------------------------------------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The first byte of rank r's range: an even share of the file, but what rank 0 has read already is not shared. */
static uint64_t range_begin(const shared_reading *s, const edge_beginning *b, int r) {
  const uint64_t even =
      b->size / (uint64_t)s->ranks * (uint64_t)r + b->size % (uint64_t)s->ranks * (uint64_t)r / (uint64_t)s->ranks;
  return larger(r == s->ranks ? b->size : even, b->at);
}

/* Whether a quotation mark is open where this rank's range begins: every rank finds out what its lines do to one that is open and
 * to one that is not. */
static geodisk_status find_open(shared_reading *s, const edge_place *line, uint64_t end, bool *open) {
  unsigned char after[2] = {0, 1}, *all = geodisk_allocate(2 * (size_t)s->ranks, 1);
  geodisk_status status = GEODISK_OK;
  for (int before = 0; before < 2 && line->at < end && status == GEODISK_OK; before++) {
    edge_place place = *line;
    bool state = before == 1;
    status = edge_range_walk(s->context, s->path, &s->plan, end, false, &place, &state);
    after[before] = state;
  }
  if (status == GEODISK_OK && all == NULL)
    status = geodisk_no_memory(s->context, "to read %s", s->path);
  if ((status = mpi_agree(s->context, s->comm, status)) == GEODISK_OK) {
    MPI_Allgather(after, 2, MPI_UNSIGNED_CHAR, all, 2, MPI_UNSIGNED_CHAR, s->comm);
    *open = false;
    for (int r = 0; r < s->rank; r++)
      *open = all[2 * r + *open] != 0;
  }
  free(all);
  return status;
}

/* Where the first record begins in a range. */
static geodisk_status find_record(shared_reading *s, const edge_beginning *b, edge_place *out) {
  const uint64_t begin = range_begin(s, b, s->rank), end = range_begin(s, b, s->rank + 1);
  /* a line begins after a line end: looked for from the byte before the range, which counts as one of it */
  const uint64_t from = begin > b->at ? begin - 1 : begin, to = end > b->at ? end - 1 : end;
  range_count count = {0, false};
  geodisk_status status = edge_range_count(s->context, s->path, from, to, &count);
  if ((status = mpi_agree(s->context, s->comm, status)) != GEODISK_OK)
    return status;
  edge_place place = {from, b->lines + mpi_sum_before(s->comm, count.lines)};
  int quotes = count.quotes && !s->options.no_quotes, any = 0;
  if (to < end && !quotes && !s->options.no_quotes && s->rank == s->ranks - 1) { /* the last byte of the file */
    status = edge_range_count(s->context, s->path, to, end, &count);
    quotes = count.quotes;
  }
  MPI_Allreduce(&quotes, &any, 1, MPI_INT, MPI_MAX, s->comm);
  bool open = false;
  if (status == GEODISK_OK && from < begin)
    status = edge_range_walk(s->context, s->path, &s->plan, begin, false, &place, &open);
  if ((status = mpi_agree(s->context, s->comm, status)) != GEODISK_OK)
    return status;
  open = false;
  if (any && (status = find_open(s, &place, end, &open)) != GEODISK_OK)
    return status;
  if (open && place.at < end)
    status = edge_range_walk(s->context, s->path, &s->plan, end, true, &place, &open);
  *out = place;
  s->stop = end;
  return mpi_agree(s->context, s->comm, status);
}

/* Rank 0 opens the file and says how it begins; then every rank opens its range. */
static geodisk_status open_ranges(shared_reading *s) {
  edge_beginning beginning = {.size = 0};
  geodisk_status status = GEODISK_OK;
  if (s->rank == 0)
    status = edge_reader_open(s->context, s->path, &s->options, take_piece, s, &s->reader, &beginning);
  if ((status = mpi_agree(s->context, s->comm, status)) != GEODISK_OK)
    return status;
  MPI_Bcast(&beginning, (int)sizeof beginning, MPI_BYTE, 0, s->comm);
  s->plan = beginning.plan;
  s->stop = UINT64_MAX;
  if (beginning.size == 0 || s->ranks == 1)
    return GEODISK_OK;
  edge_place place;
  if ((status = find_record(s, &beginning, &place)) != GEODISK_OK)
    return status;
  if (s->rank > 0 && place.at < s->stop)
    status = edge_reader_open_at(s->context, s->path, &s->options, &s->plan, take_piece, s, &place, &s->reader);
  return mpi_agree(s->context, s->comm, status);
}

/* ---- all of it -------------------------------------------------------------------------------------------------------- */

/* What all ranks found together. */
static void add_found(const shared_reading *s, edge_found *out) {
  const geodisk_graph_read_info *i = &s->found.info;
  const uint64_t mine[] = {i->comments,   i->blank_lines,  i->edges_read,       i->self_loops,         i->blank_fields,
                           i->lone_nodes, i->extra_fields, s->found.two_fields, s->found.three_fields, s->found.roots};
  enum { SUMS = sizeof mine / sizeof mine[0], MOSTS = 4 };
  uint64_t all[SUMS], odd[ODD_THINGS], first[ODD_THINGS];
  const uint64_t most[MOSTS] = {i->lines, i->header, i->gzip, s->edges.weighted};
  uint64_t mosts[MOSTS];
  for (int k = 0; k < ODD_THINGS; k++)
    odd[k] = s->found.first_odd[k] != 0 ? s->found.first_odd[k] : UINT64_MAX;
  MPI_Allreduce(mine, all, SUMS, MPI_UINT64_T, MPI_SUM, s->comm);
  MPI_Allreduce(most, mosts, MOSTS, MPI_UINT64_T, MPI_MAX, s->comm);
  MPI_Allreduce(odd, first, ODD_THINGS, MPI_UINT64_T, MPI_MIN, s->comm);
  *out = (edge_found){.two_fields = all[7], .three_fields = all[8], .roots = all[9], .plan = s->plan};
  out->info = (geodisk_graph_read_info){.lines = mosts[0],
                                        .comments = all[0],
                                        .blank_lines = all[1],
                                        .edges_read = all[2],
                                        .self_loops = all[3],
                                        .blank_fields = all[4],
                                        .lone_nodes = all[5],
                                        .extra_fields = all[6],
                                        .missing_weights = mosts[3] != 0 ? all[7] : 0,
                                        .separator = s->plan.separator,
                                        .header = mosts[1] != 0,
                                        .gzip = mosts[2] != 0,
                                        .weighted = mosts[3] != 0};
  for (int k = 0; k < ODD_THINGS; k++)
    out->first_odd[k] = first[k] != UINT64_MAX ? first[k] : 0;
}

static geodisk_status make_share(shared_reading *s, const edge_found *found, mpi_share **out) {
  mpi_share *share = NULL;
  geodisk_status status = owners_number(&s->owners, &share);
  if (status != GEODISK_OK)
    return status;
  share->info = found->info;
  status = share_rows_fill(s->context, share, &s->owners, &s->edges, found->info.weighted);
  if (status == GEODISK_OK)
    *out = share;
  else
    mpi_share_destroy(share);
  return status;
}

geodisk_status mpi_share_read(geodisk_context *context, MPI_Comm comm, const char *path,
                              const geodisk_graph_read_options *options, mpi_share **out) {
  shared_reading s = {.context = context, .comm = comm, .path = path};
  MPI_Comm_rank(comm, &s.rank);
  MPI_Comm_size(comm, &s.ranks);
  if (options != NULL)
    s.options = *options;
  if (s.options.strict)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED,
                        "%s: strict reading is not offered on many ranks: check the graph in one process", path);
  s.next_key = (uint64_t)s.rank << 48;
  mpi_share *share = NULL;
  edge_found found;
  geodisk_status status = owners_create(context, comm, &s.owners);
  if (status == GEODISK_OK)
    status = open_ranges(&s);
  if (status == GEODISK_OK)
    status = read_pieces(&s);
  edge_reader_close(s.reader);
  if (status == GEODISK_OK) {
    add_found(&s, &found);
    if (mpi_sum(comm, s.owners.names.count) == 0)
      status = edge_fail_empty(context, strcmp(path, "-") == 0 ? "standard input" : path, &found);
  }
  if (status == GEODISK_OK)
    status = make_share(&s, &found, &share);
  builder_free(&s.edges);
  owners_free(&s.owners);
  if (status != GEODISK_OK)
    return status;
  found.info = share->info;
  if (s.rank == 0)
    edge_report(context, strcmp(path, "-") == 0 ? "standard input" : path, &found);
  *out = share;
  return GEODISK_OK;
}

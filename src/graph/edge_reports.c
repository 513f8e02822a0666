/* edge_reports.c - what a reader of edges says about what it found: counts of odd things, and that there was nothing. */
#include "ranges.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

geodisk_status edge_fail_empty(geodisk_context *context, const char *label, const edge_found *found) {
  return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: there is no edge in it (lines: %" PRIu64 ", all %s)", label,
                      found->info.lines,
                      found->info.blank_fields > 0 ? "with a blank field"
                      : found->info.header         ? "comments or blank but for the header"
                                                   : "comments or blank");
}

typedef struct reporter {
  geodisk_context *context;
  const char *label;
  const edge_found *found;
} reporter;

static void report(const reporter *r, odd_thing thing, uint64_t count, const char *what) {
  if (count > 0)
    geodisk_log_event(r->context, GEODISK_LOG_WARNING, "%s: %s: %" PRIu64 " (first at line %" PRIu64 ")", r->label, what, count,
                      r->found->first_odd[thing]);
}

void edge_report(geodisk_context *context, const char *label, const edge_found *found) {
  const geodisk_graph_read_info *info = &found->info;
  const reporter r = {context, label, found};
  report(&r, ODD_SELF_LOOP, info->self_loops, "self-loops left out");
  report(&r, ODD_BLANK, info->blank_fields, "lines with a blank field, left out, or weight 1 where only the weight is blank");
  report(&r, ODD_LONE, info->lone_nodes, "lines of one field, taken as nodes without an edge, unless the separator is wrong");
  report(&r, ODD_EXTRA, info->extra_fields,
         found->plan.third_ignored ? "lines with a third field that is no number, ignored with what follows it"
                                   : "lines with more than three fields, the rest of them ignored");
  if (info->missing_weights > 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING, "%s: lines without a weight, taken as 1: %" PRIu64, label,
                      info->missing_weights);
  if (info->duplicates > 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING, "%s: duplicate edges left out: %" PRIu64, label, info->duplicates);
  if (found->plan.hint[0] != 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING, "%s: %s", label, found->plan.hint);
  char text[400], comments[48] = "";
  plan_text(&found->plan, text, sizeof text - 80);
  if (found->roots > 0)
    snprintf(text + strlen(text), 80, "; lines without a parent, taken as roots: %" PRIu64, found->roots);
  if (info->comments > 0)
    snprintf(comments, sizeof comments, "%scomment lines: %" PRIu64, text[0] != 0 ? "; " : "", info->comments);
  if (text[0] != 0 || comments[0] != 0)
    geodisk_log_event(context, GEODISK_LOG_INFO, "%s: %s%s", label, text, comments);
}

/* judge.c - the ranks of a trainer's points as they are: counted where they were trained, to the same figures. */
#include "trials.h"

geodisk_status geodisk_auto_judge(geodisk_context *context, const geodisk_graph *graph, geodisk_trainer *trainer, bool exact,
                                  geodisk_ranking *out) {
  const size_t nodes = geodisk_graph_nodes(graph);
  const geodisk_ranking_options options = {.sample = exact || nodes <= GEODISK_AUTO_JUDGED ? 0 : GEODISK_AUTO_JUDGED,
                                           .device = geodisk_trainer_device(trainer) == GEODISK_DEVICE_CUDA ? GEODISK_DEVICE_AUTO
                                                                                                            : GEODISK_DEVICE_CPU};
  geodisk_model *model = NULL;
  geodisk_relation *relation = NULL;
  geodisk_eval_points points;
  geodisk_status st = geodisk_trainer_model(trainer, &model);
  if (st == GEODISK_OK)
    st = geodisk_eval_points_of_model(context, model, geodisk_model_space(model), &points);
  if (st == GEODISK_OK)
    st = geodisk_relation_create_plain(context, graph, nodes, &relation);
  if (st == GEODISK_OK)
    st = geodisk_eval_ranking(context, &points, relation, NULL, &options, out);
  geodisk_relation_destroy(relation);
  geodisk_model_destroy(model);
  return st;
}

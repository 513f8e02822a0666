/* embed_tree.c - reads a hierarchy, embeds it, judges the result, asks it something, draws it. */
#include <stdio.h>
#include <stdlib.h>

#include <geodisk/geodisk.h>

static const char edges[] = "child,parent\ndog,mammal\ncat,mammal\nwhale,mammal\ntrout,fish\neel,fish\nmammal,animal\n"
                            "fish,animal\noak,tree\nbirch,tree\ntree,plant\n";

static geodisk_context *context; /* threads, and the text of the last error */

static void must(geodisk_status status) {
  if (status == GEODISK_OK)
    return;
  fprintf(stderr, "%s\n", geodisk_context_error(context));
  exit(1);
}

int main(void) {
  geodisk_graph *direct, *graph; /* what is given; from every node to all its ancestors */
  const geodisk_memory_file file = {"animals", edges, sizeof edges - 1};
  must(geodisk_context_create(0, &context));
  must(geodisk_graph_read_memory(context, &file, NULL, NULL, &direct)); /* geodisk_graph_read: one on disk */
  must(geodisk_graph_closure(context, direct, NULL, &graph));

  geodisk_train_options options = geodisk_train_defaults();
  options.dim = 2;
  geodisk_trainer *trainer;
  geodisk_model *model;
  must(geodisk_trainer_create(context, graph, &options, &trainer));
  must(geodisk_trainer_run(trainer, NULL, NULL));
  must(geodisk_trainer_model(trainer, &model)); /* over the trainer's points; geodisk_model_write saves it */

  geodisk_eval_points points;
  geodisk_relation *ancestors;
  geodisk_ranking figures;
  must(geodisk_eval_points_of_model(context, model, GEODISK_SPACE_HYPERBOLIC, &points));
  must(geodisk_relation_create(context, graph, model, false, NULL, &ancestors));
  must(geodisk_eval_ranking(context, &points, ancestors, NULL, NULL, &figures));
  printf("mean rank of the ancestors %.3f, MAP %.3f\n", figures.mean_rank.value, figures.map.value);

  geodisk_index *index;
  geodisk_neighbour near[2];
  uint32_t dog = 0; /* the first name that was read; geodisk_model_find finds others */
  size_t found;
  must(geodisk_index_create(context, model, GEODISK_SEARCH_AUTO, 1, &index));
  must(geodisk_index_nearest(context, index, &(geodisk_nearest_query){.n = 1, .nodes = &dog, .k = 2}, near, &found));
  printf("near %s: %s, %s\n", geodisk_model_name(model, dog), geodisk_model_name(model, near[0].node),
         geodisk_model_name(model, near[1].node));

  geodisk_scene *scene;
  must(geodisk_scene_create(context, model, graph, NULL, &scene));
  must(geodisk_picture_write(context, scene, "animals.svg", NULL, NULL));

  geodisk_scene_destroy(scene);
  geodisk_index_destroy(index);
  geodisk_relation_destroy(ancestors);
  geodisk_model_destroy(model);
  geodisk_trainer_destroy(trainer);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(direct);
  geodisk_context_destroy(context);
  return 0;
}

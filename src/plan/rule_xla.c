/* XLA_FLAGS: TensorFlow's XLA looks for libdevice below a CUDA directory that a conda environment does not have. */
#include <string.h>

#include "plan/rule.h"
#include "util/file.h"
#include "util/path.h"

static const struct record *tensorflow(struct ruling *ruling)
{
    static const char *const names[] = {"tensorflow", "tensorflow-gpu", "tensorflow-base", NULL};
    const struct record *record = rule_find_record(ruling, RECORD_CONDA, names);
    return record ? record : rule_find_record(ruling, RECORD_PIP, names);
}

/* The directory below the prefix that holds nvvm/libdevice/libdevice.10.bc; NULL. */
static const char *data_directory(struct ruling *ruling)
{
    const struct inventory *inventory = ruling->facts->inventory;
    struct strv places = {0};
    strv_add(ruling->arena, &places, inventory->prefix);
    for (size_t i = 0; i < inventory->targets.n; i++)
        strv_add(ruling->arena, &places,
                 arena_printf(ruling->arena, "%s/targets/%s", inventory->prefix, inventory->targets.v[i]));
    for (size_t i = 0; i < inventory->site_packages.n; i++)
        strv_add(ruling->arena, &places,
                 arena_printf(ruling->arena, "%s/nvidia/cuda_nvcc", inventory->site_packages.v[i]));
    for (size_t i = 0; i < places.n; i++)
        if (file_is_regular(path_join(ruling->arena, places.v[i], "nvvm/libdevice/libdevice.10.bc")))
            return places.v[i];
    return NULL;
}

bool rule_xla(struct ruling *ruling)
{
    if (rule_is_off(ruling, &ruling->config->xla_data_dir))
        return true;
    const struct record *record = tensorflow(ruling);
    if (!record)
        return rule_abstain(ruling, "no TensorFlow is installed, and JAX finds libdevice by itself");
    const char *directory = data_directory(ruling);
    if (!directory)
        return rule_abstain(ruling,
                            "%s is here, but no nvvm/libdevice/libdevice.10.bc; cuda-nvcc-tools would bring one",
                            rule_record_text(ruling, record));
    return rule_op(ruling, OP_DEFAULT, "XLA_FLAGS",
                   arena_printf(ruling->arena, "--xla_gpu_cuda_data_dir=%s", rule_below_prefix(ruling, directory)),
                   "%s looks for libdevice below a CUDA directory, and nvvm/libdevice/libdevice.10.bc is there",
                   rule_record_text(ruling, record));
}

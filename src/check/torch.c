#include "check/toolkit.h"

void check_torch_build(const struct check_input *input, struct result *result)
{
    const struct spec *spec = input->facts->spec;
    struct torch_build torch = {0};
    struct release release;
    inventory_torch(input->arena, input->facts->inventory, &torch);
    if (!torch.present) {
        check_skip(input, result, "torch is not installed");
        return;
    }
    const char *version = torch.version ? torch.version : "?";
    check_evidence(input, result, torch.path, 0, 0, "torch %s, built for CUDA %s",
                   version, torch.cuda ? torch.cuda : "none");
    bool pinned = spec && spec->has_effective;
    if (!torch.cuda && input->allow_unpinned && !pinned) {
        check_pass(input, result, "torch %s is the CPU build, and nothing is pinned", version);
        return;
    }
    if (!torch.cuda) {
        check_fail(input, result, "torch %s is the CPU build", version);
        check_fix(input, result, "where no driver is seen, a solver picks the CPU build: set CONDA_OVERRIDE_CUDA=%s and "
                  "ask for pytorch=*=*cuda*", spec && spec->effective_text ? spec->effective_text : "12.4");
        return;
    }
    bool known = release_parse(str_of(torch.cuda), &release) && spec && spec->has_effective;
    bool by_pip = !torch.record || torch.record->kind == RECORD_PIP;
    if (!known || range_may_hold(&spec->effective, release))
        check_pass(input, result, "torch %s is built for CUDA %s", version, torch.cuda);
    else if (!by_pip && spec->release.major == release.major && spec->release.minor >= release.minor)
        check_pass(input, result, "torch %s is built for CUDA %s and runs with any %d.x from there on", version,
                   torch.cuda, release.major); /* conda-forge's run_exports: >=12.6,<13 */
    else {
        check_fail(input, result, "torch %s is built for CUDA %s, but the pin is %s", version, torch.cuda,
                   spec->effective_text);
        check_fix(input, result, "install the build for the pinned release (pip: torch==X.Y.Z+cuNNN with its index)");
    }
}

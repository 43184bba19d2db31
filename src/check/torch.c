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
    check_evidence(input, result, torch.path, 0, 0, "torch %s, built for CUDA %s",
                   torch.version ? torch.version : "?", torch.cuda ? torch.cuda : "none");
    if (!torch.cuda) {
        check_fail(input, result, "torch %s is the CPU build", torch.version ? torch.version : "?");
        check_fix(input, result, "where no driver is seen, a solver picks the CPU build: set CONDA_OVERRIDE_CUDA=%s and "
                  "ask for pytorch=*=*cuda*", spec && spec->effective_text ? spec->effective_text : "12.4");
        return;
    }
    bool known = release_parse(str_of(torch.cuda), &release) && spec && spec->has_effective;
    bool by_pip = !torch.record || torch.record->kind == RECORD_PIP;
    if (!known || range_may_hold(&spec->effective, release))
        check_pass(input, result, "torch %s is built for CUDA %s", torch.version, torch.cuda);
    else if (!by_pip && spec->release.major == release.major)
        check_pass(input, result, "torch %s is built for CUDA %s and runs with any %d.x from there on", torch.version,
                   torch.cuda, release.major); /* conda-forge's run_exports: >=12.6,<13 */
    else {
        check_fail(input, result, "torch %s is built for CUDA %s, but the pin is %s", torch.version, torch.cuda,
                   spec->effective_text);
        check_fix(input, result, "install the build for the pinned release (pip: torch==%s+cuNNN with its index)",
                  "X.Y.Z");
    }
}

#include <string.h>

#include "check/variables.h"

const char explain_nccl_iface[] =
    "Whether NCCL's variables are spelt as NCCL reads them, and NCCL_SOCKET_IFNAME names an interface that runs here.\n"
    "\n"
    "NCCL reads integers without looking at what stands behind them: true, yes and on mean 0. In a list of interfaces "
    "^ and = "
    "stand once, in front of the whole list, and blanks belong to a name. Where no running interface matches, the job "
    "dies with "
    "\"Bootstrap : no socket interface found\". Variables differ by NCCL release, and a misspelt name is read by "
    "nobody.\n"
    "\n"
    "Mend: unset what you do not need; NCCL finds interfaces by itself. Values that suit one node are a trap on "
    "another.";

const char explain_nccl_ib[] =
    "Whether NCCL's InfiniBand variables fit the ports of this machine.\n"
    "\n"
    "NCCL_IB_DISABLE=true leaves InfiniBand on, since NCCL takes the word for 0; NCCL_IB_DISABLE=1 on a node with an "
    "active port "
    "costs its bandwidth without a word. NCCL_IB_HCA that matches no active port makes NCCL fall back to sockets.\n"
    "\n"
    "Mend: unset them. Without a port NCCL uses sockets by itself, and NCCL_IB_DISABLE=1 changes nothing there.";

static bool is_about_ib(const char *name)
{
    return strncmp(name, "NCCL_IB_", 8) == 0;
}

static void judge_nccl(struct variables *variables, bool about_ib)
{
    for (const char *const *entry = variables->env; entry && *entry; entry++) {
        struct str whole = str_of(*entry);
        const char *name = str_dup(variables->input->arena, str_slice(whole, 0, str_find(whole, '=')));
        if (strncmp(name, "NCCL", 4) == 0 && is_about_ib(name) == about_ib)
            variables_judge_or_point(variables, name);
    }
}

static void matches_interface(struct variables *variables)
{
    const struct machine *machine = variables->input->facts->machine;
    const char *value = variables_get(variables, "NCCL_SOCKET_IFNAME");
    if (!value || machine->nics.n == 0
        || grammar_nccl_names(&variables->grammar, "NCCL_SOCKET_IFNAME", value).level != VALUE_GOOD)
        return;
    for (size_t i = 0; i < machine->nics.n; i++)
        if (machine->nics.v[i].running && grammar_nccl_selects(&variables->grammar, value, machine->nics.v[i].name))
            return;
    variables_warn(variables,
                   "NCCL_SOCKET_IFNAME=%s matches no running interface here: \"Bootstrap : no socket interface "
                   "found\"",
                   value);
}

static const struct ib_port *active_port(const struct machine *machine, const struct grammar *grammar,
                                         const char *value)
{
    for (size_t i = 0; i < machine->infiniband.n; i++)
        if (machine->infiniband.v[i].active
            && (!value || grammar_nccl_selects(grammar, value, machine->infiniband.v[i].device)))
            return &machine->infiniband.v[i];
    return NULL;
}

void check_nccl_iface(const struct check_input *input, struct result *result)
{
    struct variables variables;
    variables_open(&variables, input, result);
    judge_nccl(&variables, false);
    matches_interface(&variables);
    if (variables_get(&variables, "NCCL_P2P_LEVEL") && cstr_eq(variables_get(&variables, "NCCL_P2P_DISABLE"), "1"))
        variables_warn(&variables, "NCCL_P2P_LEVEL is ignored, because NCCL_P2P_DISABLE=1 is set too");
    variables_close(&variables, "NCCL variables");
}

void check_nccl_ib(const struct check_input *input, struct result *result)
{
    struct variables variables;
    const struct machine *machine = input->facts->machine;
    variables_open(&variables, input, result);
    judge_nccl(&variables, true);
    const struct ib_port *port = active_port(machine, &variables.grammar, NULL);
    const char *hca = variables_get(&variables, "NCCL_IB_HCA");
    if (port && cstr_eq(variables_get(&variables, "NCCL_IB_DISABLE"), "1"))
        variables_warn(&variables, "NCCL_IB_DISABLE=1, but port %u of %s is active here and lies idle", port->port,
                       port->device);
    if (port && hca && grammar_nccl_names(&variables.grammar, "NCCL_IB_HCA", hca).level == VALUE_GOOD
        && !active_port(machine, &variables.grammar, hca))
        variables_warn(&variables, "NCCL_IB_HCA=%s matches no active port here: NCCL falls back to sockets", hca);
    variables_close(&variables, "NCCL's InfiniBand variables");
}

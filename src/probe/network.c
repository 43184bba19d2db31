#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"
#include "util/path.h"
#include "util/text.h"

#define NET_DIR "/sys/class/net"
#define INFINIBAND_DIR "/sys/class/infiniband"

enum { FLAG_UP = 0x1, FLAG_REJECT = 0x200 }; /* of a route: linux/route.h, linux/ipv6_route.h */

static bool parse_hex(struct str text, unsigned long *number)
{
    char digits[20], *end;
    if (str_starts(text, "0x"))
        text = str_slice(text, 2, text.n);
    if (text.n == 0 || text.n > 16)
        return false;
    memcpy(digits, text.s, text.n);
    digits[text.n] = '\0';
    if (strspn(digits, "0123456789abcdefABCDEF") != text.n)
        return false;
    *number = strtoul(digits, &end, 16);
    return true;
}

/* The words of a line; how many there were. */
static size_t split(struct str line, struct str *words, size_t most)
{
    size_t n = 0;
    while (n < most && next_word(&line, &words[n]))
        n++;
    return n;
}

/* proc(5): Iface Destination Gateway Flags RefCnt Use Metric Mask … */
static bool is_default_v4(struct str line, struct str *name)
{
    struct str words[8];
    unsigned long destination, flags, mask;
    if (split(line, words, 8) < 8 || !parse_hex(words[1], &destination) || !parse_hex(words[3], &flags)
        || !parse_hex(words[7], &mask))
        return false;
    *name = words[0];
    return destination == 0 && mask == 0 && (flags & FLAG_UP) && !(flags & FLAG_REJECT);
}

/* Destination, its prefix length, source, its prefix length, next hop, metric, references, uses, flags, device. */
static bool is_default_v6(struct str line, struct str *name)
{
    struct str words[10];
    unsigned long length, flags;
    if (split(line, words, 10) < 10 || !parse_hex(words[1], &length) || !parse_hex(words[8], &flags))
        return false;
    *name = words[9];
    return length == 0 && (flags & FLAG_UP) && !(flags & FLAG_REJECT) && !str_eq_c(*name, "lo");
}

static void add_default_routes(struct probe *probe, const char *path, bool (*is_default)(struct str, struct str *),
                               struct strv *names)
{
    struct str rest, line, name;
    if (!probe_file(probe, path, &rest))
        return;
    while (str_cut(&rest, '\n', &line))
        if (is_default(line, &name))
            strv_add(probe->arena, names, str_dup(probe->arena, name));
}

static void read_nic(struct probe *probe, const char *name, const struct strv *defaults)
{
    const char *dir = path_join(probe->arena, NET_DIR, name);
    const char *flags_line = probe_line(probe, path_join(probe->arena, dir, "flags"));
    const char *carrier = probe_line(probe, path_join(probe->arena, dir, "carrier"));
    const char *state = probe_line(probe, path_join(probe->arena, dir, "operstate"));
    unsigned long flags = 0;
    long long speed;
    if (!flags_line && !state)
        return; /* bonding_masters is a file among the interfaces */
    struct nic *nic = vec_add(probe->arena, &probe->machine->nics);
    if (flags_line)
        parse_hex(str_of(flags_line), &flags);
    /* /sys shows the flags without IFF_RUNNING; drivers without operational states say "unknown" (Linux
     * Documentation/networking/operstates.rst). */
    bool unknown_up = state && strcmp(state, "unknown") == 0 && carrier && strcmp(carrier, "1") == 0;
    nic->name = name;
    nic->state = state;
    nic->running = (flags & IFF_UP) && ((state && strcmp(state, "up") == 0) || unknown_up);
    nic->is_virtual = !probe_exists(probe, path_join(probe->arena, dir, "device"));
    nic->has_default_route = strv_find(defaults, name) < defaults->n;
    bool has_speed =
        probe_number(probe, path_join(probe->arena, dir, "speed"), &speed) && speed > 0 && speed < 100000000;
    nic->speed_mbit = has_speed ? (long)speed : -1;
}

static struct nic *find_nic(struct machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->nics.n; i++)
        if (strcmp(machine->nics.v[i].name, name) == 0)
            return &machine->nics.v[i];
    return NULL;
}

static const char *address_text(struct arena *arena, const struct sockaddr *address)
{
    char text[INET6_ADDRSTRLEN];
    const void *bytes = address->sa_family == AF_INET
                            ? (const void *)&((const struct sockaddr_in *)(const void *)address)->sin_addr
                            : (const void *)&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    return inet_ntop(address->sa_family, bytes, text, sizeof text) ? arena_strdup(arena, text) : NULL;
}

static void read_addresses(struct probe *probe)
{
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *each = all; each; each = each->ifa_next) {
        const struct sockaddr *address = each->ifa_addr;
        struct nic *nic = find_nic(probe->machine, each->ifa_name);
        if (!nic || !address || (address->sa_family != AF_INET && address->sa_family != AF_INET6))
            continue;
        const char *text = address_text(probe->arena, address);
        if (text)
            strv_add(probe->arena, &nic->addresses, text);
    }
    freeifaddrs(all);
}

static void read_port(struct probe *probe, const char *device, const char *port)
{
    const char *dir = arena_printf(probe->arena, INFINIBAND_DIR "/%s/ports/%s", device, port);
    long long number;
    if (!parse_decimal(str_of(port), &number) || number > 65535)
        return;
    struct ib_port *ib = vec_add(probe->arena, &probe->machine->infiniband);
    ib->device = device;
    ib->port = (unsigned)number;
    const char *state = probe_line(probe, path_join(probe->arena, dir, "state")); /* "4: ACTIVE" */
    ib->active = state && strncmp(state, "4:", 2) == 0;
    ib->state = state && strstr(state, ": ") ? strstr(state, ": ") + 2 : state;
    ib->link_layer = probe_line(probe, path_join(probe->arena, dir, "link_layer"));
}

void probe_network(struct probe *probe)
{
    struct strv defaults = {0}, names = probe_list(probe, NET_DIR), devices = probe_list(probe, INFINIBAND_DIR);
    add_default_routes(probe, "/proc/net/route", is_default_v4, &defaults);
    add_default_routes(probe, "/proc/net/ipv6_route", is_default_v6, &defaults);
    for (size_t i = 0; i < names.n; i++)
        read_nic(probe, names.v[i], &defaults);
    if (probe->is_real)
        read_addresses(probe);
    for (size_t i = 0; i < devices.n; i++) {
        struct strv ports = probe_list(probe, arena_printf(probe->arena, INFINIBAND_DIR "/%s/ports", devices.v[i]));
        for (size_t j = 0; j < ports.n; j++)
            read_port(probe, devices.v[i], ports.v[j]);
    }
}

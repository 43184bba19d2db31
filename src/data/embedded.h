/* The TSV files as the build compiled them in (src/data/embed.awk). */
#ifndef CONDAGPU_DATA_EMBEDDED_H
#define CONDAGPU_DATA_EMBEDDED_H

struct embedded {
    const char *name; /* without .tsv; NULL behind the last */
    const char *text;
};

extern const struct embedded embedded_tables[];

#endif

/* Harrell's concordance index of many configurations on many draws, in integers.
 *
 * A pair of rows (i, j) can be compared if i had the event and j was then still at risk:
 * time_j > time_i, or time_j = time_i and j was censored (it lived longer than i). Two events at
 * the same time cannot be compared, nor can anybody with who was censored before. The pair is
 * concordant if i had the higher risk, and one half so if the risks are equal. With weights w,
 *
 *     concordance = (size - deficit) / size,
 *     size = 2 * sum over comparable pairs of w_i w_j,
 *     deficit = sum over events i of w_i * (2 * weight of those at risk with a higher risk
 *                                             + weight of those with an equal one).
 *
 * The rows leave the risk set in the order of time. The set is kept in the order of predicted
 * risk, highest first, with sums in a Fenwick tree over leaves of LEAF slots, so that leaving
 * and asking take O(log n_rows) additions, each for all lanes at once. Every comparison of
 * indices is the same for all lanes, and what is prepared is a few integers per row. Early
 * events are compared with the most rows, so a configuration that falls behind does so soon;
 * it is given up once its deficit exceeds the best one in every lane.
 */
#include "../kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64, LEAF = 8, CHECK_EVERY = 32 };

/* Rows that leave at the same time, events first. */
typedef struct {
    uint32_t n_events, n_censored;
} moment;

/* Places of the rows of one configuration in descending order of risk; rows by time. */
typedef struct {
    uint32_t *slot; /* (n_rows,) slots of equal risks in the order of time */
    uint32_t *stop; /* (n_rows,) end of the slots with the same risk; NULL if there are no ties */
    int undefined;  /* a risk is NaN */
} ranking;

typedef struct {
    program base;
    uint32_t *offsets; /* (n_rows,) row * LANES in the order of time, events first */
    moment *moments;   /* up to the last with an event */
    size_t n_moments, n_nodes;
    ranking *rankings;
    uint32_t *order; /* defined configurations, best on the undrawn rows first */
    size_t n_defined;
} concordance_program;

static void destroy(program *p)
{
    concordance_program *a = (concordance_program *)p;
    for (size_t c = 0; a->rankings && c < p->n_configs; c++) {
        release(a->rankings[c].slot);
        release(a->rankings[c].stop);
    }
    release(a->offsets);
    release(a->moments);
    release(a->rankings);
    release(a->order);
    release(a);
}

/* ---- preparation ---- */

/* Orders the rows by time, events before censored rows, and finds the moments. */
static int order_by_time(concordance_program *a, const double *time, const uint8_t *event)
{
    size_t n = a->base.n_rows, n_moments = 0;
    sorter *s = sorter_new(n);
    uint32_t *order = allocate((n + 1) * sizeof *order);
    a->offsets = allocate((n + 1) * sizeof *a->offsets);
    a->moments = allocate((n + 1) * sizeof *a->moments);
    if (!s || !order || !a->offsets || !a->moments) {
        sorter_free(s);
        release(order);
        return NO_MEMORY;
    }
    sort_values(s, time, order);
    for (size_t i = 0, stop, k = 0; i < n; i = stop) {
        moment *m = a->moments + n_moments++;
        *m = (moment){0, 0};
        for (stop = i; stop < n && time[order[stop]] == time[order[i]]; stop++)
            if (event[order[stop]]) {
                a->offsets[k++] = order[stop] * LANES;
                m->n_events++;
            }
        for (size_t j = i; j < stop; j++)
            if (!event[order[j]]) {
                a->offsets[k++] = order[j] * LANES;
                m->n_censored++;
            }
        if (m->n_events > 0) a->n_moments = n_moments;
    }
    sorter_free(s);
    release(order);
    return DONE;
}

static int rank_config(concordance_program *a, const score_table *risk, size_t config, sorter *s,
    double *values, uint32_t *order)
{
    size_t n = a->base.n_rows, n_groups = 0;
    ranking *r = a->rankings + config;
    const char *data = risk->data + (ptrdiff_t)config * risk->config_stride;
    for (size_t k = 0; k < n; k++) {
        ptrdiff_t row = a->offsets[k] / LANES;
        values[k] = score_at(data + row * risk->row_stride, risk->single);
        r->undefined |= isnan(values[k]) != 0;
        values[k] = -values[k]; /* descending */
    }
    if (r->undefined) return DONE;
    a->order[a->n_defined++] = (uint32_t)config;
    sort_values(s, values, order);
    r->slot = allocate((n + 1) * sizeof *r->slot);
    if (!r->slot) return NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        r->slot[order[i]] = (uint32_t)i;
        n_groups += i == 0 || values[order[i]] != values[order[i - 1]];
    }
    a->base.nbytes += n * sizeof *r->slot;
    if (n_groups == n) return DONE;
    r->stop = allocate((n + 1) * sizeof *r->stop);
    if (!r->stop) return NO_MEMORY;
    for (size_t i = 0, stop; i < n; i = stop) {
        for (stop = i; stop < n && values[order[stop]] == values[order[i]];) stop++;
        for (size_t j = i; j < stop; j++) r->stop[order[j]] = (uint32_t)stop;
    }
    a->base.nbytes += n * sizeof *r->stop;
    return DONE;
}

static int rank_all(concordance_program *a, const score_table *risk)
{
    size_t n = a->base.n_rows;
    sorter *s = sorter_new(n);
    double *values = allocate((n + 1) * sizeof *values);
    uint32_t *order = allocate((n + 1) * sizeof *order);
    int result = s && values && order ? DONE : NO_MEMORY;
    for (size_t c = 0; c < risk->n_configs && result == DONE; c++)
        result = rank_config(a, risk, c, s, values, order);
    sorter_free(s);
    release(values);
    release(order);
    return result;
}

/* Orders the configurations by their concordance when every row counts once. */
static int order_configs(concordance_program *a)
{
    size_t n_configs = a->base.n_configs;
    uint8_t *ones = allocate(a->base.n_rows + 1);
    int64_t *all = allocate((n_configs + 1) * sizeof *all);
    double *losses = allocate((n_configs + 1) * sizeof *losses);
    int result = ones && all && losses ? DONE : NO_MEMORY;
    if (result == DONE) {
        memset(ones, 1, a->base.n_rows);
        counts_table counts = {ones, 1, 1, a->base.n_rows, 1};
        for (size_t c = 0; c < n_configs; c++) all[c] = (int64_t)c;
        result = run_configs(&a->base, &counts, all, n_configs, LOSSES, losses);
    }
    if (result == DONE) result = best_first(losses, a->order, a->n_defined);
    release(ones);
    release(all);
    release(losses);
    return result;
}

static int prepare(program *p, unsigned largest)
{
    (void)p, (void)largest; /* nothing depends on the counts */
    return DONE;
}

/* ---- running ---- */

typedef struct {
    int64_t pairs[LANES]; /* twice the weight of the comparable pairs */
    enum { SMALL, MEDIUM, LARGE } size; /* of the numbers, see below */
    void *counts, *at_risk, *tree; /* (n_rows or so, LANES), see concordance_kernel.h */
} workspace;

static size_t size_of_rows(size_t n_rows)
{
    return (n_rows * LANES * sizeof(double) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t scratch_size(const program *p)
{
    const concordance_program *a = (const concordance_program *)p;
    size_t n_slots = a->n_nodes * LEAF;
    return size_of_rows(1) + sizeof(workspace) + size_of_rows(p->n_rows) + size_of_rows(n_slots)
           + size_of_rows(a->n_nodes + 1);
}

/* Pairs of a block, and its counts in the order of time, as numbers of the block's size. */
#define START(COUNT)                                                                        \
    static void start_##COUNT(                                                              \
        const concordance_program *a, const COUNT *counts, const uint64_t *total, workspace *w) \
    {                                                                                       \
        uint32_t at_risk[LANES];                                                            \
        for (int l = 0; l < LANES; l++) at_risk[l] = (uint32_t)total[l];                    \
        const uint32_t *offset = a->offsets;                                                \
        for (const moment *m = a->moments; m < a->moments + a->n_moments; m++) {            \
            uint32_t events[LANES] = {0}, censored[LANES] = {0};                            \
            for (uint32_t i = 0; i < m->n_events; i++, offset++)                            \
                for (int l = 0; l < LANES; l++) events[l] += counts[*offset + (size_t)l];   \
            for (uint32_t i = 0; i < m->n_censored; i++, offset++)                          \
                for (int l = 0; l < LANES; l++) censored[l] += counts[*offset + (size_t)l]; \
            for (int l = 0; l < LANES; l++) {                                               \
                at_risk[l] -= events[l];                                                    \
                w->pairs[l] += 2 * (int64_t)events[l] * at_risk[l];                         \
                at_risk[l] -= censored[l];                                                  \
            }                                                                               \
        }                                                                                   \
        uint16_t *small = w->counts;                                                        \
        double *large = w->counts;                                                          \
        for (size_t k = 0; k < a->base.n_rows; k++) {                                       \
            const COUNT *row = counts + a->offsets[k];                                      \
            if (w->size == LARGE)                                                           \
                for (int l = 0; l < LANES; l++) large[k * LANES + (size_t)l] = row[l];      \
            else                                                                            \
                for (int l = 0; l < LANES; l++) small[k * LANES + (size_t)l] = row[l];      \
        }                                                                                   \
    }
START(uint8_t)
START(uint16_t)

static int begin(const program *p, const block *b, void *scratch)
{
    const concordance_program *a = (const concordance_program *)p;
    workspace *w = scratch;
    char *memory = (char *)scratch + (sizeof *w + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    w->counts = memory;
    w->at_risk = memory += size_of_rows(p->n_rows);
    w->tree = memory + size_of_rows(a->n_nodes * LEAF);

    uint64_t total[LANES];
    sum_rows(b, LANES, a->offsets, p->n_rows, total);
    w->size = HAVE_VECTORS ? SMALL : LARGE;
    for (int l = 0; l < LANES; l++) {
        if (total[l] > MAX_TOTAL) return TOO_LARGE;
        if (total[l] * b->largest > UINT16_MAX && w->size == SMALL) w->size = MEDIUM;
        if (total[l] * total[l] > INT32_MAX) w->size = LARGE;
        w->pairs[l] = 0;
    }
    if (b->narrow)
        start_uint8_t(a, b->narrow, total, w);
    else
        start_uint16_t(a, b->wide, total, w);
    return DONE;
}

#if HAVE_VECTORS
typedef uint16_t vector16 __attribute__((vector_size(16), may_alias));
typedef uint32_t vector32 __attribute__((vector_size(16), may_alias));

/* Cells of eight lanes of 16 bits. The deficits are below 2^31 and those of the lanes at even
 * and odd places are kept apart. SMALL: the products fit 16 bits. */
static ALWAYS_INLINE void add_products_16(vector32 *lost, const vector16 *x, const vector16 *y)
{
    for (int c = 0; c < LANES / 8; c++) {
        vector32 product = (vector32)(x[c] * y[c]);
        lost[2 * c] += product & 0xffff;
        lost[2 * c + 1] += product >> 16;
    }
}

/* MEDIUM: the factors fit 16 bits, the products need 32. */
static ALWAYS_INLINE void add_products_32(vector32 *lost, const vector16 *x, const vector16 *y)
{
    for (int c = 0; c < LANES / 8; c++) {
        vector32 a = (vector32)x[c], b = (vector32)y[c];
        lost[2 * c] += (a & 0xffff) * (b & 0xffff);
        lost[2 * c + 1] += (a >> 16) * (b >> 16);
    }
}

#define CELL vector16
#define N_CELLS (LANES / 8)
#define LOST vector32
#define N_LOST (LANES / 4)
#define LOST_OF(lost, l) ((lost)[(l) / 8 * 2 + (l) % 2][(l) % 8 / 2])

#define METHOD(name) small_##name
#define ADD_PRODUCT add_products_16
#include "concordance_kernel.h"
#undef METHOD
#undef ADD_PRODUCT

#define METHOD(name) medium_##name
#define ADD_PRODUCT add_products_32
#include "concordance_kernel.h"
#undef METHOD
#undef ADD_PRODUCT

#undef CELL
#undef N_CELLS
#undef LOST
#undef N_LOST
#undef LOST_OF
#endif

/* LARGE: whole numbers below 2^53, exact in a double. Any counts, any compiler. */
static ALWAYS_INLINE void add_products_double(double *lost, const double *x, const double *y)
{
    for (int c = 0; c < LANES; c++) lost[c] += x[c] * y[c];
}

#define METHOD(name) large_##name
#define CELL double
#define N_CELLS LANES
#define LOST double
#define N_LOST LANES
#define LOST_OF(lost, l) ((lost)[l])
#define ADD_PRODUCT add_products_double
#include "concordance_kernel.h"

static int deficits(const concordance_program *a, workspace *w, size_t config, const int64_t *best,
    int64_t *deficit)
{
    const ranking *r = a->rankings + config;
#if HAVE_VECTORS
    if (w->size == SMALL) return small_deficits(a, r, w, best, deficit);
    if (w->size == MEDIUM) return medium_deficits(a, r, w, best, deficit);
#endif
    return large_deficits(a, r, w, best, deficit);
}

static void winners(const program *p, const block *b, void *scratch, int64_t *out)
{
    const concordance_program *a = (const concordance_program *)p;
    workspace *w = scratch;
    int64_t best[LANES], deficit[LANES] = {0}, winner[LANES];
    for (int l = 0; l < LANES; l++) {
        /* An undefined draw must not keep a configuration alive: no deficit is small enough. */
        best[l] = w->pairs[l] > 0 ? INT64_MAX : -1;
        winner[l] = -1;
    }
    for (size_t k = 0; k < a->n_defined; k++) {
        int64_t config = a->order[k];
        if (!deficits(a, w, (size_t)config, best, deficit)) continue;
        for (int l = 0; l < LANES; l++)
            if (deficit[l] < best[l] || (deficit[l] == best[l] && config < winner[l])) {
                best[l] = deficit[l];
                winner[l] = config;
            }
    }
    memcpy(out, winner, (size_t)b->n_draws * sizeof *out);
}

static void loss(const program *p, const block *b, void *scratch, size_t config, double *lost)
{
    const concordance_program *a = (const concordance_program *)p;
    int64_t best[LANES], deficit[LANES] = {0};
    (void)b;
    for (int l = 0; l < LANES; l++) best[l] = INT64_MAX; /* to the end */
    int undefined = a->rankings[config].undefined;
    if (!undefined) deficits(a, scratch, config, best, deficit);
    for (int l = 0; l < LANES; l++) lost[l] = undefined ? NAN : (double)deficit[l];
}

static void sizes(const program *p, const block *b, void *scratch, double *size)
{
    const workspace *w = scratch;
    (void)p, (void)b;
    for (int l = 0; l < LANES; l++) size[l] = (double)w->pairs[l];
}

static const kernel concordance_kernel = {
    .name = "concordance",
    .lanes = LANES,
    .prepare = prepare,
    .scratch_size = scratch_size,
    .begin = begin,
    .winners = winners,
    .loss = loss,
    .sizes = sizes,
    .destroy = destroy,
};

program *concordance_new(
    const score_table *risk, const double *time, const uint8_t *event, int *error)
{
    concordance_program *a = allocate(sizeof *a);
    *error = NO_MEMORY;
    if (!a) return NULL;
    memset(a, 0, sizeof *a);
    a->base.kernel = &concordance_kernel;
    a->base.n_configs = risk->n_configs;
    a->base.n_rows = risk->n_rows;
    a->n_nodes = (risk->n_rows + LEAF - 1) / LEAF;
    a->order = allocate((risk->n_configs + 1) * sizeof *a->order);
    a->rankings = allocate((risk->n_configs + 1) * sizeof *a->rankings);
    if (a->rankings) memset(a->rankings, 0, risk->n_configs * sizeof *a->rankings);
    if (a->order && a->rankings) *error = order_by_time(a, time, event);
    if (*error == DONE) *error = rank_all(a, risk);
    if (*error == DONE) *error = order_configs(a);
    if (*error == DONE) return &a->base;
    destroy(&a->base);
    return NULL;
}

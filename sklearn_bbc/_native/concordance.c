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
#include "kernel.h"

enum { LANES = 64, LEAF = 8, CHECK_EVERY = 32 };

/* Rows that leave at the same time, events first. */
typedef struct {
    uint32_t n_events, n_censored;
} moment;

/* Places of the rows of one configuration in descending order of risk; rows by time. */
typedef struct {
    uint32_t *slot; /* (n_rows,) slots of equal risks in the order of time */
    uint32_t *stop; /* (n_rows,) end of the slots with the same risk; NULL if there are no ties */
} ranking;

typedef struct {
    program base;
    uint32_t *offsets; /* (n_rows,) row * LANES in the order of time, events first */
    moment *moments;   /* up to the last with an event */
    size_t n_moments, n_nodes;
    ranking *rankings;
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
    program_close(p);
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
        a->base.undefined[config] |= isnan(values[k]) != 0;
        values[k] = -values[k]; /* descending */
    }
    if (a->base.undefined[config]) return DONE;
    a->base.order[a->base.n_defined++] = (uint32_t)config;
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
static int order_configs(program *p)
{
    uint8_t *ones = allocate(p->n_rows + 1);
    int64_t *all = allocate((p->n_configs + 1) * sizeof *all);
    double *losses = allocate((p->n_configs + 1) * sizeof *losses), size;
    int result = ones && all && losses ? DONE : NO_MEMORY;
    if (result == DONE) {
        memset(ones, 1, p->n_rows);
        counts_table counts = {ones, 1, 1, 1, p->n_rows};
        for (size_t c = 0; c < p->n_configs; c++) all[c] = (int64_t)c;
        result = program_losses(p, &counts, all, p->n_configs, losses, &size);
    }
    if (result == DONE) result = best_first(losses, p->order, p->n_defined);
    release(ones);
    release(all);
    release(losses);
    return result;
}

/* ---- running ---- */

typedef struct {
    int64_t pairs[LANES]; /* twice the weight of the comparable pairs */
    int small; /* sums fit 16 bits and products 32: no total is above 46,340 */
    void *counts, *at_risk, *tree; /* (n_rows or so, LANES), see concordance_kernel.h */
} workspace;

static size_t size_of_rows(size_t n_rows)
{
    return (n_rows * LANES * sizeof(double) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t scratch_size(const program *p)
{
    const concordance_program *a = (const concordance_program *)p;
    return size_of_rows(1) + sizeof(workspace) + size_of_rows(p->n_rows)
        + size_of_rows(a->n_nodes * LEAF) + size_of_rows(a->n_nodes + 1);
}

/* Fills in the pairs of a block, and its counts in the order of time. */
static int begin(const program *p, block *b, void *scratch)
{
    const concordance_program *a = (const concordance_program *)p;
    workspace *w = scratch;
    char *memory = (char *)scratch + (sizeof *w + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    w->counts = memory;
    w->at_risk = memory += size_of_rows(p->n_rows);
    w->tree = memory + size_of_rows(a->n_nodes * LEAF);

    uint64_t total[LANES];
    uint32_t at_risk[LANES];
    sum_rows(b, LANES, a->offsets, p->n_rows, total);
    w->small = 1;
    for (int l = 0; l < LANES; l++) {
        if (total[l] > MAX_TOTAL) return TOO_LARGE;
        w->small &= total[l] * total[l] <= INT32_MAX;
        w->pairs[l] = 0;
        at_risk[l] = (uint32_t)total[l];
    }
    const uint32_t *offset = a->offsets;
    for (const moment *m = a->moments; m < a->moments + a->n_moments; m++) {
        uint32_t events[LANES] = {0}, censored[LANES] = {0};
        for (uint32_t i = 0; i < m->n_events; i++, offset++)
            for (int l = 0; l < LANES; l++) events[l] += b->wide[*offset + (size_t)l];
        for (uint32_t i = 0; i < m->n_censored; i++, offset++)
            for (int l = 0; l < LANES; l++) censored[l] += b->wide[*offset + (size_t)l];
        for (int l = 0; l < LANES; l++) {
            at_risk[l] -= events[l];
            w->pairs[l] += 2 * (int64_t)events[l] * at_risk[l];
            at_risk[l] -= censored[l];
        }
    }
    for (int l = 0; l < LANES; l++) b->size[l] = (double)w->pairs[l];
    uint16_t *small = w->counts;
    double *large = w->counts;
    for (size_t k = 0; k < p->n_rows; k++)
        for (size_t l = 0; l < LANES; l++)
            if (w->small)
                small[k * LANES + l] = b->wide[a->offsets[k] + l];
            else
                large[k * LANES + l] = b->wide[a->offsets[k] + l];
    return DONE;
}

#define METHOD(name) small_##name
#define CELL uint16_t
#define LOST uint32_t
#include "concordance_kernel.h"
#undef METHOD
#undef CELL
#undef LOST

/* Whole numbers below 2^53, exact in a double. */
#define METHOD(name) large_##name
#define CELL double
#define LOST double
#include "concordance_kernel.h"

static int deficits(const concordance_program *a, workspace *w, size_t config, const int64_t *best,
    int64_t *deficit)
{
    return (w->small ? small_deficits : large_deficits)(a, a->rankings + config, w, best, deficit);
}

static void winners(const program *p, const block *b, void *scratch, int64_t *limit, int64_t *out)
{
    const concordance_program *a = (const concordance_program *)p;
    workspace *w = scratch;
    int64_t best[LANES], deficit[LANES] = {0}, winner[LANES];
    (void)limit;
    for (int l = 0; l < LANES; l++) {
        /* An undefined draw must not keep a configuration alive: no deficit is small enough. */
        best[l] = w->pairs[l] > 0 ? INT64_MAX : -1;
        winner[l] = -1;
    }
    for (size_t k = 0; k < p->n_defined; k++) {
        int64_t config = p->order[k];
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
    int64_t best[LANES], deficit[LANES] = {0};
    (void)b;
    for (int l = 0; l < LANES; l++) best[l] = INT64_MAX; /* to the end */
    deficits((const concordance_program *)p, scratch, config, best, deficit);
    for (int l = 0; l < LANES; l++) lost[l] = (double)deficit[l];
}

static const kernel concordance_kernel = {
    .lanes = LANES,
    .narrow_up_to = -1,
    .scratch_size = scratch_size,
    .begin = begin,
    .winners = winners,
    .loss = loss,
    .destroy = destroy,
};

EXPORT program *concordance_new(const score_table *risk, const double *time, const uint8_t *event)
{
    concordance_program *a = allocate(sizeof *a);
    if (!a) return NULL;
    memset(a, 0, sizeof *a);
    a->n_nodes = (risk->n_rows + LEAF - 1) / LEAF;
    int result = program_open(&a->base, &concordance_kernel, risk->n_configs, risk->n_rows);
    a->rankings = allocate((risk->n_configs + 1) * sizeof *a->rankings);
    if (!a->rankings) result = NO_MEMORY;
    if (result == DONE) {
        memset(a->rankings, 0, risk->n_configs * sizeof *a->rankings);
        memset(a->base.undefined, 0, risk->n_configs);
        result = order_by_time(a, time, event);
    }
    if (result == DONE) result = rank_all(a, risk);
    if (result == DONE) result = order_configs(&a->base);
    if (result == DONE) return &a->base;
    destroy(&a->base);
    return NULL;
}

/* Running a program over a table of counts, block by block: the same for all kernels. */
#include "kernel.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    double loss;
    uint32_t config;
} ranked;

static int by_loss(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    if (a->loss != b->loss) return a->loss < b->loss ? -1 : 1;
    return a->config < b->config ? -1 : 1;
}

int best_first(const double *loss, uint32_t *order, size_t n)
{
    ranked *all = allocate((n + 1) * sizeof *all);
    if (!all) return NO_MEMORY;
    for (size_t i = 0; i < n; i++) all[i] = (ranked){loss[order[i]], order[i]};
    qsort(all, n, sizeof *all, by_loss);
    for (size_t i = 0; i < n; i++) order[i] = all[i].config;
    release(all);
    return DONE;
}

typedef struct {
    block block;
    void *counts, *scratch;
    int narrow;
} runner;

static int runner_open(runner *r, const program *p, const counts_table *counts)
{
    size_t lanes = (size_t)p->kernel->lanes;
    r->block.largest = largest_count(counts);
    r->narrow = r->block.largest <= UINT8_MAX;
    r->counts = allocate((p->n_rows + 1) * lanes * (r->narrow ? 1 : sizeof(uint16_t)));
    r->scratch = allocate(p->kernel->scratch_size(p));
    return r->counts && r->scratch ? DONE : NO_MEMORY;
}

static void runner_close(runner *r)
{
    release(r->counts);
    release(r->scratch);
}

static int runner_load(runner *r, const program *p, const counts_table *counts, size_t first)
{
    load_block(counts, first, p->kernel->lanes, r->narrow, r->counts, &r->block);
    return p->kernel->begin(p, &r->block, r->scratch);
}

int run_winners(const program *p, const counts_table *counts, int64_t *out)
{
    runner r;
    int result = runner_open(&r, p, counts);
    size_t lanes = (size_t)p->kernel->lanes;
    for (size_t first = 0; first < counts->n_draws && result == DONE; first += lanes) {
        result = runner_load(&r, p, counts, first);
        if (result == DONE) p->kernel->winners(p, &r.block, r.scratch, out + first);
    }
    runner_close(&r);
    return result;
}

/* What is wanted of one configuration in the draws of the loaded block. */
static void evaluate(runner *r, const program *p, size_t config, quantity what, double *values)
{
    double sizes[MAX_LANES];
    p->kernel->loss(p, &r->block, r->scratch, config, values);
    if (what == LOSSES) return;
    p->kernel->sizes(p, &r->block, r->scratch, sizes);
    for (int l = 0; l < r->block.n_draws; l++)
        values[l] = sizes[l] > 0 ? (sizes[l] - values[l]) / sizes[l] : NAN;
}

int run_configs(const program *p, const counts_table *counts, const int64_t *configs,
    size_t n_chosen, quantity what, double *out)
{
    runner r;
    int result = runner_open(&r, p, counts);
    size_t lanes = (size_t)p->kernel->lanes;
    for (size_t first = 0; first < counts->n_draws && result == DONE; first += lanes) {
        result = runner_load(&r, p, counts, first);
        for (size_t k = 0; k < n_chosen && result == DONE; k++) {
            double values[MAX_LANES];
            evaluate(&r, p, (size_t)configs[k], what, values);
            for (int l = 0; l < r.block.n_draws; l++)
                out[(first + (size_t)l) * n_chosen + k] = values[l];
        }
    }
    runner_close(&r);
    return result;
}

int run_pairs(const program *p, const counts_table *counts, const int64_t *configs, quantity what,
    double *out)
{
    runner r;
    int result = runner_open(&r, p, counts);
    size_t lanes = (size_t)p->kernel->lanes;
    for (size_t first = 0; first < counts->n_draws && result == DONE; first += lanes) {
        result = runner_load(&r, p, counts, first);
        if (result != DONE) break;
        const int64_t *config = configs + first;
        int done[MAX_LANES] = {0};
        for (int l = 0; l < r.block.n_draws; l++) {
            if (done[l]) continue;
            double values[MAX_LANES];
            if (config[l] >= 0) evaluate(&r, p, (size_t)config[l], what, values);
            for (int m = l; m < r.block.n_draws; m++) /* all draws that want this one */
                if (config[m] == config[l]) {
                    done[m] = 1;
                    out[first + (size_t)m] = config[l] >= 0 ? values[m] : NAN;
                }
        }
    }
    runner_close(&r);
    return result;
}

/* Running a program over a table of counts, block by block: the same for all kernels. */
#include "kernel.h"

#include <math.h>

/* So few lanes are faster one by one. */
enum { FEW_LANES = 2 };

typedef struct {
    block block;
    void *counts, *scratch;
    int narrow;
} runner;

static int runner_open(runner *r, const program *p, const counts_table *counts)
{
    size_t lanes = (size_t)p->kernel->lanes;
    r->block.largest = counts->largest;
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

int run_winners(const program *p, const counts_table *counts, int64_t *limit, int64_t *out)
{
    runner r;
    int result = runner_open(&r, p, counts);
    size_t lanes = (size_t)p->kernel->lanes;
    for (size_t first = 0; first < counts->n_draws && result == DONE; first += lanes) {
        result = runner_load(&r, p, counts, first);
        if (result != DONE) break;
        if (limit)
            p->kernel->winners_within(p, &r.block, r.scratch, limit + first, out + first);
        else
            p->kernel->winners(p, &r.block, r.scratch, out + first);
    }
    runner_close(&r);
    return result;
}

/* Losses of a configuration in the lanes that are `wanted`, n of them. */
static void losses_of(runner *r, const program *p, size_t config, const int *wanted, int n,
    double *out)
{
    const kernel *k = p->kernel;
    if (k->loss_of_lane && n <= FEW_LANES) {
        for (int i = 0; i < n; i++)
            out[wanted[i]] = k->loss_of_lane(p, &r->block, r->scratch, config, wanted[i]);
        return;
    }
    double all[MAX_LANES];
    k->loss(p, &r->block, r->scratch, config, all);
    for (int i = 0; i < n; i++) out[wanted[i]] = all[wanted[i]];
}

static double score_of(double size, double loss) { return size > 0 ? (size - loss) / size : NAN; }

int run_configs(const program *p, const counts_table *counts, const int64_t *configs,
    size_t n_chosen, quantity what, double *out)
{
    runner r;
    int result = runner_open(&r, p, counts);
    size_t lanes = (size_t)p->kernel->lanes;
    int every[MAX_LANES];
    for (int l = 0; l < MAX_LANES; l++) every[l] = l;
    for (size_t first = 0; first < counts->n_draws && result == DONE; first += lanes) {
        result = runner_load(&r, p, counts, first);
        if (result != DONE) break;
        int n_draws = r.block.n_draws;
        double sizes[MAX_LANES], values[MAX_LANES];
        p->kernel->sizes(p, &r.block, r.scratch, sizes);
        for (size_t k = 0; k < n_chosen; k++) {
            losses_of(&r, p, (size_t)configs[k], every, n_draws, values);
            for (int l = 0; l < n_draws; l++)
                out[(first + (size_t)l) * n_chosen + k]
                    = what == LOSSES ? values[l] : score_of(sizes[l], values[l]);
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
        int n_draws = r.block.n_draws;
        const int64_t *config = configs + first;
        double sizes[MAX_LANES], *values = out + first;
        int done[MAX_LANES] = {0}, alike[MAX_LANES];
        for (int l = 0; l < n_draws; l++) {
            if (done[l]) continue;
            int n = 0;
            for (int m = l; m < n_draws; m++) /* all draws that want this one */
                if (config[m] == config[l]) {
                    done[m] = 1;
                    values[m] = NAN;
                    alike[n++] = m;
                }
            if (config[l] >= 0) losses_of(&r, p, (size_t)config[l], alike, n, values);
        }
        if (what == LOSSES) continue;
        p->kernel->sizes(p, &r.block, r.scratch, sizes);
        for (int l = 0; l < n_draws; l++) values[l] = score_of(sizes[l], values[l]);
    }
    runner_close(&r);
    return result;
}

/* Preparing an average precision program: sorting, listing and cutting the rows of every
 * configuration. */
#include "average_precision.h"
#include "binary.h"

static const kernel *kernel_for(int lanes)
{
    switch (lanes_for(lanes)) {
#if HAVE_WIDER_VECTORS
    case 64: return &average_precision_kernel_64;
    case 32: return &average_precision_kernel_32;
#endif
    case 16: return &average_precision_kernel_16;
    default: return NULL;
    }
}

void precision_destroy(program *p)
{
    precision_program *a = (precision_program *)p;
    for (size_t c = 0; a->listings && c < p->n_configs; c++) release(a->listings[c].neg);
    release(a->listings);
    release(a->folds);
    release(a->pos_rows);
    release(a->neg_rows);
    program_close(p);
}

/* Lists the rows of a configuration; returns what it loses when every row counts once. */
static double list_rows(const binary *b, precision_listing *l, uint8_t *ends_step)
{
    uint32_t n_neg = 0, n_pos = 0;
    size_t fold = 1; /* the next one */
    double lost = 0;
    for (size_t i = 0, stop; i < b->n; i = stop) {
        uint32_t first_neg = n_neg, first_pos = n_pos;
        stop = i;
        while (i >= (size_t)b->first_pos[fold] + b->first_neg[fold]) fold++;
        do {
            if (is_positive(b->ranked[stop]))
                l->pos[n_pos++] = offset_of(b->ranked[stop]);
            else
                l->neg[n_neg++] = offset_of(b->ranked[stop]);
            stop++;
        } while (stop < b->n && b->tied[stop]);
        for (uint32_t k = first_pos; k < n_pos; k++) {
            b->below[k] = first_neg;
            ends_step[k] = k == n_pos - 1;
        }
        double tp = (double)(b->first_pos[fold] - first_pos);
        double fp = (double)(b->first_neg[fold] - first_neg);
        if (n_pos > first_pos) lost += (fp / (tp + fp)) * (n_pos - first_pos);
    }
    return lost;
}

/* Cuts a listing into chunks of at most LIMIT positives and negatives of one fold. */
static void cut(const precision_program *a, const binary *b, precision_listing *l,
    const uint8_t *ends_step)
{
    size_t n_steps = 0;
    for (size_t f = 0; f < a->n_folds; f++) {
        const fold_rows *fold = a->folds + f;
        precision_chunk c = {.whole = 1};
        uint32_t start = fold->neg; /* first negative of the chunk */
        uint32_t i = fold->pos;
        for (; i < fold->pos + fold->n_pos; i++) {
            while (b->below[i] - start > LIMIT) {
                c.n_neg = LIMIT;
                l->chunks[l->n_chunks++] = c;
                start += LIMIT;
                c = (precision_chunk){.whole = 1};
            }
            if (c.n_pos == LIMIT) {
                uint8_t whole = ends_step[i - 1]; /* or this step goes on in the next chunk */
                c.n_neg = (uint8_t)(b->below[i] - start);
                c.whole &= whole;
                l->chunks[l->n_chunks++] = c;
                start = b->below[i];
                c = (precision_chunk){.whole = whole};
            }
            c.n_pos++;
            if (ends_step[i]) {
                l->steps[n_steps++] = (step){(uint8_t)(b->below[i] - start), c.n_pos};
                c.n_steps++;
            }
        }
        /* Negatives above the last positive of a fold do not matter. */
        c.n_neg = (uint8_t)(b->below[i - 1] - start);
        c.ends_fold = 1;
        l->chunks[l->n_chunks++] = c;
    }
}

int precision_list(program *p, const binary *b, size_t config)
{
    precision_program *a = (precision_program *)p;
    precision_listing *l = a->listings + config;
    size_t most = b->n_neg / LIMIT + b->n_pos / LIMIT + a->n_folds + 1;
    size_t n_neg = b->n_neg + PREFETCH, n_pos = b->n_pos + PREFETCH; /* read ahead of use */
    size_t size = (n_neg + n_pos) * sizeof *l->neg + most * sizeof *l->chunks
        + b->n_pos * sizeof *l->steps;
    l->neg = allocate(size);
    if (!l->neg) return NO_MEMORY;
    l->pos = l->neg + n_neg;
    memset(l->pos - PREFETCH, 0, PREFETCH * sizeof *l->neg);
    memset(l->pos + b->n_pos, 0, PREFETCH * sizeof *l->pos);
    l->chunks = (precision_chunk *)(l->pos + n_pos);
    l->steps = (step *)(l->chunks + most);
    uint8_t *ends_step = (uint8_t *)b->order; /* not needed after the ranking */
    p->losses[config] = list_rows(b, l, ends_step);
    p->sizes[config] = size;
    cut(a, b, l, ends_step);
    return DONE;
}

/* The folds that have positives. */
static int list_folds(precision_program *a, const binary *b)
{
    a->folds = allocate((b->n_folds + 1) * sizeof *a->folds);
    if (!a->folds) return NO_MEMORY;
    for (size_t f = 0; f < b->n_folds; f++) {
        fold_rows fold = {b->first_pos[f], b->first_neg[f], b->first_pos[f + 1] - b->first_pos[f],
            b->first_neg[f + 1] - b->first_neg[f]};
        if (fold.n_pos) a->folds[a->n_folds++] = fold;
    }
    return DONE;
}

EXPORT program *average_precision_new(const score_table *scores, const binary_target *target)
{
    const kernel *chosen = kernel_for(target->lanes);
    binary b;
    precision_program *a = chosen ? allocate(sizeof *a) : NULL;
    if (!a) return NULL;
    memset(a, 0, sizeof *a);
    int result = program_open(&a->base, chosen, scores->n_configs, scores->n_rows);
    if (result == DONE) result = binary_open(&b, scores, target, chosen->lanes);
    if (result == DONE) {
        a->n_pos = b.n_pos;
        a->n_neg = b.n_neg;
        a->far_apart = scores->n_rows * (size_t)chosen->lanes > FAST_CACHE;
        a->listings = allocate((scores->n_configs + 1) * sizeof *a->listings);
        a->pos_rows = binary_rows(&b, 1);
        a->neg_rows = binary_rows(&b, 0);
        if (a->listings) memset(a->listings, 0, scores->n_configs * sizeof *a->listings);
        result = a->listings && a->pos_rows && a->neg_rows ? list_folds(a, &b) : NO_MEMORY;
        binary_close(&b);
    }
    if (result == DONE) return &a->base;
    precision_destroy(&a->base);
    return NULL;
}

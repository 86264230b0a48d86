/* Preparing an AUC program: sorting, listing and cutting the rows of every configuration. */
#include "auc.h"
#include "binary.h"

static const kernel *kernel_for(int lanes)
{
    switch (lanes_for(lanes)) {
#if HAVE_WIDER_VECTORS
    case 64: return &auc_kernel_64;
    case 32: return &auc_kernel_32;
#endif
    case 16: return &auc_kernel_16;
    default: return NULL;
    }
}

void auc_destroy(program *p)
{
    auc_program *a = (auc_program *)p;
    for (size_t c = 0; a->listings && c < p->n_configs; c++) release(a->listings[c].neg);
    release(a->listings);
    release(a->pos_rows);
    release(a->neg_rows);
    program_close(p);
}

/* Cuts a listing into chunks. */
static void cut(listing *l, size_t n_pos, const uint32_t *below)
{
    uint32_t start = 0, n = 0; /* first negative and number of positives of this chunk */
    for (size_t i = 0; i < n_pos; i++) {
        while (below[i] - start > LIMIT) {
            l->chunks[l->n_chunks++] = (chunk){LIMIT, (uint8_t)n};
            start += LIMIT;
            n = 0;
        }
        if (n == LIMIT) {
            l->chunks[l->n_chunks++] = (chunk){(uint8_t)(below[i] - start), (uint8_t)n};
            start = below[i];
            n = 0;
        }
        l->cut[i] = (uint8_t)(below[i] - start);
        n++;
    }
    /* Negatives above the last positive can take nothing away. */
    if (n_pos) l->chunks[l->n_chunks++] = (chunk){(uint8_t)(below[n_pos - 1] - start), (uint8_t)n};
}

/* Lists the rows of a configuration without a tie between the classes; returns its deficit. */
static uint64_t list_untied(const binary *b, listing *l)
{
    uint32_t n_neg = 0, n_pos = 0;
    uint64_t won = 0; /* pairs in which the positive is above */
    for (size_t i = 0; i < b->n; i++) {
        /* Written to both lists, kept in one: the class is random, a branch would be slow. */
        uint32_t row = b->ranked[i], positive = (uint32_t)is_positive(row);
        l->neg[n_neg] = l->pos[n_pos] = offset_of(row);
        b->below[n_pos] = n_neg;
        n_pos += positive;
        n_neg += 1 - positive;
    }
    for (uint32_t i = 0; i < n_pos; i++) won += b->below[i];
    return 2 * ((uint64_t)n_pos * n_neg - won);
}

/* The same with ties: negatives count half below and half above positives with their score. */
static uint64_t list_tied(const binary *b, listing *l)
{
    uint32_t n_neg = 0, n_pos = 0;
    uint64_t won = 0; /* in halves */
    for (size_t i = 0, stop; i < b->n; i = stop) {
        uint32_t first_neg = n_neg, first_pos = n_pos;
        stop = i;
        do {
            if (is_positive(b->ranked[stop]))
                l->pos[n_pos++] = offset_of(b->ranked[stop]);
            else
                l->neg[n_neg++] = offset_of(b->ranked[stop]);
            stop++;
        } while (stop < b->n && b->tied[stop]);
        for (uint32_t k = first_pos; k < n_pos; k++) b->below[k] = n_neg;
        won += (uint64_t)(n_pos - first_pos) * n_neg;
        uint32_t again = n_neg - first_neg;
        memcpy(l->neg + n_neg, l->neg + first_neg, again * sizeof *l->neg);
        n_neg += again;
    }
    return (uint64_t)n_pos * n_neg - won;
}

int auc_list(program *p, const binary *b, size_t config)
{
    listing *l = ((auc_program *)p)->listings + config;
    size_t twice = b->mixed ? 2 : 1, most = (twice * b->n_neg + b->n_pos) / LIMIT + 2;
    /* One more than needed, for list_untied; the rest is read ahead of use. */
    size_t n_neg = twice * b->n_neg + PREFETCH + 1, n_pos = b->n_pos + PREFETCH + 1;
    size_t size = (n_neg + n_pos) * sizeof *l->neg + most * sizeof *l->chunks + b->n_pos;
    l->neg = allocate(size);
    if (!l->neg) return NO_MEMORY;
    l->pos = l->neg + n_neg;
    l->chunks = (chunk *)(l->pos + n_pos);
    l->cut = (uint8_t *)(l->chunks + most);
    l->doubled = b->mixed;
    memset(l->pos - PREFETCH, 0, PREFETCH * sizeof *l->neg);
    memset(l->pos + n_pos - PREFETCH, 0, PREFETCH * sizeof *l->pos);
    p->losses[config] = (double)(b->mixed ? list_tied(b, l) : list_untied(b, l));
    p->sizes[config] = size;
    cut(l, b->n_pos, b->below);
    return DONE;
}

EXPORT program *auc_new(const score_table *scores, const binary_target *target)
{
    const kernel *chosen = kernel_for(target->lanes);
    binary b;
    auc_program *a = chosen ? allocate(sizeof *a) : NULL;
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
        result = a->listings && a->pos_rows && a->neg_rows ? DONE : NO_MEMORY;
        binary_close(&b);
    }
    if (result == DONE) return &a->base;
    auc_destroy(&a->base);
    return NULL;
}

/* Average precision: preparing a program. What is computed stands in average_precision.c. */
#include "average_precision.h"
#include "binary.h"

#include <string.h>

void average_precision_destroy(program *p)
{
    ap_program *a = (ap_program *)p;
    for (size_t c = 0; a->listings && c < p->n_configs; c++) {
        listing *l = a->listings + c;
        release(l->neg);
        release(l->pos);
        release(l->steps);
        release(l->chunks);
    }
    release(a->listings);
    release(a->pos_rows);
    release(a->neg_rows);
    release(a->folds);
    release(a->order);
    release(a);
}

/* Lists the rows of a configuration; returns what it loses when every row counts once. */
static double list_rows(const binary *b, listing *l, uint8_t *ends_step)
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
static void cut(const ap_program *a, const binary *b, listing *l, const uint8_t *ends_step)
{
    size_t n_steps = 0;
    for (size_t f = 0; f < a->n_folds; f++) {
        const fold_rows *fold = a->folds + f;
        chunk c = {0, 0, 0, 0};
        uint32_t start = fold->neg; /* first negative of the chunk */
        uint32_t i = fold->pos;
        for (; i < fold->pos + fold->n_pos; i++) {
            while (b->below[i] - start > LIMIT) {
                c.n_neg = LIMIT;
                l->chunks[l->n_chunks++] = c;
                start += LIMIT;
                c = (chunk){0, 0, 0, 0};
            }
            if (c.n_pos == LIMIT) {
                c.n_neg = (uint8_t)(b->below[i] - start);
                l->chunks[l->n_chunks++] = c;
                start = b->below[i];
                c = (chunk){0, 0, 0, 0};
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

static int list_config(
    ap_program *a, const binary *b, listing *l, uint8_t *ends_step, double *loss)
{
    size_t most = b->n_neg / LIMIT + b->n_pos / LIMIT + a->n_folds + 1;
    size_t n_steps = 0;
    l->neg = allocate((b->n_neg + 1) * sizeof *l->neg);
    l->pos = allocate((b->n_pos + 1) * sizeof *l->pos);
    l->chunks = allocate(most * sizeof *l->chunks);
    if (!l->neg || !l->pos || !l->chunks) return NO_MEMORY;
    *loss = list_rows(b, l, ends_step);
    for (size_t i = 0; i < b->n_pos; i++) n_steps += ends_step[i];
    l->steps = allocate((n_steps + 1) * sizeof *l->steps);
    if (!l->steps) return NO_MEMORY;
    cut(a, b, l, ends_step);
    a->base.nbytes +=
        b->n * sizeof *l->neg + most * sizeof *l->chunks + n_steps * sizeof *l->steps;
    return DONE;
}

/* The folds that have positives. */
static int list_folds(ap_program *a, const binary *b)
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

static int list_all(ap_program *a, const score_table *scores, binary *b)
{
    double *losses = allocate((scores->n_configs + 1) * sizeof *losses);
    uint8_t *ends_step = allocate(b->n_pos + 1);
    int result = losses && ends_step ? DONE : NO_MEMORY;
    for (size_t c = 0; c < scores->n_configs && result == DONE; c++) {
        listing *l = a->listings + c;
        l->undefined = !binary_rank(b, scores, c);
        if (l->undefined) continue;
        a->order[a->n_defined++] = (uint32_t)c;
        result = list_config(a, b, l, ends_step, losses + c);
    }
    if (result == DONE) result = best_first(losses, a->order, a->n_defined);
    release(losses);
    release(ends_step);
    return result;
}

program *average_precision_new(
    const score_table *scores, const binary_target *target, int *error)
{
    size_t n_configs = scores->n_configs;
    binary b;
    int known = target->lanes == 0 || target->lanes == LANES;
    *error = known ? NO_MEMORY : NO_SUCH_LANES;
    if (!known || binary_open(&b, target, LANES) != DONE) return NULL;
    ap_program *a = allocate(sizeof *a);
    if (a) {
        memset(a, 0, sizeof *a);
        a->base.kernel = &average_precision_kernel;
        a->base.n_configs = n_configs;
        a->base.n_rows = scores->n_rows;
        a->n_pos = b.n_pos;
        a->n_neg = b.n_neg;
        a->listings = allocate((n_configs + 1) * sizeof *a->listings);
        a->order = allocate((n_configs + 1) * sizeof *a->order);
        a->pos_rows = binary_rows(&b, 1);
        a->neg_rows = binary_rows(&b, 0);
        if (a->listings) memset(a->listings, 0, n_configs * sizeof *a->listings);
        if (a->listings && a->order && a->pos_rows && a->neg_rows && list_folds(a, &b) == DONE)
            *error = list_all(a, scores, &b);
        if (*error != DONE) {
            average_precision_destroy(&a->base);
            a = NULL;
        }
    }
    binary_close(&b);
    return a ? &a->base : NULL;
}

/* Average precision of many configurations on many draws.
 *
 * With tp and fp the weights of the positives and negatives at or above a threshold, and g the
 * weight of the positives exactly at it, the step function that scikit-learn uses is
 *
 *     average precision = (W1 - lost) / W1,
 *     lost = sum over distinct scores of positives of (fp / (tp + fp)) * g.
 *
 * All weights are whole numbers, exact in a double. The sum is defined to run from the lowest
 * score to the highest, one term after the other, in double precision without fused operations,
 * where a term with g = 0 is zero: NumPy does the same and gets the same bits.
 *
 * Within folds the weights at or above a threshold are those of its own fold, and the sum goes
 * through the folds one after the other. With the weight of the positives of all folds as W1, the
 * score is the mean over the folds, each counted by its positives.
 *
 * Lowest first for a reason: low thresholds have low precision, so a configuration falls behind
 * early. What is lost only grows, rounding included, so a configuration is given up as soon as
 * its score with nothing more lost is below the best one, and not within rounding of it, in
 * every lane: exact.
 *
 * Dividing is what takes time. Everything else is kept away from it: counts are turned into
 * doubles once per block, rows are listed by class and cut into chunks, and the partial sums of
 * a chunk are looked up, as for the AUC, so that no branch depends on how the classes mix.
 */
#include "binary.h"

#include <float.h>

enum { LANES = 8, LIMIT = 32 };

typedef struct {
    uint8_t n_neg, n_pos, n_steps, ends_fold;
} chunk;

/* A distinct score with a positive: where it is in the chunk's lists. */
typedef struct {
    uint8_t neg_below, pos_end;
} step;

/* A fold with positives: where its rows start in the lists of classes. */
typedef struct {
    uint32_t pos, neg, n_pos, n_neg;
} fold_rows;

/* The rows of one configuration in ascending order of score, one fold behind the other. */
typedef struct {
    uint32_t *neg, *pos; /* offsets into a block: row * LANES; `neg` owns all memory */
    chunk *chunks;
    step *steps;
    size_t n_chunks;
} listing;

typedef struct {
    program base;
    size_t n_pos, n_neg;
    uint32_t *pos_rows, *neg_rows; /* offsets, one fold behind the other */
    fold_rows *folds;
    size_t n_folds;
    listing *listings;
} ap_program;

/* Two lanes at a time where the compiler has vector types, else one. Both have the same
 * arithmetic operators. */
#if HAVE_VECTORS
typedef double numbers __attribute__((vector_size(16), may_alias));
typedef int64_t bits __attribute__((vector_size(16)));
enum { N_PARTS = LANES / 2 };

/* x, or 1 where x is 0. */
static ALWAYS_INLINE numbers or_one(numbers x)
{
    const bits one = (bits)(numbers){1, 1};
    return x + (numbers)((x == 0) & one);
}
#else
typedef double numbers;
enum { N_PARTS = LANES };

static ALWAYS_INLINE numbers or_one(numbers x) { return x + (x == 0); }
#endif

/* A block's counts as numbers, the sum of the positives, and partial sums of a chunk. */
typedef struct {
    numbers pos[N_PARTS];
    numbers neg_sum[LIMIT + 1][N_PARTS], pos_sum[LIMIT + 1][N_PARTS];
    /* (n_rows, LANES), then the scores of configurations, (n_defined, LANES), and the sums of
     * the classes of each fold, (n_folds, 2, LANES) */
    double counts[];
} workspace;

static double *lanes_of(numbers *parts) { return (double *)parts; }

static size_t scratch_size(const program *p)
{
    const ap_program *a = (const ap_program *)p;
    return sizeof(workspace) + (p->n_rows + a->base.n_defined + 2 * a->n_folds) * LANES * sizeof(double);
}

static double *sums_of_folds(const ap_program *a, workspace *w)
{
    return w->counts + (a->base.n_rows + a->base.n_defined) * LANES;
}

static int begin(const program *p, block *b, void *scratch)
{
    const ap_program *a = (const ap_program *)p;
    workspace *w = scratch;
    uint64_t total[LANES], pos[LANES] = {0}, some[LANES];
    sum_rows(b, LANES, a->neg_rows, a->n_neg, total);
    double *sums = sums_of_folds(a, w);
    for (size_t f = 0; f < a->n_folds; f++, sums += 2 * LANES) {
        const fold_rows *fold = a->folds + f;
        sum_rows(b, LANES, a->neg_rows + fold->neg, fold->n_neg, some);
        for (int l = 0; l < LANES; l++) sums[l] = (double)some[l];
        sum_rows(b, LANES, a->pos_rows + fold->pos, fold->n_pos, some);
        for (int l = 0; l < LANES; l++) {
            sums[LANES + l] = (double)some[l];
            pos[l] += some[l];
        }
    }
    for (int l = 0; l < LANES; l++) {
        if (pos[l] + total[l] > MAX_TOTAL) return TOO_LARGE;
        b->size[l] = lanes_of(w->pos)[l] = (double)pos[l];
    }
    size_t n = p->n_rows * LANES;
    for (size_t i = 0; i < n; i++) w->counts[i] = b->wide[i];
    memset(w->neg_sum[0], 0, sizeof w->neg_sum[0]);
    memset(w->pos_sum[0], 0, sizeof w->pos_sum[0]);
    return DONE;
}

/* Partial sums of n rows, after a first one of zero. */
static ALWAYS_INLINE void add_up(
    const double *counts, const uint32_t *offsets, int n, numbers sums[][N_PARTS])
{
    for (int k = 0; k < n; k++) {
        const numbers *row = (const numbers *)(counts + offsets[k]);
        for (int i = 0; i < N_PARTS; i++) sums[k + 1][i] = sums[k][i] + row[i];
    }
}

/* What a configuration loses; 0 as soon as it is below `least` in every lane, else 1. */
static int losses_of(const ap_program *a, const listing *list, workspace *w, const double *least,
    double *result)
{
    /* Weight of the rows from this chunk upwards, and of the positives above the last step. */
    numbers neg_left[N_PARTS], pos_left[N_PARTS], tp[N_PARTS], lost[N_PARTS];
    for (int i = 0; i < N_PARTS; i++) lost[i] = w->pos_sum[0][i]; /* zero */
    const uint32_t *neg = list->neg, *pos = list->pos;
    const step *steps = list->steps;
    const fold_rows *fold = a->folds;
    const numbers *sums = (const numbers *)sums_of_folds(a, w);
    int starts_fold = 1;
    for (size_t q = 0; q < list->n_chunks; q++) {
        const chunk *c = list->chunks + q;
        if (starts_fold) {
            neg = list->neg + fold->neg;
            pos = list->pos + fold->pos;
            for (int i = 0; i < N_PARTS; i++) {
                neg_left[i] = sums[i];
                tp[i] = pos_left[i] = sums[N_PARTS + i];
            }
            fold++;
            sums += 2 * N_PARTS;
        }
        starts_fold = c->ends_fold;
        add_up(w->counts, neg, c->n_neg, w->neg_sum);
        add_up(w->counts, pos, c->n_pos, w->pos_sum);
        for (int k = 0; k < c->n_steps; k++) {
            const numbers *below = w->neg_sum[steps[k].neg_below];
            const numbers *end = w->pos_sum[steps[k].pos_end];
            for (int i = 0; i < N_PARTS; i++) {
                numbers above = pos_left[i] - end[i], fp = neg_left[i] - below[i];
                /* Without any weight the term is (0 / 1) * 0. */
                lost[i] += (fp / or_one(tp[i] + fp)) * (tp[i] - above);
                tp[i] = above;
            }
        }
        numbers reach[N_PARTS]; /* the score if nothing more is lost */
        for (int i = 0; i < N_PARTS; i++) {
            neg_left[i] -= w->neg_sum[c->n_neg][i];
            pos_left[i] -= w->pos_sum[c->n_pos][i];
            reach[i] = (w->pos[i] - lost[i]) / or_one(w->pos[i]);
        }
        int alive = 0;
        for (int l = 0; l < LANES; l++) alive |= lanes_of(reach)[l] >= least[l];
        if (!alive) return 0;
        neg += c->n_neg;
        pos += c->n_pos;
        steps += c->n_steps;
    }
    memcpy(result, lost, sizeof lost);
    return 1;
}

static void winners(const program *p, const block *b, void *scratch, int64_t *limit, int64_t *out)
{
    (void)limit;
    const ap_program *a = (const ap_program *)p;
    workspace *w = scratch;
    const double *pos = lanes_of(w->pos);
    double best[LANES], least[LANES], lost[LANES], *scores = w->counts + p->n_rows * LANES;
    int64_t winner[LANES];
    /* Sums of quotients that are equal in theory differ by rounding: these tie. */
    const double margin = (double)(8 + p->n_rows) * DBL_EPSILON;
    for (int l = 0; l < LANES; l++) {
        /* An undefined draw must not keep a configuration alive: nothing is enough. */
        best[l] = least[l] = pos[l] > 0 ? -1 : INFINITY;
        winner[l] = -1;
    }
    for (size_t k = 0; k < a->base.n_defined; k++) {
        double *score = scores + k * LANES;
        int alive = losses_of(a, a->listings + p->order[k], w, least, lost);
        for (int l = 0; l < LANES; l++) {
            score[l] = alive && pos[l] > 0 ? (pos[l] - lost[l]) / pos[l] : -INFINITY;
            if (score[l] > best[l]) {
                best[l] = score[l];
                least[l] = score[l] - margin;
            }
        }
    }
    /* Which scores tie with the best is known only now: of these the first configuration. */
    for (size_t k = 0; k < a->base.n_defined; k++) {
        int64_t config = p->order[k];
        for (int l = 0; l < LANES; l++)
            if (scores[k * LANES + l] >= least[l] && (winner[l] < 0 || config < winner[l]))
                winner[l] = config;
    }
    memcpy(out, winner, (size_t)b->n_draws * sizeof *out);
}

static void loss(const program *p, const block *b, void *scratch, size_t config, double *lost)
{
    const ap_program *a = (const ap_program *)p;
    double least[LANES];
    (void)b;
    for (int l = 0; l < LANES; l++) least[l] = -INFINITY; /* to the end */
    losses_of(a, a->listings + config, scratch, least, lost);
}

static void destroy(program *p)
{
    ap_program *a = (ap_program *)p;
    for (size_t c = 0; a->listings && c < p->n_configs; c++) release(a->listings[c].neg);
    release(a->listings);
    release(a->pos_rows);
    release(a->neg_rows);
    release(a->folds);
    program_close(p);
}

static const kernel average_precision_kernel = {
    .lanes = LANES,
    .narrow_up_to = -1,
    .scratch_size = scratch_size,
    .begin = begin,
    .winners = winners,
    .loss = loss,
    .destroy = destroy,
};

/* ---- preparation ---- */

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

static double list_config(program *p, const binary *b, size_t config)
{
    ap_program *a = (ap_program *)p;
    listing *l = a->listings + config;
    size_t most = b->n_neg / LIMIT + b->n_pos / LIMIT + a->n_folds + 1;
    size_t size = b->n * sizeof *l->neg + most * sizeof *l->chunks + b->n_pos * sizeof *l->steps;
    l->neg = allocate(size);
    if (!l->neg) return -1;
    l->pos = l->neg + b->n_neg;
    l->chunks = (chunk *)(l->pos + b->n_pos);
    l->steps = (step *)(l->chunks + most);
    uint8_t *ends_step = (uint8_t *)b->order; /* not needed after the ranking */
    double lost = list_rows(b, l, ends_step);
    cut(a, b, l, ends_step);
    p->nbytes += size;
    return lost;
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

EXPORT program *average_precision_new(const score_table *scores, const binary_target *target)
{
    binary b;
    ap_program *a = allocate(sizeof *a);
    if (!a) return NULL;
    memset(a, 0, sizeof *a);
    int result = program_open(
        &a->base, &average_precision_kernel, scores->n_configs, scores->n_rows);
    if (result == DONE) result = binary_open(&b, target, LANES);
    if (result == DONE) {
        a->n_pos = b.n_pos;
        a->n_neg = b.n_neg;
        a->listings = allocate((scores->n_configs + 1) * sizeof *a->listings);
        a->pos_rows = binary_rows(&b, 1);
        a->neg_rows = binary_rows(&b, 0);
        if (a->listings) memset(a->listings, 0, scores->n_configs * sizeof *a->listings);
        result = a->listings && a->pos_rows && a->neg_rows ? list_folds(a, &b) : NO_MEMORY;
        if (result == DONE) result = binary_list_all(&a->base, scores, &b, list_config);
        binary_close(&b);
    }
    if (result == DONE) return &a->base;
    destroy(&a->base);
    return NULL;
}

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
#include "average_precision.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int prepare(program *p, unsigned largest)
{
    (void)p, (void)largest; /* the chunks suit all counts */
    return DONE;
}

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
    return sizeof(workspace) + (p->n_rows + a->n_defined + 2 * a->n_folds) * LANES * sizeof(double);
}

static double *sums_of_folds(const ap_program *a, workspace *w)
{
    return w->counts + (a->base.n_rows + a->n_defined) * LANES;
}

static int begin(const program *p, const block *b, void *scratch)
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
        lanes_of(w->pos)[l] = (double)pos[l];
    }
    size_t n = b->n_rows * LANES;
    if (b->narrow)
        for (size_t i = 0; i < n; i++) w->counts[i] = b->narrow[i];
    else
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

static void winners(const program *p, const block *b, void *scratch, int64_t *out)
{
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
    for (size_t k = 0; k < a->n_defined; k++) {
        double *score = scores + k * LANES;
        int alive = losses_of(a, a->listings + a->order[k], w, least, lost);
        for (int l = 0; l < LANES; l++) {
            score[l] = alive && pos[l] > 0 ? (pos[l] - lost[l]) / pos[l] : -INFINITY;
            if (score[l] > best[l]) {
                best[l] = score[l];
                least[l] = score[l] - margin;
            }
        }
    }
    /* Which scores tie with the best is known only now: of these the first configuration. */
    for (size_t k = 0; k < a->n_defined; k++) {
        int64_t config = a->order[k];
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
    if (a->listings[config].undefined)
        for (int l = 0; l < LANES; l++) lost[l] = NAN;
    else
        losses_of(a, a->listings + config, scratch, least, lost);
}

static void sizes(const program *p, const block *b, void *scratch, double *size)
{
    (void)p, (void)b;
    memcpy(size, ((workspace *)scratch)->pos, LANES * sizeof *size);
}

const kernel average_precision_kernel = {
    .name = "average_precision",
    .lanes = LANES,
    .prepare = prepare,
    .scratch_size = scratch_size,
    .begin = begin,
    .winners = winners,
    .loss = loss,
    .sizes = sizes,
    .destroy = average_precision_destroy,
};

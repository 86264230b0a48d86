/* Average precision of many configurations on many draws. Included once for each number of lanes,
 * with
 *   LANES                     draws per block, and bytes per vector: 16, 32 or 64
 *   AVERAGE_PRECISION_KERNEL  name of the kernel
 * after vectors.h.
 *
 * With tp and fp the weights of the positives and negatives at or above a threshold, and g the
 * weight of the positives exactly at it, the step function that scikit-learn uses is
 *
 *     average precision = (W1 - lost) / W1,
 *     lost = sum over distinct scores of positives of (fp / (tp + fp)) * g.
 *
 * All weights are whole numbers, exact in a double. The sum is defined to run from the lowest
 * score to the highest, one term after the other, in double precision without fused operations,
 * where a term with g = 0 is zero.
 *
 * Within folds the weights at or above a threshold are those of its own fold, and the sum goes
 * through the folds one after the other. With the weight of the positives of all folds as W1, the
 * score is the mean over the folds, each counted by its positives.
 *
 * Lowest first for a reason: low thresholds have low precision, so a configuration falls behind
 * early. What is lost only grows, so a configuration is given up as soon as it cannot win any more
 * in any lane.
 *
 * Dividing is what takes time. So winners are looked for in two rounds: bounds of what each
 * configuration loses, most of it without a division per positive, and then the sum as defined,
 * of those configurations alone that may win by these bounds. See `bounds_of`.
 */

/* Scores that are equal in theory differ by the rounding of so many terms: these tie. */
static double tie_margin(const program *p) { return (double)(8 + p->n_rows) * DBL_EPSILON; }

/* Numbers of some neighbouring lanes. */
#if HAVE_VECTORS
enum { PART = LANES / 8 };
typedef double doubles __attribute__((vector_size(LANES), may_alias));
typedef int32_t whole_numbers __attribute__((vector_size(LANES / 2), may_alias, aligned(4)));
#define AS_DOUBLES(x) __builtin_convertvector((x), doubles)
#define OR_ONE(x) ((x) - ((x) == 0)) /* where a comparison holds, it is -1 */
#else
enum { PART = 1 };
typedef double doubles;
typedef int32_t whole_numbers;
#define AS_DOUBLES(x) ((double)(x))
#define OR_ONE(x) ((x) + ((x) == 0))
#endif
enum { N_PARTS = LANES / PART };

/* Weights of the classes of one fold. */
typedef struct {
    int32_t neg[LANES], pos[LANES];
} fold_sums;

typedef struct {
#if HAVE_VECTORS
    quads best; /* no loss above it can win, in `units` */
#endif
    double pos[LANES]; /* weight of the positives of all folds */
    /* Partial sums of a chunk. */
    int32_t neg_sum[LIMIT + 1][LANES], pos_sum[LIMIT + 1][LANES];
    /* (n_folds,), the same as quads, (2 * n_folds,), then room for all configurations */
    fold_sums sums[];
} precision_workspace;

static size_t precision_scratch_size(const program *p)
{
    const precision_program *a = (const precision_program *)p;
    size_t of_config = LANES * sizeof(double) + sizeof(uint32_t);
    return sizeof(precision_workspace) + 2 * a->n_folds * sizeof(fold_sums) + p->n_defined * of_config;
}

#if HAVE_VECTORS
static quads *slots_of_folds(const precision_program *a, precision_workspace *w)
{
    return (quads *)(w->sums + a->n_folds);
}
#endif

/* (n_defined, LANES), and after it (n_defined,) */
static double *scores_of_configs(const precision_program *a, precision_workspace *w)
{
    return (double *)(w->sums + 2 * a->n_folds);
}

static int precision_begin(const program *p, block *b, void *scratch)
{
    const precision_program *a = (const precision_program *)p;
    precision_workspace *w = scratch;
    uint64_t total[LANES], pos[LANES] = {0}, some[LANES];
    sum_rows(b, LANES, a->neg_rows, a->n_neg, total);
    for (int l = 0; l < LANES; l++)
        if (total[l] > MAX_TOTAL) return TOO_LARGE;
    sum_rows(b, LANES, a->pos_rows, a->n_pos, some);
    for (int l = 0; l < LANES; l++)
        if (some[l] + total[l] > MAX_TOTAL) return TOO_LARGE;
    for (size_t f = 0; f < a->n_folds; f++) {
        const fold_rows *fold = a->folds + f;
        sum_rows(b, LANES, a->neg_rows + fold->neg, fold->n_neg, some);
        for (int l = 0; l < LANES; l++) w->sums[f].neg[l] = (int32_t)some[l];
#if HAVE_VECTORS
        slots_of_folds(a, w)[2 * f] = in_slots((const int64_t *)some);
#endif
        sum_rows(b, LANES, a->pos_rows + fold->pos, fold->n_pos, some);
        for (int l = 0; l < LANES; l++) {
            w->sums[f].pos[l] = (int32_t)some[l];
            pos[l] += some[l];
        }
#if HAVE_VECTORS
        slots_of_folds(a, w)[2 * f + 1] = in_slots((const int64_t *)some);
#endif
    }
    for (int l = 0; l < LANES; l++) b->size[l] = w->pos[l] = (double)pos[l];
    memset(w->neg_sum[0], 0, sizeof w->neg_sum[0]);
    memset(w->pos_sum[0], 0, sizeof w->pos_sum[0]);
    return DONE;
}

/* ---- the sum as it is defined ---- */

/* Partial sums of n rows, after a first one of zero. */
#define ADD_UP(COUNT)                                                                        \
    static ALWAYS_INLINE void add_up_##COUNT(const COUNT *RESTRICT counts,                   \
        const uint32_t *RESTRICT offsets, int n, int32_t sums[][LANES])                      \
    {                                                                                        \
        for (int k = 0; k < n; k++)                                                          \
            for (int l = 0; l < LANES; l++)                                                  \
                sums[k + 1][l] = sums[k][l] + counts[offsets[k] + (size_t)l];                \
    }
ADD_UP(uint8_t)
ADD_UP(uint16_t)

static void add_up(const block *b, const uint32_t *offsets, int n, int32_t sums[][LANES])
{
    if (b->narrow)
        add_up_uint8_t(b->narrow, offsets, n, sums);
    else
        add_up_uint16_t(b->wide, offsets, n, sums);
}

/* What a configuration loses; 0 as soon as its score is below `least` in every lane, else 1. */
static int losses_of(const precision_program *a, const block *b, const precision_listing *list,
    precision_workspace *w, const double *least, double *result)
{
    /* Weight of the rows from this chunk upwards, and of the positives above the last step. */
    fold_sums left;
    int32_t tp[LANES];
    doubles lost[N_PARTS];
    memset(lost, 0, sizeof lost);
    const uint32_t *neg = list->neg, *pos = list->pos;
    const step *steps = list->steps;
    size_t fold = 0;
    int starts_fold = 1;
    for (size_t q = 0; q < list->n_chunks; q++) {
        const precision_chunk *c = list->chunks + q;
        if (starts_fold) {
            neg = list->neg + a->folds[fold].neg;
            pos = list->pos + a->folds[fold].pos;
            left = w->sums[fold++];
            memcpy(tp, left.pos, sizeof tp);
        }
        starts_fold = c->ends_fold;
        add_up(b, neg, c->n_neg, w->neg_sum);
        add_up(b, pos, c->n_pos, w->pos_sum);
        int alive = 0;
        for (int i = 0; i < N_PARTS; i++) {
            int lane = i * PART;
            whole_numbers *true_left = (whole_numbers *)(left.pos + lane), here = *true_left;
            whole_numbers *false_left = (whole_numbers *)(left.neg + lane);
            whole_numbers before = *(whole_numbers *)(tp + lane);
            for (int k = 0; k < c->n_steps; k++) {
                whole_numbers above = here - *(whole_numbers *)(w->pos_sum[steps[k].pos_end] + lane);
                whole_numbers fp
                    = *false_left - *(whole_numbers *)(w->neg_sum[steps[k].neg_below] + lane);
                whole_numbers all = before + fp;
                /* Without any weight the term is (0 / 1) * 0. */
                lost[i] += (AS_DOUBLES(fp) / AS_DOUBLES(OR_ONE(all))) * AS_DOUBLES(before - above);
                before = above;
            }
            *(whole_numbers *)(tp + lane) = before;
            *true_left -= *(whole_numbers *)(w->pos_sum[c->n_pos] + lane);
            *false_left -= *(whole_numbers *)(w->neg_sum[c->n_neg] + lane);
        }
        for (int l = 0; least && l < LANES; l++) {
            double most = w->pos[l] - ((double *)lost)[l]; /* if nothing more is lost */
            alive |= (w->pos[l] > 0 ? most / w->pos[l] : 0) >= least[l];
        }
        if (least && !alive) return 0;
        neg += c->n_neg;
        pos += c->n_pos;
        steps += c->n_steps;
    }
    memcpy(result, lost, sizeof lost);
    return 1;
}

static void precision_loss(
    const program *p, const block *b, void *scratch, size_t config, double *lost)
{
    const precision_program *a = (const precision_program *)p;
    losses_of(a, b, a->listings + config, scratch, NULL, lost);
}

static int precision_begin_draw(const program *p, draw *d, void *scratch)
{
    const precision_program *a = (const precision_program *)p;
    precision_workspace *w = scratch;
    uint64_t neg = sum_draw(d, LANES, a->neg_rows, a->n_neg), pos = 0;
    for (size_t f = 0; f < a->n_folds; f++) {
        const fold_rows *fold = a->folds + f;
        uint64_t of_fold = sum_draw(d, LANES, a->pos_rows + fold->pos, fold->n_pos);
        pos += of_fold;
        w->sums[f].pos[0] = (int32_t)of_fold;
        w->sums[f].neg[0]
            = (int32_t)(a->n_folds == 1 && fold->n_neg == a->n_neg
                    ? neg : sum_draw(d, LANES, a->neg_rows + fold->neg, fold->n_neg));
    }
    d->size = (double)pos;
    return pos + neg > MAX_TOTAL ? TOO_LARGE : DONE;
}

/* The count of a row is at its offset divided by `apart`. */
#define LOSS_OF_ONE(COUNT)                                                                   \
    static ALWAYS_INLINE double loss_of_one_##COUNT(const precision_program *a,              \
        const precision_workspace *w, size_t config, int lane, const COUNT *counts, uint32_t apart) \
    {                                                                                        \
        const precision_listing *list = a->listings + config;                                \
        const uint32_t *neg = list->neg, *pos = list->pos;                                   \
        const step *steps = list->steps;                                                     \
        int32_t below[LIMIT + 1] = {0}, through[LIMIT + 1] = {0}, fp = 0, tp = 0, before = 0; \
        double lost = 0;                                                                     \
        size_t fold = 0;                                                                     \
        int starts_fold = 1;                                                                 \
        for (size_t q = 0; q < list->n_chunks; q++) {                                        \
            const precision_chunk *c = list->chunks + q;                                     \
            if (starts_fold) {                                                               \
                neg = list->neg + a->folds[fold].neg;                                        \
                pos = list->pos + a->folds[fold].pos;                                        \
                fp = w->sums[fold].neg[lane];                                                \
                before = tp = w->sums[fold++].pos[lane];                                     \
            }                                                                                \
            starts_fold = c->ends_fold;                                                      \
            for (int k = 0; k < c->n_neg; k++) below[k + 1] = below[k] + counts[*neg++ / apart]; \
            for (int k = 0; k < c->n_pos; k++) through[k + 1] = through[k] + counts[*pos++ / apart]; \
            for (int k = 0; k < c->n_steps; k++, steps++) {                                  \
                int32_t above = tp - through[steps->pos_end], here = fp - below[steps->neg_below]; \
                int32_t all = before + here;                                                 \
                lost += ((double)here / (double)(all + (all == 0))) * (double)(before - above); \
                before = above;                                                              \
            }                                                                                \
            fp -= below[c->n_neg];                                                           \
            tp -= through[c->n_pos];                                                         \
        }                                                                                    \
        return lost;                                                                         \
    }
LOSS_OF_ONE(uint8_t)
LOSS_OF_ONE(uint16_t)

static double precision_loss_of_draw(const program *p, const draw *d, void *scratch, size_t config)
{
    const precision_program *a = (const precision_program *)p;
    return d->narrow ? loss_of_one_uint8_t(a, scratch, config, 0, d->narrow, LANES)
                     : loss_of_one_uint16_t(a, scratch, config, 0, d->wide, LANES);
}

/* Of n configurations with scores (n, LANES), -INFINITY where they cannot win, the first one that
 * ties with the best, in each draw. */
static void choose(const program *p, const block *b, const uint32_t *configs, size_t n,
    const double *scores, int64_t *out)
{
    double least[LANES];
    int64_t winner[LANES];
    for (int l = 0; l < LANES; l++) least[l] = winner[l] = -1;
    for (size_t k = 0; k < n; k++)
        for (int l = 0; l < LANES; l++)
            if (scores[k * LANES + (size_t)l] > least[l]) least[l] = scores[k * LANES + (size_t)l];
    for (int l = 0; l < LANES; l++) least[l] -= tie_margin(p);
    for (size_t k = 0; k < n; k++)
        for (int l = 0; l < LANES; l++)
            if (scores[k * LANES + (size_t)l] >= least[l] && (winner[l] < 0 || configs[k] < winner[l]))
                winner[l] = configs[k];
    memcpy(out, winner, (size_t)b->n_draws * sizeof *out);
}

static double score_from(double size, double lost)
{
    return size > 0 ? (size - lost) / size : -INFINITY;
}

/* Winners by the sum alone: any counts, any compiler. */
static void winners_by_sum(const program *p, const block *b, precision_workspace *w, int64_t *out)
{
    const precision_program *a = (const precision_program *)p;
    double least[LANES], lost[LANES], *scores = scores_of_configs(a, w);
    /* An undefined draw must not keep a configuration alive: nothing is enough. */
    for (int l = 0; l < LANES; l++) least[l] = w->pos[l] > 0 ? -1 : INFINITY;
    for (size_t k = 0; k < p->n_defined; k++) {
        double *score = scores + k * LANES;
        int alive = losses_of(a, b, a->listings + p->order[k], w, least, lost);
        for (int l = 0; l < LANES; l++) {
            score[l] = alive ? score_from(w->pos[l], lost[l]) : -INFINITY;
            if (score[l] - tie_margin(p) > least[l]) least[l] = score[l] - tie_margin(p);
        }
    }
    choose(p, b, p->order, p->n_defined, scores, out);
}

/* ---- bounds of the sum, for counts of one byte: nearly all there are ---- */

#if HAVE_VECTORS
typedef float floats __attribute__((vector_size(LANES), may_alias));
#define AS_FLOATS(x) __builtin_convertvector((signed32)(x), floats)

/* Losses are counted in units, of which the largest weight of positives is at most 2^MOST_UNITS. */
enum { MOST_UNITS = 29 };

/* What rounding in single precision can add up to, in units, beside one unit per chunk: 27 operations
 * at most act on each term, of 2^-24 each, and what a tie and the rounding of the sum take is less. */
enum { ROUNDING = 1 << 11 };

/* How many times the weight of a chunk must be above it for the bound without divisions. */
enum { APART = 16 };

/* 8-bit sums of the negatives and positives of a chunk, and 16-bit sums over the positives of their
 * weights times that of the negatives and of the positives below them in the chunk. */
typedef struct {
    vector8 neg, pos;
    vector16 even_neg, odd_neg, even_pos, odd_pos;
} precision_sums;

static ALWAYS_INLINE void add_products(precision_sums *s, vector8 weight, vector8 neg, vector8 pos)
{
    vector16 even = (vector16)weight & 0xff, odd = (vector16)weight >> 8;
    s->even_neg += even * ((vector16)neg & 0xff);
    s->odd_neg += odd * ((vector16)neg >> 8);
    s->even_pos += even * ((vector16)pos & 0xff);
    s->odd_pos += odd * ((vector16)pos >> 8);
}

/* Partial sums of n rows, after a first one of zero; returns the last one. */
static ALWAYS_INLINE vector8 add_up_bytes(const uint8_t *RESTRICT counts,
    const uint32_t *RESTRICT offsets, int n, vector8 *RESTRICT sums, int prefetch)
{
    vector8 sum = {0};
    for (int k = 0; k < n; k++) {
        if (prefetch) __builtin_prefetch(counts + offsets[k + PREFETCH]);
        sum += *(const vector8 *)(counts + offsets[k]);
        sums[k + 1] = sum;
    }
    return sum;
}

/* Lower and upper bounds of what a configuration loses, in units of 1 / `scale`; 0 as soon as the lower
 * one exceeds `best` in every lane, else 1.
 *
 * Let f and t be the weights of the negatives and positives of a chunk below a step, N and G those
 * of all of the chunk, and F and T those from the chunk upwards. The step's share is
 *
 *     (F - f) / (F + T - f - t) = (Fm - u) / (Dm - w)
 *
 * with u and v the distances of f and t from the middle, N / 2 and G / 2, w = u + v, and Fm, Tm and
 * Dm = Fm + Tm what is above the middle. For every w
 *
 *     (Fm - u) / (Dm - w) = Fm / Dm + (Fm w - Dm u) / Dm^2 + (Fm v - Tm u) w / (Dm^2 (Dm - w)).
 *
 * The sum of the first two terms over the positives needs the sums of g f and g t, whole numbers,
 * and one division per chunk. The third is small where (N + G) / 2, which w does not exceed, is small
 * beside Dm: it is bounded. Chunks at the top, where it is not, divide at each step. */
static ALWAYS_INLINE int bounds_of(const precision_program *a, const precision_listing *list,
    const uint8_t *counts, precision_workspace *w, float scale, quads *least, quads *most, int prefetch)
{
    vector8 below[LIMIT + 1], through[LIMIT + 1];
    quads neg_left, pos_left, tp, lost, distance, N, G, U, V;
    floats unsure[4];
    const int rounding = ROUNDING + (int)list->n_chunks;
    for (int j = 0; j < 4; j++) {
        lost.of[j] = (vector32){0} - (uint32_t)rounding;
        unsure[j] = (floats){0};
    }
    below[0] = through[0] = (vector8){0};
    const uint32_t *neg = list->neg, *pos = list->pos;
    const step *steps = list->steps;
    const quads *sums = slots_of_folds(a, w);
    const fold_rows *fold = a->folds;
    int starts_fold = 1;
    for (size_t q = 0; q < list->n_chunks; q++) {
        const precision_chunk c = list->chunks[q];
        if (starts_fold) {
            neg = list->neg + fold->neg;
            pos = list->pos + fold->pos;
            neg_left = sums[0];
            tp = pos_left = sums[1];
            fold++;
            sums += 2;
        }
        starts_fold = c.ends_fold;
        precision_sums s = {{0}, {0}, {0}, {0}, {0}, {0}};
        s.neg = add_up_bytes(counts, neg, c.n_neg, below, prefetch);
        if (c.n_steps == c.n_pos)
            for (int k = 0; k < c.n_pos; k++) {
                if (prefetch) __builtin_prefetch(counts + pos[k + PREFETCH]);
                vector8 weight = *(const vector8 *)(counts + pos[k]);
                add_products(&s, weight, below[steps[k].neg_below], s.pos);
                s.pos += weight;
            }
        else {
            s.pos = add_up_bytes(counts, pos, c.n_pos, through, prefetch);
            vector8 before = {0};
            for (int k = 0; k < c.n_steps; k++) {
                vector8 end = through[steps[k].pos_end];
                add_products(&s, end - before, below[steps[k].neg_below], before);
                before = end;
            }
        }
        N = widen8(s.neg), G = widen8(s.pos);
        for (int j = 0; j < 4; j++) {
            vector32 all = N.of[j] + G.of[j];
            distance.of[j] = 2 * (neg_left.of[j] + pos_left.of[j]) - (APART + 2) * all;
        }
        if (c.whole && !any_negative(&distance)) {
            U = widen16(s.even_neg, s.odd_neg), V = widen16(s.even_pos, s.odd_pos);
            for (int j = 0; j < 4; j++) {
                /* Fm, Tm, Dm, w and u are doubled, so that they are whole. */
                vector32 all = N.of[j] + G.of[j];
                vector32 Fm = 2 * neg_left.of[j] - N.of[j], Dm = Fm + 2 * pos_left.of[j] - G.of[j];
                floats n = AS_FLOATS(N.of[j]), g = AS_FLOATS(G.of[j]), f = AS_FLOATS(Fm);
                floats gu = AS_FLOATS(2 * U.of[j]) - g * n, gw = gu + AS_FLOATS(2 * V.of[j]) - g * g;
                floats inverse = 1.0f / AS_FLOATS(OR_ONE((signed32)Dm));
                floats about = inverse * (f * (g + inverse * gw) - gu);
                floats third = (1 + 1.01f / APART) * g * AS_FLOATS(all) * inverse * inverse * inverse
                    * (f * g + AS_FLOATS(Dm - Fm) * n);
                lost.of[j] += (vector32)__builtin_convertvector((about - third) * scale, signed32);
                unsure[j] += third;
                tp.of[j] = pos_left.of[j] - G.of[j];
            }
        } else if (c.n_steps) {
            floats more[4] = {{0}, {0}, {0}, {0}};
            if (c.n_steps == c.n_pos) add_up_bytes(counts, pos, c.n_pos, through, 0);
            for (int k = 0; k < c.n_steps; k++) {
                quads passed = widen8(below[steps[k].neg_below]);
                quads end = widen8(through[steps[k].pos_end]);
                for (int j = 0; j < 4; j++) {
                    vector32 above = pos_left.of[j] - end.of[j], fp = neg_left.of[j] - passed.of[j];
                    signed32 all = (signed32)(tp.of[j] + fp);
                    more[j] += AS_FLOATS(fp) / AS_FLOATS(OR_ONE(all)) * AS_FLOATS(tp.of[j] - above);
                    tp.of[j] = above;
                }
            }
            for (int j = 0; j < 4; j++)
                lost.of[j] += (vector32)__builtin_convertvector(more[j] * scale, signed32);
        }
        for (int j = 0; j < 4; j++) {
            neg_left.of[j] -= N.of[j];
            pos_left.of[j] -= G.of[j];
            distance.of[j] = w->best.of[j] - lost.of[j];
        }
        if (all_negative(&distance)) return 0;
        neg += c.n_neg;
        pos += c.n_pos;
        steps += c.n_steps;
    }
    const float both_sides = (2.01f + (float)list->n_chunks * 0x1p-22f) * scale;
    for (int j = 0; j < 4; j++) {
        least->of[j] = lost.of[j];
        most->of[j] = lost.of[j] + (uint32_t)(2 * rounding + 1)
            + (vector32)__builtin_convertvector(unsure[j] * both_sides, signed32);
    }
    return 1;
}

/* Configurations that are not given up, with lower bounds of what they lose, (n_defined, 4). */
static ALWAYS_INLINE size_t find_candidates(const precision_program *a, const block *b,
    precision_workspace *w, float scale, uint32_t *found, quads *bounds, int prefetch)
{
    size_t n = 0;
    quads least, most;
    for (size_t k = 0; k < a->base.n_defined; k++) {
        uint32_t config = a->base.order[k];
        if (!bounds_of(a, a->listings + config, b->narrow, w, scale, &least, &most, prefetch)) continue;
        for (int j = 0; j < 4; j++) {
            vector32 better = (vector32)((signed32)most.of[j] < (signed32)w->best.of[j]);
            w->best.of[j] = (most.of[j] & better) | (w->best.of[j] & ~better);
        }
        found[n] = config;
        bounds[n++] = least;
    }
    return n;
}

static void winners_by_bounds(const program *p, const block *b, precision_workspace *w, int64_t *out)
{
    const precision_program *a = (const precision_program *)p;
    double lost[LANES], largest = 1, *scores = scores_of_configs(a, w);
    int64_t best[LANES];
    uint32_t n_left[LANES] = {0};
    uint32_t *found = (uint32_t *)(scores + p->n_defined * LANES);
    int exponent;
    for (int l = 0; l < LANES; l++) {
        largest = w->pos[l] > largest ? w->pos[l] : largest;
        /* An undefined draw must not keep a configuration alive: nothing is small enough. */
        best[l] = w->pos[l] > 0 ? (int64_t)1 << 30 : -((int64_t)1 << 30);
    }
    frexp(largest, &exponent);
    w->best = in_slots(best);
    /* Bounds take half of the room of scores, the upper half: what is still needed is read first. */
    quads *bounds = (quads *)(scores + p->n_defined * LANES / 2);
    float scale = (float)ldexp(1, MOST_UNITS - exponent);
    size_t n = a->far_apart ? find_candidates(a, b, w, scale, found, bounds, 1)
                            : find_candidates(a, b, w, scale, found, bounds, 0);
    for (size_t k = 0; k < n; k++)
        for (int l = 0; l < LANES; l++)
            n_left[l] += in_slot_of(bounds + k, l) <= in_slot_of(&w->best, l);
    for (size_t k = 0; k < n; k++) {
        quads bound = bounds[k];
        int wanted[LANES], n_wanted = 0;
        for (int l = 0; l < LANES; l++) {
            int may_win = in_slot_of(&bound, l) <= in_slot_of(&w->best, l);
            wanted[l] = may_win && n_left[l] > 1;
            n_wanted += wanted[l];
            /* Where only one is left it wins, whatever its score. */
            scores[k * LANES + (size_t)l] = may_win ? 0 : -INFINITY;
        }
        if (n_wanted > p->kernel->few_draws) losses_of(a, b, a->listings + found[k], w, NULL, lost);
        for (int l = 0; l < LANES; l++) {
            if (!wanted[l]) continue;
            if (n_wanted <= p->kernel->few_draws)
                lost[l] = loss_of_one_uint8_t(a, w, found[k], l, b->narrow + l, 1);
            scores[k * LANES + (size_t)l] = score_from(w->pos[l], lost[l]);
        }
    }
    choose(p, b, found, n, scores, out);
}
#endif

/* ---- the kernel ---- */

static void precision_winners(
    const program *p, const block *b, void *scratch, int64_t *limit, int64_t *out)
{
    (void)limit;
#if HAVE_VECTORS
    if (b->narrow) {
        winners_by_bounds(p, b, scratch, out);
        return;
    }
#endif
    winners_by_sum(p, b, scratch, out);
}

const kernel AVERAGE_PRECISION_KERNEL = {
    .lanes = LANES,
    .narrow_up_to = HAVE_VECTORS ? LARGEST : -1,
    .few_draws = LANES / 8,
    .scratch_size = precision_scratch_size,
    .begin = precision_begin,
    .winners = precision_winners,
    .loss = precision_loss,
    .begin_draw = precision_begin_draw,
    .loss_of_draw = precision_loss_of_draw,
    .tie_margin = tie_margin,
    .destroy = precision_destroy,
    .list = precision_list,
};

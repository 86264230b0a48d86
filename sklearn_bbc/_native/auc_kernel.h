/* Area under the ROC curve of many configurations on many draws, in integers. Included once for
 * each number of lanes, with
 *   LANES       draws per block, and bytes per vector: 16, 32 or 64
 *   AUC_KERNEL  name of the kernel
 * after vectors.h.
 *
 * With weights w and the sums W1 and W0 of the positives' and negatives' weights,
 *
 *     AUC = (2 W1 W0 - deficit) / (2 W1 W0),
 *     deficit = sum over positives p of w_p * (2 * weight of the negatives above p
 *                                                + weight of those with an equal score).
 *
 * W1 W0 is the same for all configurations of a draw, so the smallest deficit wins. A deficit
 * only grows while positives are added, lowest score first, so a configuration is given up as
 * soon as its deficit exceeds the best one in every lane: exact, and most are given up early.
 *
 * Sums run in 8 bits, LANES draws per instruction. For that the sorted rows are cut into
 * *chunks* so short that no 8-bit sum overflows: the chunk's negatives are added up once,
 * keeping every partial sum, then each positive looks up the partial sum at its place (`cut`).
 * Products need 16 bits, totals 32 or 64. Ties: every negative is listed twice, below and
 * above the positives it is tied with (or twice below its successor), which counts in halves.
 */
typedef struct {
    uint64_t pos[LANES], neg[LANES]; /* sums of the classes' counts */
    int small;                       /* all deficits fit 31 bits */
} totals;

static size_t scratch_size(const program *p)
{
    (void)p;
    return sizeof(totals);
}

static int begin(const program *p, block *b, void *scratch)
{
    const auc_program *a = (const auc_program *)p;
    totals *t = scratch;
    sum_rows(b, LANES, a->pos_rows, a->n_pos, t->pos);
    sum_rows(b, LANES, a->neg_rows, a->n_neg, t->neg);
    t->small = 1;
    for (int l = 0; l < LANES; l++) {
        if (t->pos[l] + t->neg[l] > MAX_TOTAL) return TOO_LARGE;
        b->size[l] = (double)(2 * t->pos[l] * t->neg[l]);
        t->small &= b->size[l] < INT32_MAX;
    }
    return DONE;
}

/* ---- one chunk in vectors: counts of one byte ---- */

#if HAVE_VECTORS
/* 8-bit sum of its negatives, of its positives, and 16-bit sums of the products. */
typedef struct {
    vector8 neg, pos;
    vector16 even, odd;
} chunk_sums;

/* `below` holds the partial sums of the negatives, the first of which is zero. */
static ALWAYS_INLINE chunk_sums add_chunk(const uint8_t *RESTRICT counts, int n_neg,
    const uint32_t *RESTRICT neg, int n_pos, const uint32_t *RESTRICT pos,
    const uint8_t *RESTRICT cut, uint8_t *RESTRICT below, int prefetch)
{
    chunk_sums s = {{0}, {0}, {0}, {0}};
    uint8_t *next = below + LANES;
    for (int k = 0; k < n_neg; k++, next += LANES) {
        if (prefetch) __builtin_prefetch(counts + neg[k + PREFETCH]);
        s.neg += *(const vector8 *)(counts + neg[k]);
        *(vector8 *)next = s.neg;
    }
    for (int k = 0; k < n_pos; k++) {
        if (prefetch) __builtin_prefetch(counts + pos[k + PREFETCH]);
        vector8 weight = *(const vector8 *)(counts + pos[k]);
        vector8 won = *(const vector8 *)(below + cut[k] * LANES);
        s.pos += weight;
        s.even += ((vector16)weight & 0xff) * ((vector16)won & 0xff);
        s.odd += ((vector16)weight >> 8) * ((vector16)won >> 8);
    }
    return s;
}
#endif

/* ---- deficits of 64 bits, in the order of the lanes: any counts, any total, any compiler ---- */

static void add_wide_chunk(const uint16_t *RESTRICT counts, int n_neg, const uint32_t *RESTRICT neg,
    int n_pos, const uint32_t *RESTRICT pos, const uint8_t *RESTRICT cut,
    uint64_t *RESTRICT above, uint64_t *RESTRICT lost)
{
    uint32_t below[LIMIT + 1][LANES];
    memset(below[0], 0, sizeof below[0]);
    for (int k = 0; k < n_neg; k++)
        for (int l = 0; l < LANES; l++) below[k + 1][l] = below[k][l] + counts[neg[k] + (size_t)l];
    for (int k = 0; k < n_pos; k++)
        for (int l = 0; l < LANES; l++)
            lost[l] += counts[pos[k] + (size_t)l] * (above[l] - below[cut[k]][l]);
    for (int l = 0; l < LANES; l++) above[l] -= below[n_neg][l];
}

/* Deficits of a configuration; 0 as soon as they exceed `best` in every lane, else 1. */
static int deficits_64(const auc_program *a, const block *b, const totals *t, size_t config,
    const int64_t *best, int64_t *deficit)
{
    const listing *list = a->listings + config;
    const uint32_t *neg = list->neg, *pos = list->pos;
    const uint8_t *cut = list->cut;
    uint64_t above[LANES], lost[LANES] = {0};
#if HAVE_VECTORS
    uint8_t below[(LIMIT + 1) * LANES] __attribute__((aligned(ALIGNMENT)));
    memset(below, 0, LANES);
#endif
    memset(deficit, 0, LANES * sizeof *deficit);
    for (int l = 0; l < LANES; l++) above[l] = t->neg[l] << list->doubled;
    for (size_t q = 0; q < list->n_chunks; q++) {
        int n_neg = list->chunks[q].n_neg, n_pos = list->chunks[q].n_pos, alive = 0;
#if HAVE_VECTORS
        if (b->narrow) {
            chunk_sums s = add_chunk(b->narrow, n_neg, neg, n_pos, pos, cut, below, 1);
            for (int l = 0; l < LANES; l++) {
                lost[l] += s.pos[l] * above[l] - (l % 2 ? s.odd[l / 2] : s.even[l / 2]);
                above[l] -= s.neg[l];
            }
        } else
#endif
            add_wide_chunk(b->wide, n_neg, neg, n_pos, pos, cut, above, lost);
        neg += n_neg, pos += n_pos, cut += n_pos;
        for (int l = 0; l < LANES; l++) {
            deficit[l] = (int64_t)(lost[l] << !list->doubled);
            alive |= deficit[l] <= best[l];
        }
        if (!alive) return 0;
    }
    return 1;
}

/* What a deficit must be below to win. An undefined draw must not keep a configuration alive: no
 * deficit is small enough. */
static int64_t first_best(const block *b, int lane, const int64_t *limit, int64_t largest)
{
    if (!(b->size[lane] > 0)) return -1;
    if (!limit || lane >= b->n_draws || limit[lane] >= largest) return largest;
    return limit[lane] < 0 ? 0 : limit[lane] + 1;
}

static void winners_64(
    const program *p, const block *b, const totals *t, int64_t *limit, int64_t *out)
{
    int64_t best[LANES], deficit[LANES], winner[LANES];
    for (int l = 0; l < LANES; l++) {
        best[l] = first_best(b, l, limit, INT64_MAX);
        winner[l] = -1;
    }
    for (size_t k = 0; k < p->n_defined; k++) {
        int64_t config = p->order[k];
        if (!deficits_64((const auc_program *)p, b, t, (size_t)config, best, deficit)) continue;
        for (int l = 0; l < LANES; l++)
            if (deficit[l] < best[l] || (deficit[l] == best[l] && config < winner[l])) {
                best[l] = deficit[l];
                winner[l] = config;
            }
    }
    for (int l = 0; l < b->n_draws; l++) {
        out[l] = winner[l];
        if (limit && winner[l] >= 0) limit[l] = best[l];
    }
}

/* ---- deficits that fit 31 bits, of counts of one byte: nearly all there are ---- */

#if HAVE_VECTORS
/* As deficits_64; a negative `best` is worse than any. */
static ALWAYS_INLINE int deficits_32(const listing *list, const uint8_t *counts,
    const quads *n_neg, const quads *best, quads *deficit, int prefetch)
{
    uint8_t below[(LIMIT + 1) * LANES] __attribute__((aligned(ALIGNMENT)));
    memset(below, 0, LANES);
    const uint32_t *neg = list->neg, *pos = list->pos;
    const uint8_t *cut = list->cut;
    const chunk *chunks = list->chunks;
    size_t n_chunks = list->n_chunks;
    int unit = !list->doubled;
    quads above, lost, left;
    for (int j = 0; j < 4; j++) {
        above.of[j] = n_neg->of[j] << list->doubled;
        lost.of[j] = (vector32){0};
    }
    for (size_t q = 0; q < n_chunks; q++) {
        chunk_sums s = add_chunk(
            counts, chunks[q].n_neg, neg, chunks[q].n_pos, pos, cut, below, prefetch);
        neg += chunks[q].n_neg;
        pos += chunks[q].n_pos;
        cut += chunks[q].n_pos;
        quads passed = widen8(s.neg), weight = widen8(s.pos), won = widen16(s.even, s.odd);
        for (int j = 0; j < 4; j++) {
            lost.of[j] += weight.of[j] * above.of[j] - won.of[j];
            above.of[j] -= passed.of[j];
            left.of[j] = best->of[j] - (lost.of[j] << unit);
        }
        if (all_negative(&left)) return 0;
    }
    for (int j = 0; j < 4; j++) deficit->of[j] = lost.of[j] << unit;
    return 1;
}

static ALWAYS_INLINE void winners_32(const program *p, const block *b, const totals *t,
    int64_t *limit, int64_t *out, int prefetch)
{
    int64_t start[LANES];
    for (int l = 0; l < LANES; l++) start[l] = first_best(b, l, limit, INT32_MAX);
    quads n_neg = in_slots((const int64_t *)t->neg), best = in_slots(start), deficit, winner;
    memset(&winner, -1, sizeof winner);
    for (size_t k = 0; k < p->n_defined; k++) {
        const listing *list = ((const auc_program *)p)->listings + p->order[k];
        if (!deficits_32(list, b->narrow, &n_neg, &best, &deficit, prefetch)) continue;
        int32_t config = (int32_t)p->order[k];
        for (int j = 0; j < 4; j++) {
            signed32 new = (signed32)deficit.of[j], old = (signed32)best.of[j];
            signed32 holder = (signed32)winner.of[j];
            vector32 better = (vector32)((new < old) | ((new == old) & (config < holder)));
            best.of[j] = (deficit.of[j] & better) | (best.of[j] & ~better);
            winner.of[j] = ((uint32_t)config & better) | (winner.of[j] & ~better);
        }
    }
    for (int l = 0; l < b->n_draws; l++) {
        out[l] = in_slot_of(&winner, l);
        if (limit && out[l] >= 0) limit[l] = in_slot_of(&best, l);
    }
}
#endif

/* ---- the kernel ---- */

static void winners(const program *p, const block *b, void *scratch, int64_t *limit, int64_t *out)
{
    const totals *t = scratch;
#if HAVE_VECTORS
    if (b->narrow && t->small) {
        if (((const auc_program *)p)->far_apart)
            winners_32(p, b, t, limit, out, 1);
        else
            winners_32(p, b, t, limit, out, 0);
        return;
    }
#endif
    winners_64(p, b, t, limit, out);
}

static void loss(const program *p, const block *b, void *scratch, size_t config, double *lost)
{
    const auc_program *a = (const auc_program *)p;
    const totals *t = scratch;
    int64_t most[LANES], deficit[LANES];
    for (int l = 0; l < LANES; l++) most[l] = INT64_MAX; /* to the end */
#if HAVE_VECTORS
    if (b->narrow && t->small) {
        quads n_neg = in_slots((const int64_t *)t->neg), best, found;
        for (int j = 0; j < 4; j++) best.of[j] = (vector32){0} + INT32_MAX;
        deficits_32(a->listings + config, b->narrow, &n_neg, &best, &found, 1);
        for (int l = 0; l < LANES; l++) lost[l] = in_slot_of(&found, l);
        return;
    }
#endif
    deficits_64(a, b, t, config, most, deficit);
    for (int l = 0; l < LANES; l++) lost[l] = (double)deficit[l];
}

static int begin_draw(const program *p, draw *d, void *scratch)
{
    const auc_program *a = (const auc_program *)p;
    uint64_t pos = sum_draw(d, LANES, a->pos_rows, a->n_pos);
    uint64_t neg = ((totals *)scratch)->neg[0] = sum_draw(d, LANES, a->neg_rows, a->n_neg);
    d->size = (double)(2 * pos * neg);
    return pos + neg > MAX_TOTAL ? TOO_LARGE : DONE;
}

static double loss_of_draw(const program *p, const draw *d, void *scratch, size_t config)
{
    const listing *list = ((const auc_program *)p)->listings + config;
    const uint32_t *neg = list->neg, *pos = list->pos;
    const uint8_t *cut = list->cut;
    uint64_t below[LIMIT + 1] = {0}, lost = 0;
    uint64_t above = ((const totals *)scratch)->neg[0] << list->doubled;
#define ADD_ALL(COUNTS)                                                                     \
    for (size_t q = 0; q < list->n_chunks; q++) {                                           \
        int n_neg = list->chunks[q].n_neg, n_pos = list->chunks[q].n_pos;                   \
        for (int k = 0; k < n_neg; k++) below[k + 1] = below[k] + (COUNTS)[*neg++ / LANES]; \
        for (int k = 0; k < n_pos; k++) lost += (COUNTS)[*pos++ / LANES] * (above - below[*cut++]); \
        above -= below[n_neg];                                                              \
    }
    if (d->narrow)
        ADD_ALL(d->narrow)
    else
        ADD_ALL(d->wide)
#undef ADD_ALL
    return (double)(lost << !list->doubled);
}

const kernel AUC_KERNEL = {
    .lanes = LANES,
    .narrow_up_to = HAVE_VECTORS ? LARGEST : -1,
    .few_draws = 2,
    .scratch_size = scratch_size,
    .begin = begin,
    .winners = winners,
    .loss = loss,
    .begin_draw = begin_draw,
    .loss_of_draw = loss_of_draw,
    .destroy = auc_destroy,
    .list = auc_list,
};

/* Area under the ROC curve of many configurations on many draws, in integers. Included once for
 * each number of lanes, with
 *   LANES       draws per block, and bytes per vector: 16, 32 or 64
 *   AUC_KERNEL  name of the kernel
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
/* What a block needs beside its counts. */
typedef struct {
    uint64_t pos[LANES], neg[LANES]; /* sums of the classes' counts */
    int small;                       /* all deficits fit 31 bits */
} totals;

static size_t scratch_size(const program *p)
{
    (void)p;
    return sizeof(totals);
}

static int begin(const program *p, const block *b, void *scratch)
{
    const auc_program *a = (const auc_program *)p;
    totals *t = scratch;
    sum_rows(b, LANES, a->pos_rows, a->n_pos, t->pos);
    sum_rows(b, LANES, a->neg_rows, a->n_neg, t->neg);
    t->small = 1;
    for (int l = 0; l < LANES; l++) {
        if (t->pos[l] + t->neg[l] > MAX_TOTAL) return TOO_LARGE;
        t->small &= 2 * t->pos[l] * t->neg[l] < INT32_MAX;
    }
    return DONE;
}

/* ---- deficits in plain C: any count, any total, any compiler ---- */

/* Deficits of a configuration; 0 as soon as they exceed `best` in every lane, else 1. */
#define DEFICITS_PLAIN(COUNT)                                                               \
    static int deficits_plain_##COUNT(const listing *list, const chunking *cut_up,          \
        const COUNT *counts, const totals *t, const int64_t *best, int64_t *deficit)        \
    {                                                                                       \
        uint32_t below[256][LANES];                                                         \
        uint64_t above[LANES], lost[LANES] = {0};                                           \
        for (int l = 0; l < LANES; l++) below[0][l] = 0;                                    \
        for (int l = 0; l < LANES; l++) above[l] = t->neg[l] << list->doubled;              \
        const uint32_t *neg = list->neg, *pos = list->pos;                                  \
        const uint8_t *cut = cut_up->cut;                                                   \
        for (size_t q = 0; q < cut_up->n_chunks; q++) {                                     \
            int n_neg = cut_up->chunks[q].n_neg, n_pos = cut_up->chunks[q].n_pos;           \
            for (int k = 0; k < n_neg; k++)                                                 \
                for (int l = 0; l < LANES; l++)                                             \
                    below[k + 1][l] = below[k][l] + counts[neg[k] + (size_t)l];             \
            for (int k = 0; k < n_pos; k++)                                                 \
                for (int l = 0; l < LANES; l++)                                             \
                    lost[l] += counts[pos[k] + (size_t)l] * (above[l] - below[cut[k]][l]);  \
            neg += n_neg, pos += n_pos, cut += n_pos;                                       \
            int alive = 0;                                                                  \
            for (int l = 0; l < LANES; l++) {                                               \
                above[l] -= below[n_neg][l];                                                \
                deficit[l] = (int64_t)(lost[l] << !list->doubled);                          \
                alive |= deficit[l] <= best[l];                                             \
            }                                                                               \
            if (!alive) return 0;                                                           \
        }                                                                                   \
        return 1;                                                                           \
    }
DEFICITS_PLAIN(uint16_t)
#if !HAVE_VECTORS
DEFICITS_PLAIN(uint8_t)
#endif

/* ---- deficits in vectors: one-byte counts ---- */

#if HAVE_VECTORS
/* The same LANES bytes as lanes of 8, 16 or 32 bits. Reading bytes through them is what
 * may_alias permits. */
typedef uint8_t vector8 __attribute__((vector_size(LANES), may_alias));
typedef uint16_t vector16 __attribute__((vector_size(LANES), may_alias));
typedef uint32_t vector32 __attribute__((vector_size(LANES), may_alias));
typedef int32_t signed32 __attribute__((vector_size(LANES), may_alias));

/* Four vectors of LANES/4 numbers. Number i of vector j belongs to lane 4 i + j: byte j of
 * every 32-bit number. */
typedef struct {
    vector32 of[4];
} quads;

static ALWAYS_INLINE quads widen8(vector8 x)
{
    vector32 v = (vector32)x;
    return (quads){{v & 0xff, v >> 8 & 0xff, v >> 16 & 0xff, v >> 24}};
}

/* From the sums of the bytes at even and odd places. */
static ALWAYS_INLINE quads widen16(vector16 even, vector16 odd)
{
    vector32 e = (vector32)even, o = (vector32)odd;
    return (quads){{e & 0xffff, o & 0xffff, e >> 16, o >> 16}};
}

static ALWAYS_INLINE int all_negative(const quads *x)
{
    vector32 all = x->of[0] & x->of[1] & x->of[2] & x->of[3];
    uint64_t halves[LANES / 8], both = UINT64_MAX;
    memcpy(halves, &all, sizeof all);
    for (int i = 0; i < LANES / 8; i++) both &= halves[i];
    return (both & 0x8000000080000000u) == 0x8000000080000000u;
}

/* One chunk: 8-bit sum of its negatives, of its positives, and 16-bit sums of the products. */
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

/* Deficits that fit 31 bits; a negative `best` is worse than any. */
static ALWAYS_INLINE int deficits_32(const listing *list, const chunking *cut_up,
    const uint8_t *counts, const quads *n_neg, const quads *best, quads *deficit, int prefetch)
{
    uint8_t below[256 * LANES] __attribute__((aligned(ALIGNMENT)));
    memset(below, 0, LANES);
    const uint32_t *neg = list->neg, *pos = list->pos;
    const uint8_t *cut = cut_up->cut;
    const chunk *chunks = cut_up->chunks;
    size_t n_chunks = cut_up->n_chunks;
    int unit = !list->doubled;
    quads above, lost, room;
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
            room.of[j] = best->of[j] - (lost.of[j] << unit);
        }
        if (all_negative(&room)) return 0;
    }
    for (int j = 0; j < 4; j++) deficit->of[j] = lost.of[j] << unit;
    return 1;
}

/* Deficits of 64 bits, in the order of the lanes. */
static ALWAYS_INLINE int deficits_64(const listing *list, const chunking *cut_up,
    const uint8_t *counts, const totals *t, const int64_t *best, int64_t *deficit, int prefetch)
{
    uint8_t below[256 * LANES] __attribute__((aligned(ALIGNMENT)));
    memset(below, 0, LANES);
    const uint32_t *neg = list->neg, *pos = list->pos;
    const uint8_t *cut = cut_up->cut;
    const chunk *chunks = cut_up->chunks;
    int unit = !list->doubled;
    uint64_t above[LANES], lost[LANES] = {0};
    for (int l = 0; l < LANES; l++) above[l] = t->neg[l] << list->doubled;
    for (size_t q = 0; q < cut_up->n_chunks; q++) {
        chunk_sums s = add_chunk(
            counts, chunks[q].n_neg, neg, chunks[q].n_pos, pos, cut, below, prefetch);
        neg += chunks[q].n_neg;
        pos += chunks[q].n_pos;
        cut += chunks[q].n_pos;
        int alive = 0;
        for (int l = 0; l < LANES; l++) {
            uint64_t won = l % 2 ? s.odd[l / 2] : s.even[l / 2];
            lost[l] += s.pos[l] * above[l] - won;
            above[l] -= s.neg[l];
            deficit[l] = (int64_t)(lost[l] << unit);
            alive |= deficit[l] <= best[l];
        }
        if (!alive) return 0;
    }
    return 1;
}
#endif

/* ---- winners and scores ---- */

static int defined(const totals *t, int lane) { return t->pos[lane] > 0 && t->neg[lane] > 0; }

/* What a deficit must be below to win. An undefined draw must not keep a configuration alive: no
 * deficit is small enough. */
static int64_t first_best(const totals *t, int lane, const int64_t *limit, int64_t largest)
{
    if (!defined(t, lane)) return -1;
    if (!limit || limit[lane] >= largest) return largest;
    return limit[lane] < 0 ? 0 : limit[lane] + 1;
}

static const chunking *chunking_for(const listing *list, const block *b)
{
    return list->by_class + auc_class_for(b->largest);
}

#if HAVE_VECTORS
static quads in_slots(const int64_t *lanes)
{
    quads x;
    for (int l = 0; l < LANES; l++) x.of[l % 4][l / 4] = (uint32_t)lanes[l];
    return x;
}

static ALWAYS_INLINE int32_t in_slot_of(const quads *x, int lane)
{
    return (int32_t)x->of[lane % 4][lane / 4];
}

static ALWAYS_INLINE void winners_32(const auc_program *a, const block *b, const totals *t,
    int64_t *limit, int64_t *out, int prefetch)
{
    int64_t start[LANES];
    for (int l = 0; l < LANES; l++) start[l] = first_best(t, l, limit, INT32_MAX);
    quads n_neg = in_slots((const int64_t *)t->neg), best = in_slots(start), deficit, winner;
    memset(&winner, -1, sizeof winner);
    for (size_t k = 0; k < a->n_defined; k++) {
        const listing *list = a->listings + a->order[k];
        if (!deficits_32(list, chunking_for(list, b), b->narrow, &n_neg, &best, &deficit,
                prefetch))
            continue;
        int32_t config = (int32_t)a->order[k];
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

static ALWAYS_INLINE void all_deficits_32(const auc_program *a, const block *b, const totals *t,
    size_t config, int64_t *deficit, int prefetch)
{
    const listing *list = a->listings + config;
    int64_t highest[LANES];
    for (int l = 0; l < LANES; l++) highest[l] = INT32_MAX;
    quads n_neg = in_slots((const int64_t *)t->neg), best = in_slots(highest), found;
    deficits_32(list, chunking_for(list, b), b->narrow, &n_neg, &best, &found, prefetch);
    for (int l = 0; l < LANES; l++) deficit[l] = in_slot_of(&found, l);
}
#endif

/* Any block: deficits of one configuration in the order of the lanes. */
static int deficits(const auc_program *a, const block *b, const totals *t, size_t config,
    const int64_t *best, int64_t *deficit)
{
    const listing *list = a->listings + config;
    const chunking *cut_up = chunking_for(list, b);
    if (b->wide) return deficits_plain_uint16_t(list, cut_up, b->wide, t, best, deficit);
#if HAVE_VECTORS
    return a->far_apart ? deficits_64(list, cut_up, b->narrow, t, best, deficit, 1)
                        : deficits_64(list, cut_up, b->narrow, t, best, deficit, 0);
#else
    return deficits_plain_uint8_t(list, cut_up, b->narrow, t, best, deficit);
#endif
}

static void winners_64(
    const auc_program *a, const block *b, const totals *t, int64_t *limit, int64_t *out)
{
    int64_t best[LANES], deficit[LANES], winner[LANES];
    for (int l = 0; l < LANES; l++) {
        best[l] = first_best(t, l, limit, INT64_MAX);
        winner[l] = -1;
    }
    for (size_t k = 0; k < a->n_defined; k++) {
        int64_t config = a->order[k];
        if (!deficits(a, b, t, (size_t)config, best, deficit)) continue;
        for (int l = 0; l < LANES; l++)
            if (deficit[l] < best[l] || (deficit[l] == best[l] && config < winner[l])) {
                best[l] = deficit[l];
                winner[l] = config;
            }
    }
    memcpy(out, winner, (size_t)b->n_draws * sizeof *out);
    for (int l = 0; limit && l < b->n_draws; l++)
        if (winner[l] >= 0) limit[l] = best[l];
}

/* 0: 64 bits, 1: 32 bits, 2: 32 bits with prefetching */
static int mode_of(const auc_program *a, const block *b, const totals *t)
{
    return HAVE_VECTORS && b->narrow && t->small ? 1 + a->far_apart : 0;
}

static void winners_within(
    const program *p, const block *b, void *scratch, int64_t *limit, int64_t *out)
{
    const auc_program *a = (const auc_program *)p;
    const totals *t = scratch;
    switch (mode_of(a, b, t)) {
#if HAVE_VECTORS
    case 1: winners_32(a, b, t, limit, out, 0); break;
    case 2: winners_32(a, b, t, limit, out, 1); break;
#endif
    default: winners_64(a, b, t, limit, out);
    }
}

static void winners(const program *p, const block *b, void *scratch, int64_t *out)
{
    winners_within(p, b, scratch, NULL, out);
}

static void loss(const program *p, const block *b, void *scratch, size_t config, double *lost)
{
    const auc_program *a = (const auc_program *)p;
    const totals *t = scratch;
    int64_t best[LANES], deficit[LANES] = {0};
    for (int l = 0; l < LANES; l++) best[l] = INT64_MAX; /* to the end */
    int undefined = a->listings[config].undefined;
    switch (undefined ? -1 : mode_of(a, b, t)) {
    case -1: break;
#if HAVE_VECTORS
    case 1: all_deficits_32(a, b, t, config, deficit, 0); break;
    case 2: all_deficits_32(a, b, t, config, deficit, 1); break;
#endif
    default: deficits(a, b, t, config, best, deficit);
    }
    for (int l = 0; l < LANES; l++) lost[l] = undefined ? NAN : (double)deficit[l];
}

/* ---- one lane alone: what few draws ask for ---- */

static ALWAYS_INLINE unsigned count_of(const block *b, size_t at)
{
    return b->narrow ? b->narrow[at] : b->wide[at];
}

static double loss_of_lane(
    const program *p, const block *b, void *scratch, size_t config, int lane)
{
    const listing *list = ((const auc_program *)p)->listings + config;
    const totals *t = scratch;
    if (list->undefined) return NAN;
    const chunking *cut_up = list->by_class; /* any suits sums of 64 bits */
    const uint32_t *neg = list->neg, *pos = list->pos;
    const uint8_t *cut = cut_up->cut;
    uint64_t below[256], above = t->neg[lane] << list->doubled, lost = 0;
    below[0] = 0;
    for (size_t q = 0; q < cut_up->n_chunks; q++) {
        int n_neg = cut_up->chunks[q].n_neg, n_pos = cut_up->chunks[q].n_pos;
        for (int k = 0; k < n_neg; k++)
            below[k + 1] = below[k] + count_of(b, *neg++ + (size_t)lane);
        for (int k = 0; k < n_pos; k++)
            lost += count_of(b, *pos++ + (size_t)lane) * (above - below[*cut++]);
        above -= below[n_neg];
    }
    return (double)(lost << !list->doubled);
}

static void sizes(const program *p, const block *b, void *scratch, double *size)
{
    const totals *t = scratch;
    (void)p, (void)b;
    for (int l = 0; l < LANES; l++) size[l] = (double)(2 * t->pos[l] * t->neg[l]);
}

const kernel AUC_KERNEL = {
    .name = "auc",
    .lanes = LANES,
    .prepare = auc_prepare,
    .scratch_size = scratch_size,
    .begin = begin,
    .winners = winners,
    .winners_within = winners_within,
    .loss = loss,
    .loss_of_lane = loss_of_lane,
    .sizes = sizes,
    .destroy = auc_destroy,
};

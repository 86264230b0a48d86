/* Order of the predictions of one configuration.
 *
 * Radix sort: linear time, no comparisons that a processor could mispredict, and several times
 * faster than a comparison sort at the sizes that occur here. It runs on the place of each value
 * between the smallest and the largest, on a linear scale: two digits of it tell nearly all
 * values apart, and those with the same ones are put in order afterwards by insertion. Where
 * values of very different magnitude crowd on one spot, all 64 bits are sorted: no input is slow.
 *
 * Many values are parted by one digit first, into so few values each that the rest happens in the
 * fastest caches, on a scale of their own: crowds are spread out.
 */
#include "kernel.h"

#include <float.h>

/* Up to so many values are sorted at once, and parts have about PART_SIZE of them. A part that is
 * still large, or whose values crowd, is parted again, PARTINGS times at most. */
enum { AT_ONCE = 1 << 17, PART_SIZE = 512, MOST_PARTS = 2048, PARTINGS = 4 };

/* Values and their indices. */
typedef struct {
    double *values;
    uint32_t *indices;
} pairs;

struct sorter {
    size_t n;
    uint64_t *items, *other; /* place << 32 | index */
    pairs parted[2];         /* in turn; used above PART_SIZE values */
    uint8_t *tied;           /* a value equals the one before; at first: their places do */
};

sorter *sorter_new(size_t n)
{
    sorter *s = allocate(sizeof *s);
    if (!s) return NULL;
    memset(s, 0, sizeof *s);
    size_t at_once = n < AT_ONCE ? n : AT_ONCE;
    s->n = n;
    s->items = allocate((at_once + 1) * sizeof *s->items);
    s->other = allocate((at_once + 1) * sizeof *s->other);
    s->tied = allocate(n + 1);
    int whole = s->items && s->other && s->tied;
    for (int k = 0; k < 2 && n > PART_SIZE; k++) {
        s->parted[k].values = allocate(n * sizeof(double));
        s->parted[k].indices = allocate(n * sizeof(uint32_t));
        whole &= s->parted[k].values && s->parted[k].indices;
    }
    if (whole) return s;
    sorter_free(s);
    return NULL;
}

void sorter_free(sorter *s)
{
    if (!s) return;
    release(s->items);
    release(s->other);
    release(s->tied);
    for (int k = 0; k < 2; k++) {
        release(s->parted[k].values);
        release(s->parted[k].indices);
    }
    release(s);
}

const uint8_t *tied_values(const sorter *s) { return s->tied; }

/* ---- by place ---- */

/* Stable distribution of the items by the digit at `shift`; counts: its histogram. */
static ALWAYS_INLINE void distribute(
    sorter *s, size_t n, uint32_t *counts, int shift, int bits)
{
    uint32_t n_buckets = (uint32_t)1 << bits, mask = n_buckets - 1, start = 0;
    for (uint32_t i = 0; i < n_buckets; i++) {
        uint32_t count = counts[i];
        counts[i] = start;
        start += count;
    }
    const uint64_t *from = s->items;
    uint64_t *to = s->other;
    for (size_t i = 0; i < n; i++) to[counts[(from[i] >> shift) & mask]++] = from[i];
    s->other = s->items;
    s->items = to;
}

/* Sorts the items by two digits; 0 where more than a quarter of them share the leading one. */
static ALWAYS_INLINE int sort_digits(sorter *s, size_t n, int bits)
{
    uint32_t low[1 << 10], high[1 << 10], most = 0, mask = ((uint32_t)1 << bits) - 1;
    memset(low, 0, sizeof *low << bits);
    memset(high, 0, sizeof *high << bits);
    for (size_t i = 0; i < n; i++) {
        uint32_t place = (uint32_t)(s->items[i] >> 32);
        low[place & mask]++;
        high[place >> bits]++;
    }
    for (uint32_t i = 0; i <= mask; i++) most = high[i] > most ? high[i] : most;
    if (most > n / 4 + 4) return 0;
    distribute(s, n, low, 32, bits);
    distribute(s, n, high, 32 + bits, bits);
    return 1;
}

static ALWAYS_INLINE double least(double x, double y) { return y < x ? y : x; }
static ALWAYS_INLINE double greatest(double x, double y) { return y > x ? y : x; }

/* The smallest value, and how many places of a linear scale there are for 1; 0 if the values have no
 * such scale, as infinite ones, and infinite if they are all equal. Rounding is monotone. */
static double scale_of(const double *values, size_t n, int n_places, double *smallest)
{
    size_t i = 0;
    double low[4], high[4]; /* in turn: a comparison has to wait for the one before it */
    for (int k = 0; k < 4; k++) low[k] = high[k] = values[0];
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++) {
            low[k] = least(low[k], values[i + k]);
            high[k] = greatest(high[k], values[i + k]);
        }
    for (; i < n; i++) {
        low[0] = least(low[0], values[i]);
        high[0] = greatest(high[0], values[i]);
    }
    double first = least(least(low[0], low[1]), least(low[2], low[3]));
    double last = greatest(greatest(high[0], high[1]), greatest(high[2], high[3]));
    double scale = (double)(n_places - 1) / (last - first);
    *smallest = first;
    return first == last ? INFINITY : scale > 0 && scale <= 1e300 ? scale : 0;
}

/* Returns 0 if the values have no linear scale or crowd on it. */
static int sort_by_place(sorter *s, const double *values, size_t n)
{
    int bits = n < 128 ? 6 : n < 3000 ? 8 : 10; /* buckets cost time too */
    double first, scale = scale_of(values, n, 1 << (2 * bits), &first);
    if (!(scale > 0)) return 0;
    if (scale > DBL_MAX) {
        for (size_t i = 0; i < n; i++) s->items[i] = i;
        return 1;
    }
    for (size_t i = 0; i < n; i++)
        s->items[i] = (uint64_t)(uint32_t)(int32_t)((values[i] - first) * scale) << 32 | i;
    if (bits == 6) return sort_digits(s, n, 6); /* constants: the loops are unrolled */
    return bits == 8 ? sort_digits(s, n, 8) : sort_digits(s, n, 10);
}

/* Takes the order over and sorts what shares a place; returns whether anything does, or -1 if that
 * takes more moves than there are values. */
static int repair(
    const uint64_t *items, const double *values, size_t n, uint32_t *order, uint8_t *tied)
{
    size_t moves = 0;
    uint32_t any = 0;
    order[0] = (uint32_t)items[0];
    tied[0] = 0;
    for (size_t i = 1; i < n; i++) {
        uint32_t same = items[i] >> 32 == items[i - 1] >> 32;
        order[i] = (uint32_t)items[i];
        tied[i] = (uint8_t)same;
        any |= same;
    }
    /* Moves nothing past an equal value: the sort stays stable. */
    for (size_t i = 1; any && i < n; i++) {
        if (!tied[i]) continue;
        uint32_t index = order[i];
        size_t j = i;
        for (; j > 0 && values[order[j - 1]] > values[index]; j--, moves++)
            order[j] = order[j - 1];
        order[j] = index;
        if (moves > n) return -1;
    }
    return any != 0;
}

/* ---- by all 64 bits ---- */

/* Unsigned integer that orders as the double does. */
static ALWAYS_INLINE uint64_t key_of(double value)
{
    uint64_t bits;
    value += 0.0; /* turns -0.0 into 0.0: equal values get equal numbers */
    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | 0x8000000000000000u);
}

/* `to` has room for n numbers. */
static void sort_fully(
    const double *values, size_t n, uint32_t *order, uint32_t *to, uint8_t *tied)
{
    uint32_t *from = order;
    for (size_t i = 0; i < n; i++) from[i] = (uint32_t)i;
    for (int shift = 0; shift < 64; shift += 8) { /* eight: the result is back in `order` */
        size_t starts[257] = {0};
        for (size_t i = 0; i < n; i++) starts[((key_of(values[i]) >> shift) & 255) + 1]++;
        for (int i = 0; i < 256; i++) starts[i + 1] += starts[i];
        for (size_t i = 0; i < n; i++)
            to[starts[(key_of(values[from[i]]) >> shift) & 255]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    memset(tied, 1, n);
    tied[0] = 0;
}

/* ---- in parts ---- */

/* Which values are tied is known by their places, or that they are not told apart. */
static int compare_neighbours(const double *values, size_t n, const uint32_t *order, uint8_t *tied)
{
    int ties = 0;
    for (size_t i = 1; i < n; i++)
        if (tied[i]) ties |= tied[i] = values[order[i]] == values[order[i - 1]];
    return ties;
}

static int part(sorter *s, const double *values, const uint32_t *indices, size_t start, size_t n,
    uint32_t *order, int turn);

/* Sorts n values, which are from `start` on when all are sorted; `indices` are theirs, NULL for 0, 1, ...,
 * and `turn` says how often they were parted. Returns whether some are equal. */
static int sort_range(sorter *s, const double *values, const uint32_t *indices, size_t start,
    size_t n, uint32_t *order, int turn)
{
    uint8_t *tied = s->tied + start;
    int alike = n <= AT_ONCE && sort_by_place(s, values, n)
        ? repair(s->items, values, n, order + start, tied) : -1;
    int apart = alike < 0 && n > PART_SIZE && turn < PARTINGS;
    if (apart) {
        int ties = part(s, values, indices, start, n, order, turn);
        if (ties >= 0) return ties;
    }
    order += start;
    if (alike < 0) {
        int many = n > PART_SIZE; /* the pairs that they are not in are free */
        uint32_t *to = many ? s->parted[turn & 1].indices + start : (uint32_t *)s->other;
        sort_fully(values, n, order, to, tied);
    }
    int ties = alike ? compare_neighbours(values, n, order, tied) : 0;
    for (size_t i = 0; indices && i < n; i++) order[i] = indices[order[i]];
    return ties;
}

/* Distributes n values to parts and sorts these; -1 if they have no scale. */
static int part(sorter *s, const double *values, const uint32_t *indices, size_t start, size_t n,
    uint32_t *order, int turn)
{
    uint32_t n_parts = 64, ends[MOST_PARTS + 1] = {0};
    while (n_parts < MOST_PARTS && n_parts * PART_SIZE < n) n_parts *= 2;
    double first, scale = scale_of(values, n, (int)n_parts, &first);
    if (!(scale > 0 && scale <= DBL_MAX)) return -1;
    pairs to = {s->parted[turn & 1].values + start, s->parted[turn & 1].indices + start};
#define PLACE(i) ((uint32_t)(int32_t)((values[i] - first) * scale))
    for (size_t i = 0; i < n; i++) ends[PLACE(i) + 1]++;
    for (uint32_t k = 0; k < n_parts; k++) ends[k + 1] += ends[k];
    for (size_t i = 0; i < n; i++) {
        uint32_t place = ends[PLACE(i)]++; /* the starts become the ends */
        to.values[place] = values[i];
        to.indices[place] = indices ? indices[i] : (uint32_t)i;
    }
#undef PLACE
    int ties = 0;
    for (uint32_t k = 0, from = 0; k < n_parts; from = ends[k++])
        if (ends[k] > from)
            ties |= sort_range(s, to.values + from, to.indices + from, start + from, ends[k] - from,
                order, turn + 1);
    return ties;
}

int sort_values(sorter *s, const double *values, uint32_t *order)
{
    return s->n ? sort_range(s, values, NULL, 0, s->n, order, 0) : 0;
}

int best_first(const double *loss, uint32_t *order, size_t n)
{
    sorter *s = sorter_new(n);
    double *losses = allocate((n + 1) * sizeof *losses);
    uint32_t *ranked = allocate((n + 1) * sizeof *ranked);
    int result = s && losses && ranked ? DONE : NO_MEMORY;
    if (result == DONE) {
        for (size_t i = 0; i < n; i++) losses[i] = loss[order[i]];
        sort_values(s, losses, ranked);
        for (size_t i = 0; i < n; i++) ranked[i] = order[ranked[i]];
        memcpy(order, ranked, n * sizeof *order);
    }
    sorter_free(s);
    release(losses);
    release(ranked);
    return result;
}

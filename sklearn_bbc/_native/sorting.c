/* Order of the predictions of one configuration.
 *
 * Radix sort: linear time, no comparisons that a processor could mispredict, and several times
 * faster than a comparison sort at the sizes that occur here. It runs on the place of each value
 * between the smallest and the largest, on a linear scale: two digits of it tell nearly all
 * values apart, and those with the same ones are put in order afterwards by insertion. Where
 * values of very different magnitude crowd on one spot, all 64 bits are sorted: no input is slow.
 */
#include "kernel.h"

struct sorter {
    size_t n;
    uint64_t *items, *other; /* place << 32 | index */
    uint8_t *tied;           /* a value equals the one before; at first: their places do */
};

sorter *sorter_new(size_t n)
{
    sorter *s = allocate(sizeof *s);
    if (!s) return NULL;
    s->n = n;
    s->items = allocate((n + 1) * sizeof *s->items);
    s->other = allocate((n + 1) * sizeof *s->other);
    s->tied = allocate(n + 1);
    if (s->items && s->other && s->tied) return s;
    sorter_free(s);
    return NULL;
}

void sorter_free(sorter *s)
{
    if (!s) return;
    release(s->items);
    release(s->other);
    release(s->tied);
    release(s);
}

const uint8_t *tied_values(const sorter *s) { return s->tied; }

/* ---- by place ---- */

/* Stable distribution of the items by the digit at `shift`; counts: its histogram. */
static ALWAYS_INLINE void distribute(sorter *s, uint32_t *counts, int shift, int bits)
{
    uint32_t n_buckets = (uint32_t)1 << bits, mask = n_buckets - 1, start = 0;
    for (uint32_t i = 0; i < n_buckets; i++) {
        uint32_t count = counts[i];
        counts[i] = start;
        start += count;
    }
    const uint64_t *from = s->items;
    uint64_t *to = s->other;
    for (size_t i = 0; i < s->n; i++) to[counts[(from[i] >> shift) & mask]++] = from[i];
    s->other = s->items;
    s->items = to;
}

/* Sorts the items by two digits; 0 where more than a quarter of them share the leading one. */
static ALWAYS_INLINE int sort_digits(sorter *s, int bits)
{
    uint32_t low[1 << 10], high[1 << 10], most = 0, mask = ((uint32_t)1 << bits) - 1;
    memset(low, 0, sizeof *low << bits);
    memset(high, 0, sizeof *high << bits);
    for (size_t i = 0; i < s->n; i++) {
        uint32_t place = (uint32_t)(s->items[i] >> 32);
        low[place & mask]++;
        high[place >> bits]++;
    }
    for (uint32_t i = 0; i <= mask; i++) most = high[i] > most ? high[i] : most;
    if (most > s->n / 4 + 4) return 0;
    distribute(s, low, 32, bits);
    distribute(s, high, 32 + bits, bits);
    return 1;
}

static ALWAYS_INLINE double least(double x, double y) { return y < x ? y : x; }
static ALWAYS_INLINE double greatest(double x, double y) { return y > x ? y : x; }

/* Returns 0 if the values have no linear scale or crowd on it. Rounding is monotone. */
static int sort_by_place(sorter *s, const double *values)
{
    size_t i = 0;
    double low[4], high[4]; /* in turn: a comparison has to wait for the one before it */
    for (int k = 0; k < 4; k++) low[k] = high[k] = values[0];
    for (; i + 4 <= s->n; i += 4)
        for (size_t k = 0; k < 4; k++) {
            low[k] = least(low[k], values[i + k]);
            high[k] = greatest(high[k], values[i + k]);
        }
    for (; i < s->n; i++) {
        low[0] = least(low[0], values[i]);
        high[0] = greatest(high[0], values[i]);
    }
    double first = least(least(low[0], low[1]), least(low[2], low[3]));
    double last = greatest(greatest(high[0], high[1]), greatest(high[2], high[3]));
    int bits = s->n < 128 ? 6 : s->n < 3000 ? 8 : 10; /* buckets cost time too */
    double scale = (double)((1 << (2 * bits)) - 1) / (last - first);
    if (!(scale > 0 && scale <= 1e300)) return 0; /* infinite values, or no two different ones */
    for (i = 0; i < s->n; i++)
        s->items[i] = (uint64_t)(uint32_t)(int32_t)((values[i] - first) * scale) << 32 | i;
    if (bits == 6) return sort_digits(s, 6); /* constants: the loops are unrolled */
    return bits == 8 ? sort_digits(s, 8) : sort_digits(s, 10);
}

/* Takes the order over and sorts what shares a place; returns whether anything does, or -1 if that
 * takes more moves than there are values. */
static int repair(sorter *s, const double *values, uint32_t *order)
{
    size_t moves = 0;
    uint32_t any = 0;
    order[0] = (uint32_t)s->items[0];
    s->tied[0] = 0;
    for (size_t i = 1; i < s->n; i++) {
        uint32_t same = s->items[i] >> 32 == s->items[i - 1] >> 32;
        order[i] = (uint32_t)s->items[i];
        s->tied[i] = (uint8_t)same;
        any |= same;
    }
    /* Moves nothing past an equal value: the sort stays stable. */
    for (size_t i = 1; any && i < s->n; i++) {
        if (!s->tied[i]) continue;
        uint32_t index = order[i];
        size_t j = i;
        for (; j > 0 && values[order[j - 1]] > values[index]; j--, moves++)
            order[j] = order[j - 1];
        order[j] = index;
        if (moves > s->n) return -1;
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

static void sort_fully(sorter *s, const double *values, uint32_t *order)
{
    uint32_t *from = order, *to = (uint32_t *)s->other;
    for (size_t i = 0; i < s->n; i++) from[i] = (uint32_t)i;
    for (int shift = 0; shift < 64; shift += 8) { /* eight: the result is back in `order` */
        size_t starts[257] = {0};
        for (size_t i = 0; i < s->n; i++) starts[((key_of(values[i]) >> shift) & 255) + 1]++;
        for (int i = 0; i < 256; i++) starts[i + 1] += starts[i];
        for (size_t i = 0; i < s->n; i++)
            to[starts[(key_of(values[from[i]]) >> shift) & 255]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    memset(s->tied, 1, s->n);
    s->tied[0] = 0;
}

int sort_values(sorter *s, const double *values, uint32_t *order)
{
    if (s->n == 0) return 0;
    int ties = 0, alike = sort_by_place(s, values) ? repair(s, values, order) : -1;
    if (alike < 0) sort_fully(s, values, order);
    for (size_t i = 1; alike && i < s->n; i++)
        if (s->tied[i]) ties |= s->tied[i] = values[order[i]] == values[order[i - 1]];
    return ties;
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

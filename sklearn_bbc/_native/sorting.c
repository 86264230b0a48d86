/* Order of the predictions of one configuration.
 *
 * Radix sort: linear time, no comparisons that a processor could mispredict, and several times
 * faster than a comparison sort at the sizes that occur here. It runs on a whole number per
 * value, its *prefix*, which orders as the values do but may be the same for values that are
 * close; those are put in order afterwards by insertion.
 *
 * The first choice of prefix is the place of the value between the smallest and the largest, on
 * a linear scale: two digits of it tell nearly all values apart. Values of very different
 * magnitude crowd together there; then the leading bits of the doubles are taken, three digits
 * of them. If these crowd too, a sort by all 64 bits follows: no input is slow.
 */
#include "kernel.h"

#include <string.h>

struct sorter {
    size_t n;
    uint64_t *items, *other; /* prefix << 32 | index */
    uint8_t *tied;           /* a value equals the one before; at first: their prefixes do */
};

sorter *sorter_new(size_t n)
{
    sorter *s = allocate(sizeof *s);
    if (!s) return NULL;
    s->n = n;
    s->items = allocate((n + 1) * sizeof *s->items);
    s->other = allocate((n + 1) * sizeof *s->other);
    s->tied = allocate(n + 1);
    if (!s->items || !s->other || !s->tied) {
        sorter_free(s);
        return NULL;
    }
    return s;
}

void sorter_free(sorter *s)
{
    if (!s) return;
    release(s->items);
    release(s->other);
    release(s->tied);
    release(s);
}

/* ---- radix sort of the items by their prefixes ---- */

enum { MAX_DIGITS = 3, MAX_DIGIT_BITS = 10 };

/* Stable distribution of the items by the digit at `shift`; counts: its histogram. */
static ALWAYS_INLINE void distribute(sorter *s, uint32_t *counts, int shift, int bits)
{
    uint32_t n_buckets = (uint32_t)1 << bits, mask = n_buckets - 1;
    if (counts[(s->items[0] >> shift) & mask] == s->n) return; /* one bucket: nothing to do */
    uint32_t start = 0;
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

/* Does nothing and returns 0 if more than `crowd` items share the leading digit. */
static ALWAYS_INLINE int sort_digits(sorter *s, int digits, int bits, size_t crowd)
{
    uint32_t counts[MAX_DIGITS][1 << MAX_DIGIT_BITS];
    uint32_t mask = ((uint32_t)1 << bits) - 1;
    for (int d = 0; d < digits; d++) memset(counts[d], 0, sizeof(uint32_t) << bits);
    for (size_t i = 0; i < s->n; i++) {
        uint32_t prefix = (uint32_t)(s->items[i] >> 32);
        for (int d = 0; d < digits; d++) counts[d][(prefix >> (d * bits)) & mask]++;
    }
    const uint32_t *leading = counts[digits - 1];
    uint32_t most = 0;
    for (uint32_t i = 0; i <= mask; i++) most = leading[i] > most ? leading[i] : most;
    if (most > crowd) return 0;
    for (int d = 0; d < digits; d++) distribute(s, counts[d], 32 + d * bits, bits);
    return 1;
}

/* Buckets cost time too: short digits for few values. */
static int digit_bits(size_t n) { return n < 128 ? 6 : n < 3000 ? 8 : 10; }

/* ---- prefixes ---- */

static ALWAYS_INLINE double least(double x, double y) { return y < x ? y : x; }
static ALWAYS_INLINE double greatest(double x, double y) { return y > x ? y : x; }

/* Two digits on a linear scale; 0 if the values have no such scale. Rounding is monotone. */
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
    for (int k = 1; k < 4; k++) {
        low[0] = least(low[0], low[k]);
        high[0] = greatest(high[0], high[k]);
    }
    int bits = digit_bits(s->n);
    double first = low[0], scale = (double)((1 << (2 * bits)) - 1) / (high[0] - first);
    if (!(scale > 0 && scale <= 1e300)) return 0; /* infinite values, or no two different ones */
    for (i = 0; i < s->n; i++)
        s->items[i] = (uint64_t)(uint32_t)(int32_t)((values[i] - first) * scale) << 32 | i;
    size_t crowd = s->n / 4 + 4; /* more on one spot: the second digit would not part them */
    if (bits == 6) return sort_digits(s, 2, 6, crowd); /* constants: the loops are unrolled */
    if (bits == 8) return sort_digits(s, 2, 8, crowd);
    return sort_digits(s, 2, 10, crowd);
}

/* Unsigned integer that orders as the double does. */
static ALWAYS_INLINE uint64_t key_of(double value)
{
    uint64_t bits;
    value += 0.0; /* turns -0.0 into 0.0: equal values get equal numbers */
    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | 0x8000000000000000u);
}

/* Three digits of the bits, from the first one in which the values differ. */
static void sort_by_bits(sorter *s, const double *values)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t key = key_of(values[i]);
        s->other[i] = key;
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    int bits = digit_bits(s->n), shift = 0;
    while ((high - low) >> shift >> (3 * bits)) shift++;
    for (size_t i = 0; i < s->n; i++) s->items[i] = ((s->other[i] - low) >> shift) << 32 | i;
    sort_digits(s, 3, bits, s->n);
}

/* All 64 bits, a byte at a time. */
static void sort_fully(sorter *s, const double *values, uint32_t *order)
{
    uint32_t *from = order, *to = (uint32_t *)s->other;
    for (int shift = 0; shift < 64; shift += 8) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < s->n; i++) starts[((key_of(values[i]) >> shift) & 255) + 1]++;
        for (int i = 0; i < 256; i++) starts[i + 1] += starts[i];
        for (size_t i = 0; i < s->n; i++)
            to[starts[(key_of(values[from[i]]) >> shift) & 255]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    /* eight passes: the result is back in `order` */
}

/* ---- what the prefixes could not tell apart ---- */

/* Takes the order over from the items and marks those with the prefix of the one before. */
static int take_over(sorter *s, uint32_t *order)
{
    uint32_t any = 0;
    order[0] = (uint32_t)s->items[0];
    s->tied[0] = 0;
    for (size_t i = 1; i < s->n; i++) {
        uint32_t same = s->items[i] >> 32 == s->items[i - 1] >> 32;
        order[i] = (uint32_t)s->items[i];
        s->tied[i] = (uint8_t)same;
        any |= same;
    }
    return any != 0;
}

/* Sorts by the full values; 0 if that takes more than `allowed` moves. */
static int repair(const sorter *s, const double *values, uint32_t *order, size_t allowed)
{
    size_t moves = 0;
    /* Moves nothing past an equal value: the sort stays stable. */
    for (size_t i = 1; i < s->n; i++) {
        if (!s->tied[i]) continue;
        uint32_t index = order[i];
        size_t j = i;
        /* No further than the values with the same prefix: the ones before are smaller. */
        for (; j > 0 && values[order[j - 1]] > values[index] && moves <= allowed; j--, moves++)
            order[j] = order[j - 1];
        order[j] = index;
        if (moves > allowed) return 0; /* still a permutation */
    }
    return 1;
}

int sort_values(sorter *s, const double *values, uint32_t *order)
{
    if (s->n == 0) return 0;
    int alike = 1, done = sort_by_place(s, values);
    if (done) {
        alike = take_over(s, order);
        done = !alike || repair(s, values, order, s->n);
    }
    if (!done) {
        sort_by_bits(s, values);
        alike = take_over(s, order);
        if (alike && !repair(s, values, order, 8 * s->n)) {
            sort_fully(s, values, order);
            memset(s->tied + 1, 1, s->n - 1);
        }
    }
    int ties = 0;
    for (size_t i = 1; alike && i < s->n; i++)
        if (s->tied[i]) ties |= s->tied[i] = values[order[i]] == values[order[i - 1]];
    return ties;
}

const uint8_t *tied_values(const sorter *s) { return s->tied; }

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

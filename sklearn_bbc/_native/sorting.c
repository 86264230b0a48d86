/* Order of the predictions of one configuration.
 *
 * Radix sort: linear time, no comparisons that a processor could mispredict, and several times
 * faster than a comparison sort at the sizes that occur here. It runs on a prefix of each value,
 * scaled to the range of the values, so that three cheap passes do; the few values that share a
 * prefix are put in order afterwards. If they are not few, a radix sort over all 64 bits does
 * the rest: no input is slow.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

struct sorter {
    size_t n;
    uint64_t *items, *other; /* prefix << 32 | index */
};

sorter *sorter_new(size_t n)
{
    sorter *s = allocate(sizeof *s);
    if (!s) return NULL;
    s->n = n;
    s->items = allocate((n + 1) * sizeof *s->items);
    s->other = allocate((n + 1) * sizeof *s->other);
    if (!s->items || !s->other) {
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
    release(s);
}

/* Unsigned integer that orders as the double does; -0.0 comes just before 0.0. */
static ALWAYS_INLINE uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | 0x8000000000000000u);
}

enum { N_DIGITS = 3, MAX_DIGIT_BITS = 10 };

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

static ALWAYS_INLINE void sort_prefixes(sorter *s, int bits)
{
    uint32_t counts[N_DIGITS][1 << MAX_DIGIT_BITS];
    uint32_t mask = ((uint32_t)1 << bits) - 1;
    for (int d = 0; d < N_DIGITS; d++) memset(counts[d], 0, sizeof(uint32_t) << bits);
    for (size_t i = 0; i < s->n; i++) {
        uint32_t prefix = (uint32_t)(s->items[i] >> 32);
        for (int d = 0; d < N_DIGITS; d++) counts[d][(prefix >> (d * bits)) & mask]++;
    }
    for (int d = 0; d < N_DIGITS; d++) distribute(s, counts[d], 32 + d * bits, bits);
}

/* Sorts by the full values what the prefixes could not tell apart. 0 if that is too much. */
static int repair(const double *values, uint32_t *order, const uint64_t *items, size_t n)
{
    size_t moves = 0, allowed = 8 * n;
    /* Moves nothing past an equal value: the sort stays stable. */
    for (size_t i = 1; i < n; i++) {
        if (items[i] >> 32 != items[i - 1] >> 32) continue;
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

void sort_values(sorter *s, const double *values, uint32_t *order)
{
    size_t n = s->n;
    if (n == 0) return;
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = key_of(values[i]);
        s->other[i] = key;
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    /* Buckets cost time too: short digits for few values. */
    int bits = n < 128 ? 6 : n < 3000 ? 8 : MAX_DIGIT_BITS, shift = 0;
    while ((high - low) >> shift >> (N_DIGITS * bits)) shift++;
    for (size_t i = 0; i < n; i++) s->items[i] = ((s->other[i] - low) >> shift) << 32 | i;

    if (bits == 6)
        sort_prefixes(s, 6);
    else if (bits == 8)
        sort_prefixes(s, 8);
    else
        sort_prefixes(s, MAX_DIGIT_BITS);
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)s->items[i];
    if (shift && !repair(values, order, s->items, n)) sort_fully(s, values, order);
}

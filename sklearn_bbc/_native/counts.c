/* Counts of draws: turning them so that draws lie side by side, and adding them up. */
#include "kernel.h"

#include <string.h>

unsigned largest_count(const counts_table *table)
{
    size_t n = table->n_draws * table->n_rows;
    if (table->itemsize == 1) {
        const uint8_t *counts = table->data;
        uint8_t largest = 0;
        for (size_t i = 0; i < n; i++) largest = counts[i] > largest ? counts[i] : largest;
        return largest;
    }
    const uint16_t *counts = table->data;
    uint16_t largest = 0;
    for (size_t i = 0; i < n; i++) largest = counts[i] > largest ? counts[i] : largest;
    return largest;
}

#if HAVE_VECTORS /* for its byte order */
/* Transposes 8 rows of 8 bytes by swapping ever smaller blocks: halves, quarters, bytes. */
static ALWAYS_INLINE void transpose_8x8(uint64_t x[8])
{
    for (int i = 0; i < 4; i++) {
        uint64_t t = ((x[i] >> 32) ^ x[i + 4]) & 0x00000000ffffffffu;
        x[i + 4] ^= t;
        x[i] ^= t << 32;
    }
    for (int i = 0; i < 8; i += i % 4 == 1 ? 3 : 1) {
        uint64_t t = ((x[i] >> 16) ^ x[i + 2]) & 0x0000ffff0000ffffu;
        x[i + 2] ^= t;
        x[i] ^= t << 16;
    }
    for (int i = 0; i < 8; i += 2) {
        uint64_t t = ((x[i] >> 8) ^ x[i + 1]) & 0x00ff00ff00ff00ffu;
        x[i + 1] ^= t;
        x[i] ^= t << 8;
    }
}

/* Eight draws of one-byte counts into eight lanes; returns the number of rows done. */
static size_t transpose_bytes(
    const uint8_t *counts, size_t n_rows, int n_draws, int lanes, uint8_t *out)
{
    size_t done = n_rows / 8 * 8;
    for (size_t i = 0; i < done; i += 8) {
        uint64_t x[8] = {0};
        for (int d = 0; d < n_draws; d++) memcpy(x + d, counts + (size_t)d * n_rows + i, 8);
        transpose_8x8(x);
        for (size_t k = 0; k < 8; k++) memcpy(out + (i + k) * (size_t)lanes, x + k, 8);
    }
    return done;
}
#endif

static ALWAYS_INLINE unsigned count_at(const counts_table *table, size_t draw, size_t row)
{
    size_t i = draw * table->n_rows + row;
    return table->itemsize == 1 ? ((const uint8_t *)table->data)[i]
                                : ((const uint16_t *)table->data)[i];
}

void load_block(
    const counts_table *table, size_t first, int lanes, int narrow, void *memory, block *b)
{
    size_t rest = table->n_draws - first, n_rows = table->n_rows;
    b->n_rows = n_rows;
    b->n_draws = rest < (size_t)lanes ? (int)rest : lanes;
    b->narrow = narrow ? memory : NULL;
    b->wide = narrow ? NULL : memory;

    for (int lane = 0; lane < lanes; lane += 8) { /* lanes is a multiple of 8 */
        int n = b->n_draws - lane;
        n = n < 0 ? 0 : n > 8 ? 8 : n;
        size_t row = 0;
#if HAVE_VECTORS
        if (narrow && table->itemsize == 1) {
            const uint8_t *counts = (const uint8_t *)table->data + (first + (size_t)lane) * n_rows;
            row = transpose_bytes(counts, n_rows, n, lanes, (uint8_t *)memory + lane);
        }
#endif
        for (; row < n_rows; row++)
            for (int d = 0; d < 8; d++) {
                size_t at = row * (size_t)lanes + (size_t)(lane + d);
                unsigned count = d < n ? count_at(table, first + (size_t)(lane + d), row) : 0;
                if (narrow)
                    ((uint8_t *)memory)[at] = (uint8_t)count;
                else
                    ((uint16_t *)memory)[at] = (uint16_t)count;
            }
    }
}

/* Fewer rows than overflow a 16-bit sum of one-byte (32-bit sum of two-byte) counts. */
enum { ROWS_PER_PARTIAL_SUM = 256 };

#define SUM_ROWS(COUNT, PARTIAL)                                                            \
    static ALWAYS_INLINE void sum_rows_##COUNT(const COUNT *counts, int lanes,              \
        const uint32_t *offsets, size_t n, uint64_t *sums)                                  \
    {                                                                                       \
        for (int l = 0; l < lanes; l++) sums[l] = 0;                                        \
        for (size_t start = 0; start < n; start += ROWS_PER_PARTIAL_SUM) {                  \
            PARTIAL partial[MAX_LANES] = {0};                                               \
            size_t stop = n - start < ROWS_PER_PARTIAL_SUM ? n : start + ROWS_PER_PARTIAL_SUM; \
            for (size_t i = start; i < stop; i++)                                           \
                for (int l = 0; l < lanes; l++)                                             \
                    partial[l] = (PARTIAL)(partial[l] + counts[offsets[i] + (size_t)l]);    \
            for (int l = 0; l < lanes; l++) sums[l] += partial[l];                          \
        }                                                                                   \
    }
SUM_ROWS(uint8_t, uint16_t)
SUM_ROWS(uint16_t, uint32_t)

/* The number of lanes as a constant lets the compiler unroll the loops over them. */
void sum_rows(const block *b, int lanes, const uint32_t *offsets, size_t n, uint64_t *sums)
{
    if (b->narrow && lanes == 16)
        sum_rows_uint8_t(b->narrow, 16, offsets, n, sums);
    else if (b->narrow && lanes == 64)
        sum_rows_uint8_t(b->narrow, 64, offsets, n, sums);
    else if (b->narrow)
        sum_rows_uint8_t(b->narrow, lanes, offsets, n, sums);
    else
        sum_rows_uint16_t(b->wide, lanes, offsets, n, sums);
}

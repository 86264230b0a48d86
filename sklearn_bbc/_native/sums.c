/* Sums over the rows of draws: of their counts, or of counts times values; and the largest of sums. */
#include "sums.h"

static const sums_kernel *kernel_for(int lanes)
{
    switch (lanes_for(lanes)) {
#if HAVE_WIDER_VECTORS
    case 64: return &sums_kernel_64;
    case 32: return &sums_kernel_32;
#endif
    default: return &sums_kernel_16;
    }
}

/* One sum for each of n entries: of the counts of draw draws[k] times row which[k] of `values`
 * (n_sets, n_rows). These are doubles with `itemsize` 8, marks of one byte with 1; with 0 there are none,
 * and the sums are those of the counts. Neighbours with the same row are faster. */
EXPORT void sums_of_draws(const counts_table *table, int lanes, const int64_t *draws,
    const int64_t *which, size_t n, const void *values, int itemsize, double *out)
{
    const sums_kernel *kernel = kernel_for(lanes);
    size_t n_rows = table->n_rows;
    for (size_t k = 0, some; k < n; k += some) {
        const uint8_t *bytes[TOGETHER];
        const uint16_t *pairs[TOGETHER];
        size_t row = itemsize ? (size_t)which[k] * n_rows : 0;
        some = 0;
        while (some < TOGETHER && k + some < n && (!some || (itemsize && which[k + some] == which[k]))) {
            size_t first = (size_t)draws[k + some] * n_rows;
            bytes[some] = (const uint8_t *)table->data + (table->itemsize == 1 ? first : 0);
            pairs[some] = (const uint16_t *)table->data + (table->itemsize == 1 ? 0 : first);
            some++;
        }
        if (itemsize == 8 && table->itemsize == 1)
            kernel->products_of_bytes(bytes, (const double *)values + row, n_rows, (int)some, out + k);
        else if (itemsize == 8)
            kernel->products_of_pairs(pairs, (const double *)values + row, n_rows, (int)some, out + k);
        else
            for (size_t d = 0; d < some; d++) {
                const uint8_t *marks = itemsize ? (const uint8_t *)values + row : NULL;
                uint64_t sum;
                if (table->itemsize == 1)
                    sum = (itemsize ? kernel->marked_of_bytes : kernel->total_of_bytes)(
                        bytes[d], marks, n_rows);
                else
                    sum = (itemsize ? kernel->marked_of_pairs : kernel->total_of_pairs)(
                        pairs[d], marks, n_rows);
                out[k + d] = (double)sum;
            }
    }
}

/* The configuration with the largest sum of counts times terms in each draw: the first of those within
 * `rounding`, relative to the sizes of its terms, -1 without counts. `terms` (n_terms, n_configs) are finite; n_configs > 0;
 * work: (1 + n_terms, n_configs). Neighbours whose first counts are the same are faster. */
EXPORT void best_of_sums(const counts_table *table, int lanes, const double *terms, size_t n_configs,
    double rounding, double *work, int64_t *best)
{
    kernel_for(lanes)->best_sums((const uint8_t *)table->data, table->n_draws, table->n_rows, terms,
        n_configs, rounding, work, best);
}

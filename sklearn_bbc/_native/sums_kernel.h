/* Sums over the rows of some draws. Included once for each width of vectors; SUMS_NAME(x) names what
 * is in this file. Terms are added in SIDE sums side by side, those to each other after CHUNK rows,
 * so that the width of the vectors, and how many draws there are, change no bit. */

#define SUM_INTEGERS(NAME, COUNT, TERM)                                                     \
    static uint64_t SUMS_NAME(NAME)(const COUNT *RESTRICT counts,                           \
        const uint8_t *RESTRICT values, size_t n)                                           \
    {                                                                                       \
        uint64_t sum = 0;                                                                   \
        (void)values;                                                                       \
        for (size_t start = 0, stop; start < n; start = stop) {                             \
            uint32_t part = 0; /* enough for CHUNK counts of two bytes */                   \
            stop = n - start < CHUNK ? n : start + CHUNK;                                   \
            for (size_t i = start; i < stop; i++) part += TERM;                             \
            sum += part;                                                                    \
        }                                                                                   \
        return sum;                                                                         \
    }
SUM_INTEGERS(total_of_bytes, uint8_t, counts[i])
SUM_INTEGERS(total_of_pairs, uint16_t, counts[i])
SUM_INTEGERS(marked_of_bytes, uint8_t, (uint8_t)(counts[i] & -values[i]))
SUM_INTEGERS(marked_of_pairs, uint16_t, (uint16_t)(counts[i] & -values[i]))
#undef SUM_INTEGERS

/* Sums the products of at most CHUNK numbers. */
static ALWAYS_INLINE double SUMS_NAME(products)(const double *counts, const double *values, size_t n)
{
    double sums[SIDE] = {0};
    size_t whole = n - n % SIDE;
#if HAVE_VECTORS
    typedef double numbers __attribute__((vector_size(LANES)));
    enum { WIDTH = LANES / sizeof(double), N = SIDE / WIDTH };
    numbers sum[N] = {{0}}, count, value;
    for (size_t i = 0; i < whole; i += SIDE)
        for (size_t k = 0; k < N; k++) {
            memcpy(&count, counts + i + k * WIDTH, sizeof count);
            memcpy(&value, values + i + k * WIDTH, sizeof value);
            sum[k] += count * value;
        }
    memcpy(sums, sum, sizeof sums);
#else
    for (size_t i = 0; i < whole; i++) sums[i % SIDE] += counts[i] * values[i];
#endif
    for (size_t i = whole; i < n; i++) sums[i - whole] += counts[i] * values[i];
    for (int apart = SIDE / 2; apart; apart /= 2)
        for (int k = 0; k < apart; k++) sums[k] += sums[k + apart];
    return sums[0];
}

#define SUM_PRODUCTS(NAME, COUNT)                                                           \
    static void SUMS_NAME(NAME)(const COUNT *const *counts, const double *values, size_t n, \
        int n_draws, double *out)                                                           \
    {                                                                                       \
        double own[CHUNK];                                                                  \
        for (int d = 0; d < n_draws; d++) out[d] = 0;                                       \
        for (size_t start = 0, size; start < n; start += size) {                            \
            size = n - start < CHUNK ? n - start : CHUNK;                                   \
            for (int d = 0; d < n_draws; d++) {                                             \
                for (size_t i = 0; i < size; i++) own[i] = counts[d][start + i];            \
                out[d] += SUMS_NAME(products)(own, values + start, size);                   \
            }                                                                               \
        }                                                                                   \
    }
SUM_PRODUCTS(products_of_bytes, uint8_t)
SUM_PRODUCTS(products_of_pairs, uint16_t)
#undef SUM_PRODUCTS

const sums_kernel SUMS_KERNEL = {SUMS_NAME(total_of_bytes), SUMS_NAME(total_of_pairs),
    SUMS_NAME(marked_of_bytes), SUMS_NAME(marked_of_pairs), SUMS_NAME(products_of_bytes),
    SUMS_NAME(products_of_pairs)};
#undef SUMS_NAME

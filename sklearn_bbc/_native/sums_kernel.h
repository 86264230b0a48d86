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

#if HAVE_VECTORS
typedef double SUMS_NAME(numbers) __attribute__((vector_size(LANES)));
typedef int64_t SUMS_NAME(marks) __attribute__((vector_size(LANES)));
enum { SUMS_NAME(WIDTH) = LANES / sizeof(double), SUMS_NAME(N) = SIDE / SUMS_NAME(WIDTH) };
#endif

static double SUMS_NAME(largest)(const double *x, size_t n)
{
    double most[SIDE];
    size_t whole = n - n % SIDE;
    for (int k = 0; k < SIDE; k++) most[k] = x[0];
#if HAVE_VECTORS
    SUMS_NAME(numbers) all[SUMS_NAME(N)], value;
    memcpy(all, most, sizeof most);
    for (size_t i = 0; i < whole; i += SIDE)
        for (size_t k = 0; k < SUMS_NAME(N); k++) {
            memcpy(&value, x + i + k * SUMS_NAME(WIDTH), sizeof value);
            SUMS_NAME(marks) more = value > all[k];
            all[k] = (SUMS_NAME(numbers))((more & (SUMS_NAME(marks))value) | (~more & (SUMS_NAME(marks))all[k]));
        }
    memcpy(most, all, sizeof most);
#else
    for (size_t i = 0; i < whole; i++) most[i % SIDE] = x[i] > most[i % SIDE] ? x[i] : most[i % SIDE];
#endif
    for (size_t i = whole; i < n; i++) most[0] = x[i] > most[0] ? x[i] : most[0];
    for (int k = 1; k < SIDE; k++) most[0] = most[k] > most[0] ? most[k] : most[0];
    return most[0];
}

/* The first number that reaches `least`; there is one. */
static size_t SUMS_NAME(first_reaching)(const double *x, size_t n, double least)
{
    size_t i = 0;
#if HAVE_VECTORS
    SUMS_NAME(numbers) value, limit = least - (SUMS_NAME(numbers)){0};
    for (; i + SIDE <= n; i += SIDE) {
        SUMS_NAME(marks) reach = {0};
        int64_t each[SUMS_NAME(WIDTH)], any = 0;
        for (size_t k = 0; k < SUMS_NAME(N); k++) {
            memcpy(&value, x + i + k * SUMS_NAME(WIDTH), sizeof value);
            reach |= value >= limit;
        }
        memcpy(each, &reach, sizeof reach);
        for (size_t k = 0; k < SUMS_NAME(WIDTH); k++) any |= each[k];
        if (any) break;
    }
#endif
    while (i + 1 < n && x[i] < least) i++;
    return i;
}

/* See `best_of_sums`. Sums of the first terms are kept: those that the draw before had, too, are taken
 * from there. Every sum is added up in the order of its terms, so that this changes no bit. */
static void SUMS_NAME(best_sums)(const uint8_t *counts, size_t n_draws, size_t n_terms,
    const double *terms, size_t n_configs, double rounding, double *work, int64_t *best)
{
    size_t last_kept[MOST_TERMS + 1]; /* row of `work` with the sum of the first t terms */
    for (size_t c = 0; c < n_configs; c++) work[c] = 0;
    last_kept[0] = 0;
    for (size_t d = 0; d < n_draws; d++, counts += n_terms) {
        size_t t = 0, leader;
        if (d) while (t < n_terms && counts[t] == (counts - n_terms)[t]) t++;
        for (; t < n_terms; t++) {
            const double *RESTRICT before = work + last_kept[t] * n_configs;
            const double *RESTRICT term = terms + t * n_configs;
            double *RESTRICT after = work + (t + 1) * n_configs;
            double count = counts[t];
            last_kept[t + 1] = counts[t] ? t + 1 : last_kept[t];
            if (counts[t]) for (size_t c = 0; c < n_configs; c++) after[c] = before[c] + count * term[c];
        }
        const double *sums = work + last_kept[n_terms] * n_configs;
        double most = SUMS_NAME(largest)(sums, n_configs), size = 0;
        leader = SUMS_NAME(first_reaching)(sums, n_configs, most);
        for (t = 0; t < n_terms; t++) {
            double term = terms[t * n_configs + leader];
            size += counts[t] * (term < 0 ? -term : term);
        }
        best[d] = last_kept[n_terms]
            ? (int64_t)SUMS_NAME(first_reaching)(sums, leader + 1, most - rounding * size) : -1;
    }
}

const sums_kernel SUMS_KERNEL = {SUMS_NAME(total_of_bytes), SUMS_NAME(total_of_pairs),
    SUMS_NAME(marked_of_bytes), SUMS_NAME(marked_of_pairs), SUMS_NAME(products_of_bytes),
    SUMS_NAME(products_of_pairs), SUMS_NAME(best_sums)};
#undef SUMS_NAME

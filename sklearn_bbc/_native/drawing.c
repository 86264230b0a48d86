/* Bootstrap counts: picks with replacement, one draw after the other.
 *
 * The doubles come from any of numpy's bit generators through its C interface, or from streams
 * that are made here: many short streams, one per block of draws, cost more to make as Python
 * objects than the numbers in them. Their bits are those of
 *
 *     Generator(PCG64(SeedSequence(entropy, spawn_key=(..., block))))
 *
 * which numpy promises never to change (NEP 19). The algorithms are M. E. O'Neill's: seed_seq_fe
 * (https://www.pcg-random.org/posts/developing-a-seed_seq-alternative.html) with a pool of 128
 * bits, and PCG XSL RR 128/64 (HMC-CS-2014-0905).
 */
#include "kernel.h"

#include <string.h>

/* ---- PCG64 ---- */

typedef struct {
    uint64_t high, low;
} uint128;

typedef struct {
    uint128 state, increment;
} pcg64;

static const uint128 multiplier = {0x2360ed051fc65da4u, 0x4385df649fccf645u};
/* Four steps at once: its fourth power, and the sum of its powers from 0 to 3. */
static const uint128 multiplier_4 = {0xf4dd417327db7a9bu, 0xd194dfbe42d45771u};
static const uint128 sum_4 = {0x610e11a14b07e063u, 0x817fa187adefba1cu};

/* x * y + z modulo 2^128 */
static ALWAYS_INLINE uint128 multiply_add(uint128 x, uint128 y, uint128 z)
{
#if defined(__SIZEOF_INT128__) && !defined(SKLEARN_BBC_PLAIN_C)
    typedef unsigned __int128 wide;
    wide sum = ((wide)x.high << 64 | x.low) * ((wide)y.high << 64 | y.low)
        + ((wide)z.high << 64 | z.low);
    return (uint128){(uint64_t)(sum >> 64), (uint64_t)sum};
#else
    uint64_t mask = 0xffffffffu;
    uint64_t low = (x.low & mask) * (y.low & mask);
    uint64_t middle = (x.low >> 32) * (y.low & mask) + (low >> 32);
    uint64_t other = (x.low & mask) * (y.low >> 32) + (middle & mask);
    uint64_t carried = (x.low >> 32) * (y.low >> 32) + (middle >> 32) + (other >> 32);
    uint128 sum = {carried + x.high * y.low + x.low * y.high + z.high, x.low * y.low + z.low};
    sum.high += sum.low < z.low;
    return sum;
#endif
}

static ALWAYS_INLINE uint128 pcg64_step(const pcg64 *p, uint128 state)
{
    return multiply_add(state, multiplier, p->increment);
}

static ALWAYS_INLINE double double_of(uint128 state)
{
    uint64_t mixed = state.high ^ state.low;
    unsigned turn = (unsigned)(state.high >> 58);
    uint64_t bits = mixed >> turn | mixed << (-turn & 63);
    return (double)(int64_t)(bits >> 11) * (1.0 / 9007199254740992.0);
}

/* Picks among n_units, as below. A step waits for the one before it; four states that are four
 * steps apart, in turn, keep the processor busy meanwhile. */
static void pick_own(pcg64 *p, size_t n_units, size_t n, uint32_t *picks)
{
    const uint128 zero = {0, 0}, increment_4 = multiply_add(p->increment, sum_4, zero);
    size_t i = 0;
    if (n >= 4) {
        uint128 state[4];
        state[0] = pcg64_step(p, p->state);
        for (int k = 1; k < 4; k++) state[k] = pcg64_step(p, state[k - 1]);
        for (;; i += 4) {
            for (int k = 0; k < 4; k++)
                picks[i + (size_t)k] = (uint32_t)(double_of(state[k]) * (double)n_units);
            if (i + 8 > n) break;
            for (int k = 0; k < 4; k++)
                state[k] = multiply_add(state[k], multiplier_4, increment_4);
        }
        i += 4;
        p->state = state[3];
    }
    for (; i < n; i++) {
        p->state = pcg64_step(p, p->state);
        picks[i] = (uint32_t)(double_of(p->state) * (double)n_units);
    }
}

/* ---- SeedSequence ---- */

enum { POOL = 4, WORDS = 8 /* of 32 bits, for a state and an increment */ };

static uint32_t hashed(uint32_t value, uint32_t *constant, uint32_t factor)
{
    value ^= *constant;
    *constant *= factor;
    value *= *constant;
    return value ^ value >> 16;
}

static uint32_t mixed(uint32_t x, uint32_t y)
{
    uint32_t result = 0xca01f9ddu * x - 0x4973f715u * y;
    return result ^ result >> 16;
}

/* The stream of the entropy `words` followed by `last`; n_words + 1 is at least POOL. */
static pcg64 pcg64_seeded(const int64_t *words, size_t n_words, uint32_t last)
{
    const uint32_t in_factor = 0x931e8875u, out_factor = 0x58f38dedu;
    uint32_t pool[POOL], constant = 0x43b0d7e5u;
#define WORD(i) ((i) < n_words ? (uint32_t)words[i] : last)
    for (size_t i = 0; i < POOL; i++) pool[i] = hashed(WORD(i), &constant, in_factor);
    for (size_t from = 0; from < POOL; from++)
        for (size_t to = 0; to < POOL; to++)
            if (from != to) pool[to] = mixed(pool[to], hashed(pool[from], &constant, in_factor));
    for (size_t from = POOL; from <= n_words; from++)
        for (size_t to = 0; to < POOL; to++)
            pool[to] = mixed(pool[to], hashed(WORD(from), &constant, in_factor));
#undef WORD
    uint32_t out[WORDS];
    constant = 0x8b51f9ddu;
    for (size_t i = 0; i < WORDS; i++) out[i] = hashed(pool[i % POOL], &constant, out_factor);
    uint64_t seed[WORDS / 2];
    for (size_t i = 0; i < WORDS / 2; i++) seed[i] = (uint64_t)out[2 * i + 1] << 32 | out[2 * i];

    uint128 start = {seed[0], seed[1]};
    pcg64 p = {.increment = {seed[2] << 1 | seed[3] >> 63, seed[3] << 1 | 1}};
    p.state = pcg64_step(&p, (uint128){0, 0});
    p.state = multiply_add(p.state, (uint128){0, 1}, start);
    p.state = pcg64_step(&p, p.state);
    return p;
}

/* ---- counting ---- */

enum { PICKS_AT_ONCE = 256 };

/* Where doubles come from: a generator of numpy's, or a stream of this file. */
typedef struct {
    bit_generator *theirs; /* or NULL */
    pcg64 own;
} source;

/* One double per pick, as numpy's `(generator.random(n_picks) * n_units).astype(np.intp)`:
 * same stream, same units. A double below 1 times n_units rounds to less than n_units.
 * Returns 0 if the generator is no good: what comes from outside must not become an index. */
static int pick(source *from, size_t n_units, size_t n, uint32_t *picks)
{
    if (!from->theirs) {
        pick_own(&from->own, n_units, n, picks);
        return 1;
    }
    double (*next)(void *) = from->theirs->next_double;
    void *state = from->theirs->state;
    int good = 1;
    for (size_t i = 0; i < n; i++) {
        double number = next(state);
        if (!(number >= 0 && number < 1)) {
            good = 0;
            number = 0;
        }
        picks[i] = (uint32_t)(number * (double)n_units);
    }
    return good;
}

/* Three times the same loop, for counters of one, two and four bytes. The largest count is
 * found while counting, so that a counter that wraps around is noticed: the caller draws the
 * same stream again into wider ones. */
#define DRAW_ROW(TYPE, HIGHEST)                                                            \
    static uint64_t draw_row_##TYPE(source *from, size_t n_picks, TYPE *row, size_t n_units) \
    {                                                                                      \
        uint32_t picks[PICKS_AT_ONCE];                                                     \
        TYPE largest = 0;                                                                  \
        int wrapped = 0;                                                                   \
        while (n_picks > 0) {                                                              \
            size_t n = n_picks < PICKS_AT_ONCE ? n_picks : PICKS_AT_ONCE;                  \
            if (!pick(from, n_units, n, picks)) return BAD_GENERATOR;                      \
            for (size_t i = 0; i < n; i++) wrapped |= ++row[picks[i]] == 0;                \
            n_picks -= n;                                                                  \
        }                                                                                  \
        for (size_t i = 0; i < n_units; i++) largest = row[i] > largest ? row[i] : largest; \
        return wrapped ? (uint64_t)(HIGHEST) + 1 : largest;                                \
    }
DRAW_ROW(uint8_t, UINT8_MAX)
DRAW_ROW(uint16_t, UINT16_MAX)
DRAW_ROW(uint32_t, UINT32_MAX)

static uint64_t draw_row(source *from, const count_rows *out, size_t n_picks, size_t draw)
{
    char *row = (char *)out->data + (ptrdiff_t)draw * out->row_stride;
    memset(row, 0, out->n_units * (size_t)out->itemsize);
    if (out->itemsize == 1) return draw_row_uint8_t(from, n_picks, (uint8_t *)row, out->n_units);
    if (out->itemsize == 2)
        return draw_row_uint16_t(from, n_picks, (uint16_t *)(void *)row, out->n_units);
    return draw_row_uint32_t(from, n_picks, (uint32_t *)(void *)row, out->n_units);
}

uint64_t draw_counts(bit_generator *generator, size_t n_picks, const count_rows *out)
{
    source from = {.theirs = generator};
    uint64_t largest = 0;
    for (size_t d = 0; d < out->n_draws; d++) {
        uint64_t found = draw_row(&from, out, n_picks, d);
        if (found == BAD_GENERATOR) return found;
        largest = found > largest ? found : largest;
    }
    return largest;
}

uint64_t draw_blocks(const seed_words *seed, size_t n_picks, const count_rows *out)
{
    source from = {.theirs = NULL};
    uint64_t largest = 0;
    for (size_t d = 0; d < out->n_draws; d++) {
        if (d % seed->block_size == 0) {
            uint32_t block = seed->first_block + (uint32_t)(d / seed->block_size);
            from.own = pcg64_seeded(seed->words, seed->n_words, block);
        }
        uint64_t found = draw_row(&from, out, n_picks, d);
        largest = found > largest ? found : largest;
    }
    return largest;
}

/* What all kernels do alike: memory, counts of draws side by side, running a program over them. */
#include "kernel.h"

#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* ---- aligned memory from plain malloc: C11's aligned_alloc is missing on Windows ---- */

/* Rows that are read in the order of scores lie anywhere in a block of counts. In pages of the usual
 * 4 kB nearly each would need another entry of the page table. Memory of a whole large page comes from
 * the system and goes back to it: malloc would keep some for later, of which nobody needs so much. */
enum { LARGE_PAGE = 1 << 21, LARGE_FROM = 4 * LARGE_PAGE };

#if defined(MADV_HUGEPAGE) && !defined(__SANITIZE_ADDRESS__)
#define HAVE_PAGES 1
#else
#define HAVE_PAGES 0
#endif

/* What stands before memory that is given out. */
typedef struct {
    void *raw;
    size_t n_mapped; /* bytes from the system, 0: of malloc */
} origin;

void *allocate(size_t size)
{
    size_t alignment = size < LARGE_FROM ? ALIGNMENT : LARGE_PAGE;
    if (size > SIZE_MAX - alignment - sizeof(origin)) return NULL;
    origin o = {NULL, 0};
#if HAVE_PAGES
    if (size >= LARGE_PAGE) {
        o.n_mapped = size + alignment + sizeof o;
        o.raw = mmap(NULL, o.n_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (o.raw == MAP_FAILED) return NULL;
    } else
#endif
        o.raw = malloc(size + alignment + sizeof o);
    if (!o.raw) return NULL;
    uintptr_t start = (uintptr_t)((char *)o.raw + sizeof o);
    char *aligned = (char *)o.raw + sizeof o + (alignment - start % alignment) % alignment;
#if HAVE_PAGES
    if (alignment == LARGE_PAGE) madvise(aligned, size - size % LARGE_PAGE, MADV_HUGEPAGE);
#endif
    memcpy(aligned - sizeof o, &o, sizeof o);
    return aligned;
}

void release(void *memory)
{
    origin o;
    if (!memory) return;
    memcpy(&o, (char *)memory - sizeof o, sizeof o);
#if HAVE_PAGES
    if (o.n_mapped) {
        munmap(o.raw, o.n_mapped);
        return;
    }
#endif
    free(o.raw);
}

EXPORT int has_vectors(void) { return HAVE_VECTORS; }

/* Asked at run time, so that one build serves all processors. */
EXPORT int lanes_for(int lanes)
{
#if HAVE_WIDER_VECTORS
    if ((lanes == 64 || lanes == 0) && __builtin_cpu_supports("avx512f")
        && __builtin_cpu_supports("avx512bw"))
        return 64;
    if ((lanes == 32 || lanes == 0) && __builtin_cpu_supports("avx2")) return 32;
#endif
    return lanes == 16 || lanes == 0 ? 16 : 0;
}

int program_open(program *p, const kernel *k, size_t n_configs, size_t n_rows)
{
    p->kernel = k;
    p->n_configs = n_configs;
    p->n_rows = n_rows;
    p->order = allocate((n_configs + 1) * sizeof *p->order);
    p->undefined = allocate(n_configs + 1);
    p->losses = allocate((n_configs + 1) * sizeof *p->losses);
    p->sizes = allocate((n_configs + 1) * sizeof *p->sizes);
    return p->order && p->undefined && p->losses && p->sizes ? DONE : NO_MEMORY;
}

void program_close(program *p)
{
    release(p->order);
    release(p->undefined);
    release(p->losses);
    release(p->sizes);
    release(p);
}

EXPORT int program_finish(program *p)
{
    for (size_t c = 0; c < p->n_configs; c++) {
        if (p->undefined[c]) continue;
        p->order[p->n_defined++] = (uint32_t)c;
        p->nbytes += p->sizes[c];
    }
    return best_first(p->losses, p->order, p->n_defined);
}

EXPORT void program_free(program *p) { p->kernel->destroy(p); }
EXPORT size_t program_nbytes(const program *p) { return p->nbytes; }

/* ---- counts ---- */

#if HAVE_VECTORS /* for its byte order */
/* Transposes 8 rows of 8 bytes by swapping ever smaller blocks: halves, quarters, bytes. */
static ALWAYS_INLINE void transpose_8x8(uint64_t x[8])
{
    static const uint64_t masks[] = {0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu, 0x00000000ffffffffu};
    for (int step = 2; step >= 0; step--) {
        int apart = 1 << step, shift = 8 << step;
        for (int i = 0; i < 8; i++) {
            if (i & apart) continue;
            uint64_t t = ((x[i] >> shift) ^ x[i + apart]) & masks[step];
            x[i + apart] ^= t;
            x[i] ^= t << shift;
        }
    }
}
#endif

/* Rows that are turned at once: what is written stays in the fastest cache until it is whole. */
enum { TILE = 256 };

/* Turns the counts of eight draws, of which n are there, into eight lanes, from `row` to `stop`. */
static void turn(const counts_table *table, size_t first, int n, int lanes, block *b, int lane,
    size_t row, size_t stop)
{
    size_t n_rows = table->n_rows;
    const uint8_t *bytes = table->data;
    const uint16_t *pairs = table->data;
#if HAVE_VECTORS
    for (; b->narrow && table->itemsize == 1 && row + 8 <= stop; row += 8) {
        uint64_t x[8] = {0};
        for (int d = 0; d < n; d++) memcpy(x + d, bytes + (first + (size_t)d) * n_rows + row, 8);
        transpose_8x8(x);
        for (size_t k = 0; k < 8; k++)
            memcpy((uint8_t *)b->narrow + (row + k) * (size_t)lanes + lane, x + k, 8);
    }
#endif
    for (; row < stop; row++)
        for (int d = 0; d < 8; d++) {
            size_t from = (first + (size_t)d) * n_rows + row, to = row * (size_t)lanes + (size_t)(lane + d);
            unsigned count = d >= n ? 0 : table->itemsize == 1 ? bytes[from] : pairs[from];
            if (b->narrow)
                ((uint8_t *)b->narrow)[to] = (uint8_t)count;
            else
                ((uint16_t *)b->wide)[to] = (uint16_t)count;
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
    if (!b->narrow)
        sum_rows_uint16_t(b->wide, lanes, offsets, n, sums);
    else if (lanes == 16)
        sum_rows_uint8_t(b->narrow, 16, offsets, n, sums);
    else
        sum_rows_uint8_t(b->narrow, lanes == 64 ? 64 : 32, offsets, n, sums);
}

/* ---- running a program over a table of counts, block by block ---- */

typedef struct {
    block block;
    void *counts, *scratch;
} runner;

static int runner_open(runner *r, const program *p, const counts_table *table)
{
    int narrow = (int64_t)table->largest <= p->kernel->narrow_up_to;
    size_t item = narrow ? 1 : sizeof(uint16_t);
    r->counts = allocate((p->n_rows + 1) * (size_t)p->kernel->lanes * item);
    r->scratch = allocate(p->kernel->scratch_size(p));
    r->block.narrow = narrow ? r->counts : NULL;
    r->block.wide = narrow ? NULL : r->counts;
    return r->counts && r->scratch ? DONE : NO_MEMORY;
}

static int runner_load(runner *r, const program *p, const counts_table *table, size_t first)
{
    int lanes = p->kernel->lanes; /* a multiple of 8 */
    size_t rest = table->n_draws - first;
    int n = r->block.n_draws = rest < (size_t)lanes ? (int)rest : lanes;
    for (size_t row = 0, stop; row < p->n_rows; row = stop) {
        stop = p->n_rows - row < TILE ? p->n_rows : row + TILE;
        for (int lane = 0; lane < lanes; lane += 8) {
            int here = n < lane ? 0 : n - lane < 8 ? n - lane : 8;
            turn(table, first + (size_t)lane, here, lanes, &r->block, lane, row, stop);
        }
    }
    return p->kernel->begin(p, &r->block, r->scratch);
}

static int runner_close(runner *r, int result)
{
    release(r->counts);
    release(r->scratch);
    return result;
}

/* Where rows of a block lie far apart, one draw's bytes are closer to each other. */
enum { SLOW_CACHE = 1 << 22, FEW_OF_SLOW = 16 };

static int is_slow(const program *p)
{
    return p->n_rows * (size_t)p->kernel->lanes > SLOW_CACHE;
}

static int few_draws(const program *p)
{
    int few = p->kernel->few_draws;
    return few && is_slow(p) ? FEW_OF_SLOW : few;
}

static int begin_draw(const program *p, const counts_table *table, size_t number, draw *d, runner *r)
{
    const char *data = (const char *)table->data + number * p->n_rows * (size_t)table->itemsize;
    *d = (draw){NULL, NULL, 0};
    if (table->itemsize == 1)
        d->narrow = (const uint8_t *)data;
    else
        d->wide = (const uint16_t *)(const void *)data;
    return p->kernel->begin_draw(p, d, r->scratch);
}

/* The winner of one draw, see `kernel`; lost: room for all configurations. */
static int64_t winner_of_draw(
    const program *p, const draw *d, void *scratch, double *lost, int64_t *limit)
{
    double best = -1, least, margin = p->kernel->tie_margin ? p->kernel->tie_margin(p) : 0;
    int64_t winner = -1;
    if (!(d->size > 0)) return winner;
    for (size_t k = 0; k < p->n_defined; k++) {
        lost[k] = p->kernel->loss_of_draw(p, d, scratch, p->order[k]);
        double score = (d->size - lost[k]) / d->size;
        if (score > best && !(limit && lost[k] > (double)*limit)) best = score;
    }
    least = best - margin;
    for (size_t k = 0; k < p->n_defined && best > -1; k++)
        if ((d->size - lost[k]) / d->size >= least && (winner < 0 || p->order[k] < winner)) {
            winner = p->order[k];
            if (limit) *limit = (int64_t)lost[k];
        }
    return winner;
}

/* limit: (n_draws,), see `kernel`, or NULL; out: (n_draws,) */
EXPORT int program_winners(
    const program *p, const counts_table *counts, int64_t *limit, int64_t *out)
{
    runner r;
    int result = runner_open(&r, p, counts);
    size_t n = (size_t)p->kernel->lanes;
    double *lost = allocate((p->n_defined + 1) * sizeof *lost);
    draw d;
    if (!lost) result = NO_MEMORY;
    for (size_t first = 0; first < counts->n_draws && result == DONE; first += n) {
        int64_t *of_draw = limit ? limit + first : NULL;
        if (is_slow(p) && 2 * (counts->n_draws - first) <= (size_t)few_draws(p)) {
            n = 1;
            result = begin_draw(p, counts, first, &d, &r);
            if (result == DONE) out[first] = winner_of_draw(p, &d, r.scratch, lost, of_draw);
            continue;
        }
        result = runner_load(&r, p, counts, first);
        if (result == DONE) p->kernel->winners(p, &r.block, r.scratch, of_draw, out + first);
    }
    release(lost);
    return runner_close(&r, result);
}

/* Some configurations in all draws; out: (n_draws, n_chosen), sizes: (n_draws,) */
EXPORT int program_losses(const program *p, const counts_table *counts, const int64_t *configs,
    size_t n_chosen, double *out, double *sizes)
{
    runner r;
    int result = runner_open(&r, p, counts);
    double values[MAX_LANES];
    draw d;
    size_t n = (size_t)p->kernel->lanes;
    for (size_t first = 0; first < counts->n_draws && result == DONE; first += n) {
        int alone = counts->n_draws - first <= (size_t)few_draws(p);
        n = alone ? 1 : n;
        result = alone ? begin_draw(p, counts, first, &d, &r) : runner_load(&r, p, counts, first);
        if (result != DONE) break;
        size_t n_here = alone ? 1 : (size_t)r.block.n_draws;
        memcpy(sizes + first, alone ? &d.size : r.block.size, n_here * sizeof *sizes);
        for (size_t k = 0; k < n_chosen; k++) {
            int missing = p->undefined[configs[k]];
            if (!missing && alone)
                values[0] = p->kernel->loss_of_draw(p, &d, r.scratch, (size_t)configs[k]);
            else if (!missing)
                p->kernel->loss(p, &r.block, r.scratch, (size_t)configs[k], values);
            for (size_t l = 0; l < n_here; l++)
                out[(first + l) * n_chosen + k] = missing ? NAN : values[l];
        }
    }
    return runner_close(&r, result);
}

/* One configuration per draw, NaN for a negative one; configs, out, sizes: (n_draws,) */
EXPORT int program_loss_of(const program *p, const counts_table *counts, const int64_t *configs,
    double *out, double *sizes)
{
    runner r;
    int result = runner_open(&r, p, counts), few = few_draws(p);
    double values[MAX_LANES];
    draw d;
    for (size_t first = 0; first < counts->n_draws && result == DONE;
         first += (size_t)p->kernel->lanes) {
        size_t rest = counts->n_draws - first;
        int n = rest < (size_t)p->kernel->lanes ? (int)rest : p->kernel->lanes, any_shared = !few;
        uint8_t shared[MAX_LANES]; /* looked at together: many draws want this configuration */
        const int64_t *config = configs + first;
        for (int l = 0; l < n; l++) {
            int same = 0;
            for (int m = 0; m < n; m++) same += config[m] == config[l];
            int missing = config[l] < 0 || p->undefined[config[l]];
            any_shared |= shared[l] = !few || (!missing && same > few);
        }
        for (int l = 0; l < n && few && result == DONE; l++) {
            if (shared[l]) continue;
            if (config[l] < 0) {
                out[first + (size_t)l] = sizes[first + (size_t)l] = NAN;
                continue;
            }
            result = begin_draw(p, counts, first + (size_t)l, &d, &r);
            int missing = p->undefined[config[l]] || result != DONE;
            sizes[first + (size_t)l] = d.size;
            out[first + (size_t)l]
                = missing ? NAN : p->kernel->loss_of_draw(p, &d, r.scratch, (size_t)config[l]);
        }
        if (any_shared && result == DONE) result = runner_load(&r, p, counts, first);
        for (int l = 0; l < n && result == DONE; l++) {
            if (!shared[l]) continue;
            int missing = config[l] < 0 || p->undefined[config[l]];
            if (!missing) p->kernel->loss(p, &r.block, r.scratch, (size_t)config[l], values);
            for (int m = n - 1; m >= l; m--) {
                if (!shared[m] || config[m] != config[l]) continue;
                out[first + (size_t)m] = missing ? NAN : values[m];
                sizes[first + (size_t)m] = r.block.size[m];
                shared[m] = 0;
            }
        }
    }
    return runner_close(&r, result);
}

/* ---- bootstrap counts ---- */

#if defined(__SIZEOF_INT128__) && !defined(SKLEARN_BBC_PLAIN_C)
static ALWAYS_INLINE uint32_t picked(unsigned __int128 state, size_t n_units)
{
    uint64_t mixed = (uint64_t)(state >> 64) ^ (uint64_t)state;
    unsigned turn = (unsigned)(state >> 122);
    uint64_t bits = mixed >> turn | mixed << (-turn & 63);
    double number = (double)(int64_t)(bits >> 11) * (1.0 / 9007199254740992.0);
    return (uint32_t)(int32_t)(number * (double)n_units);
}
#endif

/* How often each of n_units is picked, (n_draws, n_units), by n_picks numbers of a PCG64 stream
 * for each draw. A pick is numpy's `random()` times n_units, rounded down: below 1, a double times
 * n_units rounds to less than n_units. `stream` holds the state and the increment and becomes the
 * stream after the draws. Returns 1 if a count does not fit its byte, 2 if this compiler has no
 * integers of 128 bits. The generator is M. E. O'Neill's PCG XSL RR 128/64 (HMC-CS-2014-0905). */
EXPORT int count_picks(
    void *stream, size_t n_draws, size_t n_picks, size_t n_units, uint8_t *counts)
{
#if defined(__SIZEOF_INT128__) && !defined(SKLEARN_BBC_PLAIN_C)
    typedef unsigned __int128 wide;
    const wide step = (wide)0x2360ed051fc65da4u << 64 | 0x4385df649fccf645u;
    wide given[2], own[4], step_4 = 1, added_4 = 0;
    int wrapped = 0;
    memcpy(given, stream, sizeof given);
    const wide increment = given[1];
    memset(counts, 0, n_draws * n_units);
    /* A step waits for the one before it; four states that are four steps apart, in turn, keep
     * the processor busy meanwhile. */
    for (int k = 0; k < 4; k++) {
        own[k] = (k ? own[k - 1] : given[0]) * step + increment;
        step_4 *= step;
        added_4 = added_4 * step + increment;
    }
    for (; n_draws > 0; n_draws--, counts += n_units)
        for (size_t left = n_picks, n; left > 0; left -= n) {
            uint32_t picks[256]; /* found before they are counted: both loops are faster */
            n = left < 256 ? left : 256;
            size_t i = 0;
            for (; i + 4 <= n; i += 4) {
                given[0] = own[3];
                for (int k = 0; k < 4; k++) {
                    picks[i + (size_t)k] = picked(own[k], n_units);
                    own[k] = own[k] * step_4 + added_4;
                }
            }
            for (; i < n; i++) {
                given[0] = own[0];
                picks[i] = picked(own[0], n_units);
                for (int k = 0; k < 3; k++) own[k] = own[k + 1];
                own[3] = own[2] * step + increment;
            }
            for (i = 0; i < n; i++) wrapped |= ++counts[picks[i]] == 0;
        }
    memcpy(stream, given, sizeof given);
    return wrapped;
#else
    (void)stream, (void)n_draws, (void)n_picks, (void)n_units, (void)counts;
    return 2;
#endif
}

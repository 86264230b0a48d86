/* What the parts of the extension share. Nothing in here knows Python: see module.c for that.
 *
 * A *program* is what can be prepared once for all draws from the predictions of all
 * configurations (sorting, mostly). Running it scores draws, given as counts per row, a few
 * draws at a time: the *lanes* of a block. docs/design/native-kernel.md tells the whole story.
 */
#ifndef SKLEARN_BBC_KERNEL_H
#define SKLEARN_BBC_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define RESTRICT __restrict__
#else
#define ALWAYS_INLINE __forceinline
#define RESTRICT __restrict
#endif

/* Vector types need GCC or clang; the byte tricks with them need a little-endian machine. Any
 * other compiler or machine takes the plain loops, which give the same bits. */
#if (defined(__GNUC__) || defined(__clang__)) && defined(__BYTE_ORDER__) \
    && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !defined(SKLEARN_BBC_PLAIN_C)
#define HAVE_VECTORS 1
#else
#define HAVE_VECTORS 0
#endif

/* Vectors of 32 and 64 bytes are compiled too where the processor may have them (AVX2, AVX-512):
 * which are used is decided when a program is made. */
#if HAVE_VECTORS && defined(__x86_64__)
#define HAVE_WIDER_VECTORS 1
#else
#define HAVE_WIDER_VECTORS 0
#endif

enum { ALIGNMENT = 64, MAX_LANES = 64 };

/* Results of functions that can fail. */
enum { DONE = 0, NO_MEMORY = -1, TOO_LARGE = -2, NO_SUCH_LANES = -3 };

/* The counts of one draw must not add up to more than this: integers are exact below it. */
#define MAX_TOTAL ((uint64_t)1 << 26)

/* ---- memory.c */
void *allocate(size_t size); /* aligned to ALIGNMENT; NULL when there is no memory */
void release(void *memory);

/* ---- sorting.c */
typedef struct sorter sorter;
sorter *sorter_new(size_t n);
void sorter_free(sorter *s);
/* order: indices of values in ascending order, those of equal values in ascending order too;
 * values must not be NaN. Returns whether some are equal. */
int sort_values(sorter *s, const double *values, uint32_t *order);
/* Of the last sort: whether a value equals the one before it, in the order of the values. */
const uint8_t *tied_values(const sorter *s);

/* ---- counts.c */
typedef struct {
    const void *data; /* (n_draws, n_rows), C-contiguous */
    int itemsize;     /* 1 or 2 bytes */
    size_t n_draws, n_rows;
    unsigned largest; /* no count exceeds it, see largest_count */
} counts_table;

/* Counts of some draws, transposed: those of one row stand side by side, one lane per draw. */
typedef struct {
    const uint8_t *narrow; /* (n_rows, lanes) when no count of the table exceeds 255, or NULL */
    const uint16_t *wide;  /* (n_rows, lanes) otherwise, or NULL */
    size_t n_rows;
    int n_draws;      /* lanes in use; the others hold zeros */
    unsigned largest; /* no count of the table exceeds it */
} block;

unsigned largest_count(const counts_table *table);
/* Fills `memory` (n_rows * lanes items of the block's width) and points `b` to it. */
void load_block(
    const counts_table *table, size_t first, int lanes, int narrow, void *memory, block *b);
/* Sums of the counts of some rows; `offsets` are row numbers times lanes. */
void sum_rows(const block *b, int lanes, const uint32_t *offsets, size_t n, uint64_t *sums);

/* ---- drawing.c */
/* The part of numpy's bit generators that other C code may use (numpy/random/bitgen.h). */
typedef struct {
    void *state;
    uint64_t (*next_uint64)(void *state);
    uint32_t (*next_uint32)(void *state);
    double (*next_double)(void *state);
    uint64_t (*next_raw)(void *state);
} bit_generator;

/* Where counts go: (n_draws, n_units) of uint8, uint16 or uint32, each row contiguous. */
typedef struct {
    void *data;
    int itemsize;
    size_t n_draws, n_units;
    ptrdiff_t row_stride;
} count_rows;

/* Seed of a run without its last word, which is the number of the block. */
typedef struct {
    const int64_t *words; /* of 32 bits, at least three */
    size_t n_words;
    uint32_t first_block;
    size_t block_size; /* draws per block */
} seed_words;

#define BAD_GENERATOR UINT64_MAX

/* Bootstrap counts. Both return the largest one; if that is more than `itemsize` bytes hold,
 * `out` is not valid. BAD_GENERATOR if a number was not in [0, 1). */
uint64_t draw_counts(bit_generator *generator, size_t n_picks, const count_rows *out);
uint64_t draw_blocks(const seed_words *seed, size_t n_picks, const count_rows *out);

/* ---- program.c: what all kernels do alike */
typedef struct program program;

typedef struct {
    const char *name;
    int lanes;
    /* Makes ready for counts up to `largest`: the one thing that changes a program. The caller
     * holds the program's lock; what was made before stays as and where it is. */
    int (*prepare)(program *p, unsigned largest);
    size_t (*scratch_size)(const program *p);
    /* Starts a block: totals per draw. DONE or TOO_LARGE. */
    int (*begin)(const program *p, const block *b, void *scratch);
    /* Best configuration of each draw: the first on ties, -1 where all are undefined. */
    void (*winners)(const program *p, const block *b, void *scratch, int64_t *out);
    /* The same among those that lose at most `limit` of the draw, which becomes what the winner
     * loses; -1 where there is none. NULL where losses are no whole numbers. */
    void (*winners_within)(
        const program *p, const block *b, void *scratch, int64_t *limit, int64_t *out);
    /* A score is (size - loss) / size, undefined where the size is 0: the loss of one
     * configuration in each draw (NaN if it is undefined), and the size of each draw. */
    void (*loss)(const program *p, const block *b, void *scratch, size_t config, double *out);
    /* The loss in one lane alone; NULL where that is no faster than in all. */
    double (*loss_of_lane)(
        const program *p, const block *b, void *scratch, size_t config, int lane);
    void (*sizes)(const program *p, const block *b, void *scratch, double *out);
    void (*destroy)(program *p);
} kernel;

struct program {
    const kernel *kernel;
    size_t n_configs, n_rows;
    size_t nbytes; /* memory held */
};

/* Orders the configurations in `order` by ascending loss[configuration]. */
int best_first(const double *loss, uint32_t *order, size_t n);

typedef enum { SCORES, LOSSES } quantity;

/* limit: (n_draws,), see winners_within, or NULL */
int run_winners(const program *p, const counts_table *counts, int64_t *limit, int64_t *out);
/* Some configurations in all draws; out: (n_draws, n_chosen) */
int run_configs(const program *p, const counts_table *counts, const int64_t *configs,
    size_t n_chosen, quantity what, double *out);
/* One configuration per draw, NaN for a negative one; configs, out: (n_draws,) */
int run_pairs(const program *p, const counts_table *counts, const int64_t *configs, quantity what,
    double *out);

/* ---- one constructor per kernel; *error is set when they return NULL */
typedef struct {
    const char *data; /* numbers at data + config * config_stride + row * row_stride */
    size_t n_configs, n_rows;
    ptrdiff_t config_stride, row_stride;
    int single; /* floats instead of doubles: half the memory, read without a copy */
} score_table;

static ALWAYS_INLINE double score_at(const char *number, int single)
{
    float f;
    double d;
    if (single) {
        memcpy(&f, number, sizeof f);
        return f;
    }
    memcpy(&d, number, sizeof d);
    return d;
}

/* One class of rows against the others; `rows` are the n rows that take part. */
typedef struct {
    const uint8_t *positive; /* (n_rows,) of the table, 0 or 1 */
    const int64_t *rows;
    size_t n;
    const int64_t *fold; /* (n_rows,) of the table, each below n_folds; NULL: one fold */
    size_t n_folds;
    int lanes; /* of the kernel, 0: whatever suits the processor */
} binary_target;

/* auc_listing.c */
program *auc_new(const score_table *scores, const binary_target *target, int *error);
/* Whether there is a kernel of so many lanes for this processor (auc_widths.c). */
int auc_has_lanes(int lanes);
/* average_precision.c */
program *average_precision_new(
    const score_table *scores, const binary_target *target, int *error);
/* concordance.c: a higher risk should mean an earlier event */
program *concordance_new(
    const score_table *risk, const double *time, const uint8_t *event, int *error);

#endif

/* What the compiled kernels share. Nothing in here knows Python: `__init__.py` calls the functions
 * marked EXPORT through ctypes, which releases the GIL, and checks their arguments before.
 *
 * A *program* is what can be prepared once for all draws from the predictions of all
 * configurations (sorting, mostly). Running it scores draws, given as counts per row, a few
 * draws at a time: the *lanes* of a block. docs/design/native-kernel.md has the whole story.
 */
#ifndef SKLEARN_BBC_KERNEL_H
#define SKLEARN_BBC_KERNEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define RESTRICT __restrict__
#define EXPORT __attribute__((visibility("default")))
#else
#define ALWAYS_INLINE __forceinline
#define RESTRICT __restrict
#define EXPORT __declspec(dllexport)
#endif

/* Vector types need GCC or clang; the byte tricks with them need a little-endian machine. Any
 * other compiler or machine takes the plain loops, which give the same numbers. */
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
enum { DONE = 0, NO_MEMORY = -1, TOO_LARGE = -2 };

/* The counts of one draw must not add up to more than this: integers are exact below it. */
#define MAX_TOTAL ((uint64_t)1 << 26)

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
/* Orders the n configurations in `order` by ascending loss[configuration]. */
int best_first(const double *loss, uint32_t *order, size_t n);

/* ---- program.c */
typedef struct {
    const void *data; /* (n_draws, n_rows), C-contiguous */
    int itemsize;     /* 1 or 2 bytes */
    unsigned largest; /* no count exceeds it */
    size_t n_draws, n_rows;
} counts_table;

/* Counts of some draws, transposed: those of one row stand side by side, one lane per draw. */
typedef struct {
    const uint8_t *narrow; /* (n_rows, lanes) where the kernel wants bytes, or NULL */
    const uint16_t *wide;  /* (n_rows, lanes) otherwise, or NULL */
    double size[MAX_LANES]; /* what can be lost in each draw, see `loss` */
    int n_draws; /* lanes in use; the others hold zeros */
} block;

/* Counts of one draw, in the order of the rows. */
typedef struct {
    const uint8_t *narrow;
    const uint16_t *wide; /* where `narrow` is NULL */
    double size;
} draw;

/* Sum of the counts of some rows; `offsets` are row numbers times lanes, a constant. */
static ALWAYS_INLINE uint64_t sum_draw(
    const draw *d, uint32_t lanes, const uint32_t *offsets, size_t n)
{
    uint64_t sum = 0;
    if (d->narrow)
        for (size_t i = 0; i < n; i++) sum += d->narrow[offsets[i] / lanes];
    else
        for (size_t i = 0; i < n; i++) sum += d->wide[offsets[i] / lanes];
    return sum;
}

/* Sums of the counts of some rows; `offsets` are row numbers times lanes. */
void sum_rows(const block *b, int lanes, const uint32_t *offsets, size_t n, uint64_t *sums);

/* Lanes of the kernels for vectors: as many as asked for, or for 0 the most that this processor has;
 * 0 if it has not so many. */
EXPORT int lanes_for(int lanes);

typedef struct program program;
typedef struct binary binary; /* binary.h */

typedef struct {
    int lanes;
    int narrow_up_to; /* counts up to here are wanted as bytes; -1: none */
    int few_draws;    /* so many are faster one by one; 0: never */
    size_t (*scratch_size)(const program *p);
    /* Starts a block: fills in its sizes. DONE or TOO_LARGE. */
    int (*begin)(const program *p, block *b, void *scratch);
    /* Best configuration of each draw: the first on ties, -1 where all are undefined. With
     * `limit` (AUC only) among those that lose at most so much, which becomes what the winner
     * loses. */
    void (*winners)(
        const program *p, const block *b, void *scratch, int64_t *limit, int64_t *out);
    /* A score is (size - loss) / size, undefined where the size is 0: the loss of one defined
     * configuration in each draw. */
    void (*loss)(const program *p, const block *b, void *scratch, size_t config, double *out);
    /* The same for one draw alone, as it stands in the table: `begin_draw` fills in its size. */
    int (*begin_draw)(const program *p, draw *d, void *scratch);
    double (*loss_of_draw)(const program *p, const draw *d, void *scratch, size_t config);
    /* Scores that differ by no more tie; NULL: equal ones. */
    double (*tie_margin)(const program *p);
    void (*destroy)(program *p);
    /* Of two classes: lists the rows of a ranked configuration, and fills in its `losses` and
     * `sizes`. Several threads do so, each for other configurations. DONE or NO_MEMORY. */
    int (*list)(program *p, const binary *b, size_t config);
} kernel;

struct program {
    const kernel *kernel;
    size_t n_configs, n_rows;
    size_t nbytes; /* memory held, about */
    uint32_t *order; /* defined configurations, best on the undrawn rows first */
    size_t n_defined;
    uint8_t *undefined; /* (n_configs,): a score is NaN */
    /* While it is prepared, (n_configs,): what a configuration loses when every row counts once, and
     * the memory that it takes. */
    double *losses;
    size_t *sizes;
};

/* Losses of some configurations in all draws; out: (n_draws, n_chosen), sizes: (n_draws,) */
EXPORT int program_losses(const program *p, const counts_table *counts, const int64_t *configs,
    size_t n_chosen, double *out, double *sizes);

/* Fills in a zeroed program; NO_MEMORY leaves it to `destroy`. */
int program_open(program *p, const kernel *k, size_t n_configs, size_t n_rows);
void program_close(program *p);

/* ---- predictions */
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

#endif

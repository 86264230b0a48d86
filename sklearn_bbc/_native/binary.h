/* What the kernels of two classes prepare alike: rows of a configuration in order of score. */
#ifndef SKLEARN_BBC_BINARY_H
#define SKLEARN_BBC_BINARY_H

#include "kernel.h"

/* One class of rows against the others, among the n rows that take part. */
typedef struct {
    const uint8_t *positive; /* (n_rows,) of the table, 0 or 1 */
    const int64_t *rows; /* which rows; NULL: all of the table */
    const int64_t *fold; /* (n_rows,) of the table, each below n_folds; NULL: one fold */
    size_t n, n_folds;
    int lanes; /* of the kernel, 0: whatever suits the processor */
    int lean;  /* copy the scores of one configuration only: slower, an eighth of the memory */
} binary_target;

/* The rows that take part, and memory for ranking them; the same for all configurations. */
struct binary {
    size_t n, n_pos, n_neg, n_folds;
    const int64_t *rows;
    uint32_t *fold;                  /* of each row; NULL: one fold */
    uint32_t *first_pos, *first_neg; /* how many are in the folds before, (n_folds + 1,) */
    uint32_t *marked; /* row * lanes, and the class in the lowest bit: lanes are even */
    /* Filled by binary_rank, in ascending order of score, one fold behind the other. */
    uint32_t *ranked;    /* what is in `marked` */
    const uint8_t *tied; /* whether the score equals the one before, of the same fold */
    int mixed;           /* a positive and a negative have the same score */
    uint32_t *below;     /* for the listing of one configuration: per positive */
    /* private */
    sorter *sorter;
    double *values; /* of `together` configurations, `stride` apart; NULL: read where they are */
    size_t stride, together, first, n_fetched;
    uint32_t *order, *grouped, *place;
    uint8_t *tied_in_fold;
};

static ALWAYS_INLINE size_t row_of(const binary *b, size_t i)
{
    return b->rows ? (size_t)b->rows[i] : i;
}
static ALWAYS_INLINE uint32_t offset_of(uint32_t marked) { return marked & ~(uint32_t)1; }
static ALWAYS_INLINE int is_positive(uint32_t marked) { return marked & 1; }

int binary_open(
    binary *b, const score_table *scores, const binary_target *target, int lanes);
void binary_close(binary *b);
/* New array of the offsets of the positive (or negative) rows, one fold behind the other. */
uint32_t *binary_rows(const binary *b, int positive);
/* Ranks and lists some configurations of a new program. Threads may share it, each with other
 * configurations; `program_finish` comes after all. DONE or NO_MEMORY. */
EXPORT int program_list(program *p, const score_table *scores, const binary_target *target,
    size_t first, size_t stop);

#endif

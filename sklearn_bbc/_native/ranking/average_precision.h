/* The prepared form of a program of average precision: written by average_precision_listing.c,
 * read by average_precision.c. */
#ifndef SKLEARN_BBC_AVERAGE_PRECISION_H
#define SKLEARN_BBC_AVERAGE_PRECISION_H

#include "../kernel.h"

enum { LANES = 8, LIMIT = 32 };

typedef struct {
    uint8_t n_neg, n_pos, n_steps, ends_fold;
} chunk;

/* A distinct score with a positive: where it is in the chunk's lists. */
typedef struct {
    uint8_t neg_below, pos_end;
} step;

/* A fold with positives: where its rows start in the lists of classes. */
typedef struct {
    uint32_t pos, neg, n_pos, n_neg;
} fold_rows;

/* The rows of one configuration in ascending order of score, one fold behind the other. */
typedef struct {
    uint32_t *neg, *pos; /* offsets into a block: row * LANES */
    step *steps;
    chunk *chunks;
    size_t n_chunks;
    int undefined; /* a score is NaN */
} listing;

typedef struct {
    program base;
    size_t n_pos, n_neg;
    uint32_t *pos_rows, *neg_rows; /* offsets, one fold behind the other */
    fold_rows *folds;
    size_t n_folds;
    listing *listings;
    uint32_t *order; /* defined configurations, best on the undrawn rows first */
    size_t n_defined;
} ap_program;

void average_precision_destroy(program *p);
extern const kernel average_precision_kernel;

#endif

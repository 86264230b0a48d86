/* The prepared form of an average precision program: written by average_precision.c, read by
 * average_precision_kernel.h. */
#ifndef SKLEARN_BBC_AVERAGE_PRECISION_H
#define SKLEARN_BBC_AVERAGE_PRECISION_H

#include <float.h>

#include "auc.h" /* for the length of chunks and what is fetched ahead */

typedef struct {
    uint8_t n_neg, n_pos, n_steps;
    uint8_t whole : 1;     /* each of its positives belongs to one of its steps, and no other does */
    uint8_t ends_fold : 1;
} precision_chunk;

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
    uint32_t *neg, *pos; /* offsets into a block: row * lanes; `neg` owns all memory */
    precision_chunk *chunks;
    step *steps;
    size_t n_chunks;
} precision_listing;

typedef struct {
    program base;
    size_t n_pos, n_neg;
    uint32_t *pos_rows, *neg_rows; /* offsets, one fold behind the other */
    fold_rows *folds;
    size_t n_folds;
    precision_listing *listings;
    int far_apart; /* a block outgrows the fastest cache: prefetch */
} precision_program;

void precision_destroy(program *p);
int precision_list(program *p, const binary *b, size_t config);

/* One kernel, compiled for vectors of 16, 32 and 64 bytes. */
extern const kernel average_precision_kernel_16;
#if HAVE_WIDER_VECTORS
extern const kernel average_precision_kernel_32, average_precision_kernel_64;
#endif

#endif

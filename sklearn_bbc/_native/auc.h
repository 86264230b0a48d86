/* The prepared form of an AUC program: written by auc.c, read by auc_kernel.h. */
#ifndef SKLEARN_BBC_AUC_H
#define SKLEARN_BBC_AUC_H

#include "kernel.h"

/* A chunk has so few negatives and positives that sums of counts up to LARGEST fit a byte. Nearly
 * all bootstrap counts do; others take the plain loops. */
enum { LARGEST = 12, LIMIT = 255 / LARGEST };

/* Rows that are fetched ahead of use where a block outgrows FAST_CACHE bytes. */
enum { PREFETCH = 12, FAST_CACHE = 48 * 1024 };

typedef struct {
    uint8_t n_neg, n_pos;
} chunk;

/* The rows of one configuration in ascending order of score. */
typedef struct {
    uint32_t *neg, *pos; /* offsets into a block: row * lanes; `neg` owns all memory */
    chunk *chunks;
    uint8_t *cut; /* per positive: negatives of its chunk that are below it */
    size_t n_chunks;
    int doubled; /* negatives are listed twice because some are tied with positives */
} listing;

typedef struct {
    program base;
    size_t n_pos, n_neg;
    uint32_t *pos_rows, *neg_rows; /* offsets, in the order of the rows */
    listing *listings;
    int far_apart; /* a block outgrows the fastest cache: prefetch */
} auc_program;

void auc_destroy(program *p);
int auc_list(program *p, const binary *b, size_t config);

/* One kernel, compiled for vectors of 16, 32 and 64 bytes. */
extern const kernel auc_kernel_16;
#if HAVE_WIDER_VECTORS
extern const kernel auc_kernel_32, auc_kernel_64;
#endif

#endif

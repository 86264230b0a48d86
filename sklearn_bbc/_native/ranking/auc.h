/* The prepared form of an AUC program: written by auc_listing.c, read by auc_kernel.h. */
#ifndef SKLEARN_BBC_AUC_H
#define SKLEARN_BBC_AUC_H

#include "../kernel.h"

enum {
    PREFETCH = 12,          /* rows that are fetched ahead of use */
    FAST_CACHE = 48 * 1024, /* bytes of a block from which on that pays */
};

/* A chunk with at most `limit` negatives and `limit` positives suits counts up to 255/limit.
 * Every program has chunks of the first class, which nearly all bootstrap counts are content
 * with; those of another class are made when they are first needed. */
enum { N_CLASSES = 5 };

typedef struct {
    uint8_t n_neg, n_pos;
} chunk;

typedef struct {
    chunk *chunks;
    uint8_t *cut; /* per positive: negatives of its chunk that are below it */
    size_t n_chunks;
} chunking;

/* The rows of one configuration in ascending order of score. */
typedef struct {
    uint32_t *neg, *pos; /* offsets into a block: row * lanes */
    uint32_t n_neg;      /* up to the last positive: the rest can take nothing away */
    int doubled;         /* negatives are listed twice because some are tied with positives */
    int undefined;       /* a score is NaN */
    chunking by_class[N_CLASSES];
} listing;

typedef struct piece piece;

typedef struct {
    program base;
    size_t n_pos, n_neg;
    uint32_t *pos_rows, *neg_rows; /* offsets, in the order of the rows */
    listing *listings;
    uint32_t *order; /* defined configurations, best on the undrawn rows first */
    size_t n_defined;
    int far_apart; /* a block outgrows the fastest cache: prefetch */
    /* Memory of the listings and chunks: pieces, and what is left of the last one. */
    piece *pieces;
    char *next;
    size_t room;
} auc_program;

/* Class of chunks that suits counts up to `largest`. */
int auc_class_for(unsigned largest);
int auc_prepare(program *p, unsigned largest);
void auc_destroy(program *p);

/* One kernel, compiled for vectors of 16, 32 and 64 bytes. */
extern const kernel auc_kernel_16;
#if HAVE_WIDER_VECTORS
extern const kernel auc_kernel_32, auc_kernel_64;
#endif
/* The one of so many lanes, or for 0 the widest; NULL if the processor cannot run it. */
const kernel *auc_kernel_for(int lanes);

#endif

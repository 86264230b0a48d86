/* Sums over the rows of draws. */
#ifndef SKLEARN_BBC_SUMS_H
#define SKLEARN_BBC_SUMS_H

#include "kernel.h"

/* Sums side by side; rows after which these are added up; draws that read the same values at a time;
 * terms of which `best_of_sums` keeps the sums. */
enum { SIDE = 16, CHUNK = 1024, TOGETHER = 64, MOST_TERMS = 256 };

/* For counts of one byte (`_of_bytes`) and of two. `values` of `total` are not looked at; `marked` sums
 * the counts where they are 1, and not 0. */
typedef struct {
    uint64_t (*total_of_bytes)(const uint8_t *counts, const uint8_t *values, size_t n);
    uint64_t (*total_of_pairs)(const uint16_t *counts, const uint8_t *values, size_t n);
    uint64_t (*marked_of_bytes)(const uint8_t *counts, const uint8_t *values, size_t n);
    uint64_t (*marked_of_pairs)(const uint16_t *counts, const uint8_t *values, size_t n);
    void (*products_of_bytes)(const uint8_t *const *counts, const double *values, size_t n,
        int n_draws, double *out);
    void (*products_of_pairs)(const uint16_t *const *counts, const double *values, size_t n,
        int n_draws, double *out);
    void (*best_sums)(const uint8_t *counts, size_t n_draws, size_t n_terms, const double *terms,
        size_t n_configs, double rounding, double *work, int64_t *best);
} sums_kernel;

extern const sums_kernel sums_kernel_16, sums_kernel_32, sums_kernel_64;

#endif

/* AUC, average precision and sums in vectors of 64 bytes: only for processors with AVX-512. */
#include "auc.h"
#include "average_precision.h"
#include "sums.h"


#if HAVE_WIDER_VECTORS
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw")
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed between inlined functions only */
#endif
#define LANES 64
#define AUC_KERNEL auc_kernel_64
#define AVERAGE_PRECISION_KERNEL average_precision_kernel_64
#define SUMS_KERNEL sums_kernel_64
#define SUMS_NAME(name) name##_64
#include "vectors.h"
#include "auc_kernel.h"
#include "average_precision_kernel.h"
#include "sums_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

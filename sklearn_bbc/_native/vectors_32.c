/* AUC, average precision and sums in vectors of 32 bytes: only for processors with AVX2. */
#include "auc.h"
#include "average_precision.h"
#include "sums.h"


#if HAVE_WIDER_VECTORS
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed between inlined functions only */
#endif
#define LANES 32
#define AUC_KERNEL auc_kernel_32
#define AVERAGE_PRECISION_KERNEL average_precision_kernel_32
#define SUMS_KERNEL sums_kernel_32
#define SUMS_NAME(name) name##_32
#include "vectors.h"
#include "auc_kernel.h"
#include "average_precision_kernel.h"
#include "sums_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

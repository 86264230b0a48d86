/* Which of the AUC kernels the processor can run: asked at run time, so that one build serves all. */
#include "auc.h"

#include <stddef.h>

const kernel *auc_kernel_for(int lanes)
{
#if HAVE_WIDER_VECTORS
    if ((lanes == 64 || lanes == 0) && __builtin_cpu_supports("avx512f")
        && __builtin_cpu_supports("avx512bw"))
        return &auc_kernel_64;
    if ((lanes == 32 || lanes == 0) && __builtin_cpu_supports("avx2")) return &auc_kernel_32;
#endif
    return lanes == 16 || lanes == 0 ? &auc_kernel_16 : NULL;
}

int auc_has_lanes(int lanes) { return auc_kernel_for(lanes) != NULL; }

/* The AUC kernel for vectors of 16 bytes, which every processor of a platform has, or none. */
#include "auc.h"

#define LANES 16
#define AUC_KERNEL auc_kernel_16
#include "auc_kernel.h"

/* AUC, average precision and sums in vectors of 16 bytes, which every processor of a platform has, or
 * none. */
#include "auc.h"
#include "average_precision.h"
#include "sums.h"


#define LANES 16
#define AUC_KERNEL auc_kernel_16
#define AVERAGE_PRECISION_KERNEL average_precision_kernel_16
#define SUMS_KERNEL sums_kernel_16
#define SUMS_NAME(name) name##_16
#include "vectors.h"
#include "auc_kernel.h"
#include "average_precision_kernel.h"
#include "sums_kernel.h"

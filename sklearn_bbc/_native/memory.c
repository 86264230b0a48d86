/* Aligned memory from plain malloc: C11's aligned_alloc is missing on Windows. */
#ifdef __SANITIZE_ADDRESS__
#define _POSIX_C_SOURCE 200112L
#endif
#include "kernel.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
/* The address sanitizer's own: it ends where it is said to end. */
void *allocate(size_t size)
{
    void *memory;
    return posix_memalign(&memory, ALIGNMENT, size) == 0 ? memory : NULL;
}

void release(void *memory) { free(memory); }
#else

void *allocate(size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT - sizeof(void *)) return NULL;
    char *raw = malloc(size + ALIGNMENT + sizeof(void *));
    if (!raw) return NULL;
    uintptr_t start = (uintptr_t)(raw + sizeof(void *));
    char *aligned = raw + sizeof(void *) + (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
    ((void **)aligned)[-1] = raw; /* just before the aligned part: what free needs */
    return aligned;
}

void release(void *memory)
{
    if (memory) free(((void **)memory)[-1]);
}
#endif

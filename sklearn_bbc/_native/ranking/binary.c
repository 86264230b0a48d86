/* Ranking the rows of two classes by score. */
#include "binary.h"

#include <string.h>

/* Configurations whose scores are copied in one go: where a table has them side by side, eight
 * doubles share a line of the cache. An odd number of lines from one configuration to the next
 * keeps the copies out of each other's way in the cache. */
enum { TOGETHER = 8 };

static size_t stride_for(size_t n) { return 8 * ((n / 8 + 1) | 1); }

int binary_open(binary *b, const binary_target *target, int lanes)
{
    size_t n = target->n;
    memset(b, 0, sizeof *b);
    b->n = n;
    b->rows = target->rows;
    b->marked = allocate((n + 1) * sizeof *b->marked);
    b->ranked = allocate((n + 1) * sizeof *b->ranked);
    b->below = allocate((n + 1) * sizeof *b->below);
    b->sorter = sorter_new(n);
    b->tied = b->sorter ? tied_values(b->sorter) : NULL;
    b->stride = stride_for(n);
    b->values = allocate(TOGETHER * b->stride * sizeof *b->values);
    b->order = allocate((n + 1) * sizeof *b->order);
    if (!b->marked || !b->ranked || !b->below || !b->sorter || !b->values || !b->order) {
        binary_close(b);
        return NO_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t positive = target->positive[target->rows[i]];
        b->marked[i] = (uint32_t)(target->rows[i] * lanes) | positive;
        b->n_pos += positive;
    }
    b->n_neg = n - b->n_pos;
    return DONE;
}

void binary_close(binary *b)
{
    release(b->marked);
    release(b->ranked);
    release(b->below);
    sorter_free(b->sorter);
    release(b->values);
    release(b->order);
    memset(b, 0, sizeof *b);
}

/* Copies the scores of the next configurations; `single` is a constant. */
static ALWAYS_INLINE void fetch_as(binary *b, const score_table *scores, size_t config, int single)
{
    size_t left = scores->n_configs - config, n = left < TOGETHER ? left : TOGETHER;
    size_t stride = b->stride;
    ptrdiff_t step = scores->config_stride;
    const char *data = scores->data + (ptrdiff_t)config * step;
    for (size_t i = 0; i < b->n; i++) {
        const char *from = data + (ptrdiff_t)b->rows[i] * scores->row_stride;
        double *to = b->values + i;
        if (n == TOGETHER) /* a constant: the loop is unrolled */
            for (size_t c = 0; c < TOGETHER; c++)
                to[c * stride] = score_at(from + (ptrdiff_t)c * step, single);
        else
            for (size_t c = 0; c < n; c++)
                to[c * stride] = score_at(from + (ptrdiff_t)c * step, single);
    }
    b->first = config;
    b->n_fetched = n;
}

static void fetch(binary *b, const score_table *scores, size_t config)
{
    if (scores->single)
        fetch_as(b, scores, config, 1);
    else
        fetch_as(b, scores, config, 0);
}

int binary_rank(binary *b, const score_table *scores, size_t config)
{
    if (config - b->first >= b->n_fetched) fetch(b, scores, config);
    const double *values = b->values + (config - b->first) * b->stride;
    uint64_t missing = 0;
    for (size_t i = 0; i < b->n; i++) missing += values[i] != values[i];
    if (missing) return 0;
    int ties = sort_values(b->sorter, values, b->order);
    for (size_t i = 0; i < b->n; i++) b->ranked[i] = b->marked[b->order[i]];
    uint32_t mixed = 0;
    for (size_t i = 1; ties && i < b->n; i++)
        mixed |= b->tied[i] & (b->ranked[i] ^ b->ranked[i - 1]);
    b->mixed = (int)mixed;
    return 1;
}

uint32_t *binary_rows(const binary *b, int positive)
{
    uint32_t *rows = allocate((b->n + 1) * sizeof *rows);
    size_t n = 0;
    for (size_t i = 0; rows && i < b->n; i++)
        if (is_positive(b->marked[i]) == positive) rows[n++] = offset_of(b->marked[i]);
    return rows;
}

/* Ranking the rows of two classes by score. */
#include "binary.h"

#include <math.h>
#include <string.h>

int binary_open(binary *b, const binary_target *target, int lanes)
{
    size_t n = target->n;
    memset(b, 0, sizeof *b);
    b->n = n;
    b->rows = target->rows;
    b->offsets = allocate((n + 1) * sizeof *b->offsets);
    b->positive = allocate(n + 1);
    b->ranked_offsets = allocate((n + 1) * sizeof *b->ranked_offsets);
    b->ranked_positive = allocate(n + 1);
    b->tied = allocate(n + 1);
    b->below = allocate((n + 1) * sizeof *b->below);
    b->sorter = sorter_new(n);
    b->values = allocate((n + 1) * sizeof *b->values);
    b->order = allocate((n + 1) * sizeof *b->order);
    if (!b->offsets || !b->positive || !b->ranked_offsets || !b->ranked_positive || !b->tied
        || !b->below || !b->sorter || !b->values || !b->order) {
        binary_close(b);
        return NO_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        b->offsets[i] = (uint32_t)(target->rows[i] * lanes);
        b->positive[i] = target->positive[target->rows[i]];
        b->n_pos += b->positive[i];
    }
    b->n_neg = n - b->n_pos;
    return DONE;
}

void binary_close(binary *b)
{
    release(b->offsets);
    release(b->positive);
    release(b->ranked_offsets);
    release(b->ranked_positive);
    release(b->tied);
    release(b->below);
    sorter_free(b->sorter);
    release(b->values);
    release(b->order);
    memset(b, 0, sizeof *b);
}

int binary_rank(binary *b, const score_table *scores, size_t config)
{
    const char *data = scores->data + (ptrdiff_t)config * scores->config_stride;
    int missing = 0;
    for (size_t i = 0; i < b->n; i++) {
        memcpy(b->values + i, data + (ptrdiff_t)b->rows[i] * scores->row_stride, sizeof(double));
        missing |= isnan(b->values[i]) != 0;
    }
    if (missing) return 0;
    sort_values(b->sorter, b->values, b->order);
    double last = 0;
    int mixed = 0;
    for (size_t i = 0; i < b->n; i++) {
        uint32_t k = b->order[i];
        b->ranked_offsets[i] = b->offsets[k];
        b->ranked_positive[i] = b->positive[k];
        b->tied[i] = i > 0 && b->values[k] == last;
        last = b->values[k];
    }
    for (size_t i = 1; i < b->n; i++)
        mixed |= b->tied[i] & (b->ranked_positive[i] ^ b->ranked_positive[i - 1]);
    b->mixed = mixed;
    return 1;
}

uint32_t *binary_rows(const binary *b, int positive)
{
    uint32_t *rows = allocate((b->n + 1) * sizeof *rows);
    size_t n = 0;
    for (size_t i = 0; rows && i < b->n; i++)
        if (b->positive[i] == positive) rows[n++] = b->offsets[i];
    return rows;
}

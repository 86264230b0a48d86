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
    b->n_folds = target->fold ? target->n_folds : 1;
    b->first_pos = allocate((b->n_folds + 1) * sizeof *b->first_pos);
    b->first_neg = allocate((b->n_folds + 1) * sizeof *b->first_neg);
    int whole = b->marked && b->ranked && b->below && b->sorter && b->values && b->order
        && b->first_pos && b->first_neg;
    if (target->fold) {
        b->fold = allocate((n + 1) * sizeof *b->fold);
        b->grouped = allocate((n + 1) * sizeof *b->grouped);
        b->place = allocate((b->n_folds + 1) * sizeof *b->place);
        b->tied_in_fold = allocate(n + 1);
        whole = whole && b->fold && b->grouped && b->place && b->tied_in_fold;
    }
    if (!whole) {
        binary_close(b);
        return NO_MEMORY;
    }
    memset(b->first_pos, 0, (b->n_folds + 1) * sizeof *b->first_pos);
    memset(b->first_neg, 0, (b->n_folds + 1) * sizeof *b->first_neg);
    for (size_t i = 0; i < n; i++) {
        uint32_t positive = target->positive[target->rows[i]];
        uint32_t fold = target->fold ? (uint32_t)target->fold[target->rows[i]] : 0;
        b->marked[i] = (uint32_t)(target->rows[i] * lanes) | positive;
        if (b->fold) b->fold[i] = fold;
        b->first_pos[fold + 1] += positive;
        b->first_neg[fold + 1] += 1 - positive;
    }
    for (size_t f = 0; f < b->n_folds; f++) {
        b->first_pos[f + 1] += b->first_pos[f];
        b->first_neg[f + 1] += b->first_neg[f];
    }
    b->n_pos = b->first_pos[b->n_folds];
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
    release(b->first_pos);
    release(b->first_neg);
    release(b->fold);
    release(b->grouped);
    release(b->place);
    release(b->tied_in_fold);
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

/* Puts the folds behind each other; in each the order stays. Returns whether some are tied. */
static int group_folds(binary *b, const double *values)
{
    int ties = 0;
    for (size_t f = 0; f < b->n_folds; f++) b->place[f] = b->first_pos[f] + b->first_neg[f];
    for (size_t i = 0; i < b->n; i++) b->grouped[b->place[b->fold[b->order[i]]]++] = b->order[i];
    for (size_t i = 0; i < b->n; i++) {
        uint32_t here = b->grouped[i], before = b->grouped[i ? i - 1 : 0];
        b->ranked[i] = b->marked[here];
        ties |= b->tied_in_fold[i] = i && b->fold[here] == b->fold[before] && values[here] == values[before];
    }
    b->tied = b->tied_in_fold;
    return ties;
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
    if (b->fold)
        ties = group_folds(b, values);
    else
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
    if (!rows) return NULL;
    size_t n = 0;
    const uint32_t *first = positive ? b->first_pos : b->first_neg;
    if (b->fold) memcpy(b->place, first, b->n_folds * sizeof *first);
    for (size_t i = 0; i < b->n; i++)
        if (is_positive(b->marked[i]) == positive)
            rows[b->fold ? b->place[b->fold[i]]++ : n++] = offset_of(b->marked[i]);
    return rows;
}

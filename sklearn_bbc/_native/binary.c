/* Ranking the rows of two classes by score. */
#include "binary.h"

/* Configurations whose scores are copied in one go: where a table has them side by side, eight
 * doubles share a line of the cache. An odd number of lines from one configuration to the next
 * keeps the copies out of each other's way in the cache. */
enum { TOGETHER = 8 };

static size_t stride_for(size_t n) { return 8 * ((n / 8 + 1) | 1); }

int binary_open(
    binary *b, const score_table *scores, const binary_target *target, int lanes)
{
    size_t n = target->n, n_folds = target->fold ? target->n_folds : 1;
    ptrdiff_t item = scores->single ? sizeof(float) : sizeof(double);
    int in_a_row = scores->row_stride == item;
    int as_it_is = in_a_row && !scores->single && n == scores->n_rows;
    *b = (binary){.n = n, .n_folds = n_folds, .rows = target->rows, .stride = stride_for(n)};
    b->together = in_a_row || target->lean ? 1 : TOGETHER;
    uint32_t **of_rows[] = {&b->marked, &b->below, &b->order, &b->ranked, &b->fold, &b->grouped};
    int n_of_rows = n_folds > 1 ? 6 : 3;
    uint32_t **of_folds[] = {&b->first_pos, &b->first_neg, &b->place};
    int whole = 1;
    for (int i = 0; i < n_of_rows; i++)
        whole &= (*of_rows[i] = allocate((n + 1) * sizeof(uint32_t))) != NULL;
    for (int i = 0; i < 3; i++)
        whole &= (*of_folds[i] = allocate((n_folds + 1) * sizeof(uint32_t))) != NULL;
    if (n_folds == 1) b->ranked = b->order; /* each number gives way to what it stands for */
    b->sorter = sorter_new(n);
    b->values = as_it_is ? NULL : allocate(b->together * b->stride * sizeof *b->values);
    b->tied_in_fold = allocate(n + 1);
    if (!whole || !b->sorter || !(b->values || as_it_is) || !b->tied_in_fold) {
        binary_close(b);
        return NO_MEMORY;
    }
    memset(b->first_pos, 0, (n_folds + 1) * sizeof *b->first_pos);
    memset(b->first_neg, 0, (n_folds + 1) * sizeof *b->first_neg);
    for (size_t i = 0; i < n; i++) {
        size_t row = row_of(b, i);
        uint32_t positive = target->positive[row], fold = 0;
        b->marked[i] = (uint32_t)(row * (size_t)lanes) | positive;
        if (b->fold) b->fold[i] = fold = (uint32_t)target->fold[row];
        b->first_pos[fold + 1] += positive;
        b->first_neg[fold + 1] += 1 - positive;
    }
    for (size_t f = 0; f < n_folds; f++) {
        b->first_pos[f + 1] += b->first_pos[f];
        b->first_neg[f + 1] += b->first_neg[f];
    }
    b->n_pos = b->first_pos[n_folds];
    b->n_neg = n - b->n_pos;
    return DONE;
}

void binary_close(binary *b)
{
    void *memory[] = {b->marked, b->below, b->order, b->fold, b->grouped, b->first_pos, b->first_neg,
        b->place, b->values, b->tied_in_fold};
    if (b->ranked != b->order) release(b->ranked);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) release(memory[i]);
    sorter_free(b->sorter);
}

/* Copies the scores of the next configurations; `single` is a constant. */
static ALWAYS_INLINE void fetch_as(binary *b, const score_table *scores, size_t config, int single)
{
    size_t left = scores->n_configs - config, n = left < b->together ? left : b->together;
    size_t stride = b->stride;
    ptrdiff_t step = scores->config_stride;
    const char *data = scores->data + (ptrdiff_t)config * step;
    for (size_t i = 0; i < b->n; i++) {
        const char *from = data + (ptrdiff_t)row_of(b, i) * scores->row_stride;
        double *to = b->values + i;
        if (n == TOGETHER) /* a constant: the loop is unrolled */
            for (size_t c = 0; c < TOGETHER; c++)
                to[c * stride] = score_at(from + (ptrdiff_t)c * step, single);
        else if (n == 1)
            *to = score_at(from, single);
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
        ties |= b->tied_in_fold[i]
            = i && b->fold[here] == b->fold[before] && values[here] == values[before];
    }
    b->tied = b->tied_in_fold;
    return ties;
}

/* Ranks the rows of a configuration; 0 if one of its scores is NaN. */
static int rank(binary *b, const score_table *scores, size_t config)
{
    const double *values;
    if (b->values) {
        if (config - b->first >= b->n_fetched) {
            if (scores->single)
                fetch_as(b, scores, config, 1);
            else
                fetch_as(b, scores, config, 0);
        }
        values = b->values + (config - b->first) * b->stride;
    } else
        values = (const double *)(scores->data + (ptrdiff_t)config * scores->config_stride);
    uint64_t missing = 0;
    for (size_t i = 0; i < b->n; i++) missing += values[i] != values[i];
    if (missing) return 0;
    int ties = sort_values(b->sorter, values, b->order);
    b->tied = tied_values(b->sorter);
    if (b->n_folds > 1)
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
    memcpy(b->place, positive ? b->first_pos : b->first_neg, b->n_folds * sizeof *b->place);
    for (size_t i = 0; i < b->n; i++)
        if (is_positive(b->marked[i]) == positive)
            rows[b->place[b->fold ? b->fold[i] : 0]++] = offset_of(b->marked[i]);
    return rows;
}

EXPORT int program_list(program *p, const score_table *scores, const binary_target *target,
    size_t first, size_t stop)
{
    binary b;
    int result = binary_open(&b, scores, target, p->kernel->lanes);
    if (result != DONE) return result;
    for (size_t c = first; c < stop && result == DONE; c++) {
        p->undefined[c] = !rank(&b, scores, c);
        if (!p->undefined[c]) result = p->kernel->list(p, &b, c);
    }
    binary_close(&b);
    return result;
}

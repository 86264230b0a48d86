/* Preparing an AUC program: sorting, listing and cutting the rows of every configuration. */
#include "auc.h"
#include "binary.h"

#include <string.h>

static const unsigned class_largest[N_CLASSES] = {12, 31, 63, 127, 255};

/* ---- memory ---- */

/* Many small listings share large pieces of memory: with fifty rows, allocating for each took a
 * sixth of the time. The address sanitizer sees more when each has its own. */
struct piece {
    struct piece *next;
};

#ifdef __SANITIZE_ADDRESS__
enum { SHARED = 0 };
#else
enum { SHARED = 32 * 1024 };
#endif

/* Memory that lives as long as the program, aligned for 32-bit numbers; NULL if there is none. */
static void *take(auc_program *a, size_t size)
{
    size = (size + 3) / 4 * 4;
    int own = size > SHARED / 8;
    if (own || size > a->room) {
        piece *p = allocate(sizeof *p + (own ? size : SHARED));
        if (!p) return NULL;
        p->next = a->pieces;
        a->pieces = p;
        a->base.nbytes += own ? size : SHARED;
        if (own) return p + 1;
        a->next = (char *)(p + 1);
        a->room = SHARED;
    }
    void *taken = a->next;
    a->next += size;
    a->room -= size;
    return taken;
}

void auc_destroy(program *p)
{
    auc_program *a = (auc_program *)p;
    for (piece *next, *this = a->pieces; this; this = next) {
        next = this->next;
        release(this);
    }
    release(a->listings);
    release(a->pos_rows);
    release(a->neg_rows);
    release(a->order);
    release(a);
}

/* ---- chunks ---- */

/* Cuts a listing into chunks; `below` counts the listed negatives below each positive. */
static int make_chunks(auc_program *a, listing *l, int class, const uint32_t *below)
{
    uint32_t limit = 255 / class_largest[class];
    chunking *made = l->by_class + class;
    size_t most = l->n_neg / limit + a->n_pos / limit + 2;
    chunk *chunks = take(a, most * sizeof *chunks + a->n_pos);
    if (!chunks) return NO_MEMORY;
    uint8_t *cut = (uint8_t *)(chunks + most);
    size_t n_chunks = 0;
    uint32_t start = 0, n_pos = 0; /* first negative and number of positives of this chunk */
    for (size_t i = 0; i < a->n_pos; i++) {
        while (below[i] - start > limit) {
            chunks[n_chunks++] = (chunk){(uint8_t)limit, (uint8_t)n_pos};
            start += limit;
            n_pos = 0;
        }
        if (n_pos == limit) {
            chunks[n_chunks++] = (chunk){(uint8_t)(below[i] - start), (uint8_t)n_pos};
            start = below[i];
            n_pos = 0;
        }
        cut[i] = (uint8_t)(below[i] - start);
        n_pos++;
    }
    chunks[n_chunks++] = (chunk){(uint8_t)(l->n_neg - start), (uint8_t)n_pos};
    made->chunks = chunks;
    made->cut = cut;
    made->n_chunks = n_chunks;
    return DONE;
}

/* The inverse: where the positives of an existing chunking are among the negatives. */
static void recover_below(const chunking *made, uint32_t *below)
{
    uint32_t start = 0;
    const uint8_t *cut = made->cut;
    for (size_t q = 0; q < made->n_chunks; q++) {
        for (int k = 0; k < made->chunks[q].n_pos; k++) *below++ = start + *cut++;
        start += made->chunks[q].n_neg;
    }
}

int auc_class_for(unsigned largest)
{
    int class = 0;
    if (!HAVE_VECTORS || largest > UINT8_MAX) return 0; /* sums of 32 bits: all chunks suit */
    while (class_largest[class] < largest && class < N_CLASSES - 1) class++;
    return class;
}

int auc_prepare(program *p, unsigned largest)
{
    auc_program *a = (auc_program *)p;
    int class = auc_class_for(largest);
    if (class == 0 || p->n_configs == 0) return DONE;
    uint32_t *below = NULL;
    for (size_t c = 0; c < p->n_configs; c++) {
        listing *l = a->listings + c;
        if (l->undefined || l->by_class[class].chunks) continue;
        if (!below && !(below = allocate((a->n_pos + 1) * sizeof *below))) return NO_MEMORY;
        recover_below(l->by_class, below);
        if (make_chunks(a, l, class, below) != DONE) {
            release(below);
            return NO_MEMORY;
        }
    }
    release(below);
    return DONE;
}

/* ---- listings ---- */

/* Lists the rows of a configuration without a tie between the classes; returns its deficit. */
static uint64_t list_untied(const binary *b, listing *l)
{
    uint32_t n_neg = 0, n_pos = 0;
    uint64_t won = 0; /* pairs in which the positive is above */
    for (size_t i = 0; i < b->n; i++) {
        /* Written to both lists, kept in one: the class is random, a branch would be slow. */
        uint32_t row = b->ranked[i], positive = (uint32_t)is_positive(row);
        l->neg[n_neg] = l->pos[n_pos] = offset_of(row);
        b->below[n_pos] = n_neg;
        n_pos += positive;
        n_neg += 1 - positive;
    }
    for (uint32_t i = 0; i < n_pos; i++) won += b->below[i];
    return 2 * ((uint64_t)n_pos * n_neg - won);
}

/* The same with ties: negatives count half below and half above positives with their score. */
static uint64_t list_tied(const binary *b, listing *l)
{
    uint32_t n_neg = 0, n_pos = 0;
    uint64_t won = 0; /* in halves */
    for (size_t i = 0, stop; i < b->n; i = stop) {
        uint32_t first_neg = n_neg, first_pos = n_pos;
        stop = i;
        do {
            if (is_positive(b->ranked[stop]))
                l->pos[n_pos++] = offset_of(b->ranked[stop]);
            else
                l->neg[n_neg++] = offset_of(b->ranked[stop]);
            stop++;
        } while (stop < b->n && b->tied[stop]);
        for (uint32_t k = first_pos; k < n_pos; k++) b->below[k] = n_neg;
        won += (uint64_t)(n_pos - first_pos) * n_neg;
        uint32_t again = n_neg - first_neg;
        memcpy(l->neg + n_neg, l->neg + first_neg, again * sizeof *l->neg);
        n_neg += again;
    }
    return (uint64_t)n_pos * n_neg - won;
}

static int list_config(auc_program *a, const binary *b, listing *l, double *deficit)
{
    l->doubled = b->mixed;
    /* One more than needed, for list_untied; the rest is read ahead of use. */
    size_t n_neg = a->n_neg * (b->mixed ? 2 : 1) + PREFETCH + 1, n_pos = a->n_pos + PREFETCH + 1;
    l->neg = take(a, (n_neg + n_pos) * sizeof *l->neg);
    if (!l->neg) return NO_MEMORY;
    l->pos = l->neg + n_neg;
    memset(l->pos - PREFETCH, 0, PREFETCH * sizeof *l->neg);
    memset(l->pos + n_pos - PREFETCH, 0, PREFETCH * sizeof *l->pos);
    *deficit = (double)(b->mixed ? list_tied(b, l) : list_untied(b, l));
    l->n_neg = a->n_pos ? b->below[a->n_pos - 1] : 0;
    return make_chunks(a, l, 0, b->below);
}

static int list_all(auc_program *a, const score_table *scores, binary *b)
{
    double *deficits = allocate((scores->n_configs + 1) * sizeof *deficits);
    int result = deficits ? DONE : NO_MEMORY;
    for (size_t c = 0; c < scores->n_configs && result == DONE; c++) {
        listing *l = a->listings + c;
        l->undefined = !binary_rank(b, scores, c);
        if (l->undefined) continue;
        a->order[a->n_defined++] = (uint32_t)c;
        result = list_config(a, b, l, deficits + c);
    }
    if (result == DONE) result = best_first(deficits, a->order, a->n_defined);
    release(deficits);
    return result;
}

program *auc_new(const score_table *scores, const binary_target *target, int *error)
{
    size_t n_configs = scores->n_configs;
    const kernel *chosen = auc_kernel_for(target->lanes);
    binary b;
    *error = chosen ? NO_MEMORY : NO_SUCH_LANES;
    if (!chosen || binary_open(&b, target, chosen->lanes) != DONE) return NULL;
    auc_program *a = allocate(sizeof *a);
    if (a) {
        memset(a, 0, sizeof *a);
        a->base.kernel = chosen;
        a->base.n_configs = n_configs;
        a->base.n_rows = scores->n_rows;
        a->n_pos = b.n_pos;
        a->n_neg = b.n_neg;
        a->far_apart = scores->n_rows * (size_t)chosen->lanes > FAST_CACHE;
        a->listings = allocate((n_configs + 1) * sizeof *a->listings);
        a->order = allocate((n_configs + 1) * sizeof *a->order);
        a->pos_rows = binary_rows(&b, 1);
        a->neg_rows = binary_rows(&b, 0);
        if (a->listings) memset(a->listings, 0, n_configs * sizeof *a->listings);
        if (a->listings && a->order && a->pos_rows && a->neg_rows)
            *error = list_all(a, scores, &b);
        if (*error != DONE) {
            auc_destroy(&a->base);
            a = NULL;
        }
    }
    binary_close(&b);
    return a ? &a->base : NULL;
}

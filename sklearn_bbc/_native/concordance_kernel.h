/* One configuration in the lanes of a block. Included by concordance.c, once for each way of
 * keeping numbers:
 *   CELL            type of counts and their sums
 *   LOST            type of the pairs lost
 *   METHOD(name)    the name of a function for these */

/* Takes a row out of the risk set. */
static ALWAYS_INLINE void METHOD(remove)(CELL (*RESTRICT at_risk)[LANES],
    CELL (*RESTRICT tree)[LANES], size_t n_nodes, uint32_t slot)
{
    CELL gone[LANES];
    for (int c = 0; c < LANES; c++) {
        gone[c] = at_risk[slot][c];
        at_risk[slot][c] = 0;
    }
    for (size_t i = slot / LEAF + 1; i <= n_nodes; i += i & (0 - i))
        for (int c = 0; c < LANES; c++) tree[i][c] -= gone[c];
}

/* Weight of the risk set in the first n slots. */
static ALWAYS_INLINE void METHOD(sum_before)(CELL (*RESTRICT at_risk)[LANES],
    CELL (*RESTRICT tree)[LANES], uint32_t n, CELL *RESTRICT sum)
{
    for (int c = 0; c < LANES; c++) sum[c] = 0;
    for (size_t i = n / LEAF; i > 0; i &= i - 1)
        for (int c = 0; c < LANES; c++) sum[c] += tree[i][c];
    for (uint32_t s = n / LEAF * LEAF; s < n; s++)
        for (int c = 0; c < LANES; c++) sum[c] += at_risk[s][c];
}

/* Returns 0 as soon as the deficit exceeds `best` in every lane; else 1 and the deficits. */
static int METHOD(deficits)(const concordance_program *p, const ranking *r, workspace *w,
    const int64_t *best, int64_t *deficit)
{
    const CELL(*counts)[LANES] = w->counts;
    CELL(*at_risk)[LANES] = w->at_risk, (*tree)[LANES] = w->tree;
    LOST lost[LANES] = {0}, tied[LANES] = {0};
    CELL sum[LANES], with_ties[LANES];

    /* At the start everybody is at risk. */
    memset(tree, 0, (p->n_nodes + 1) * sizeof *tree);
    memset(at_risk + p->base.n_rows, 0, (p->n_nodes * LEAF - p->base.n_rows) * sizeof *at_risk);
    for (size_t k = 0; k < p->base.n_rows; k++)
        for (int c = 0; c < LANES; c++) at_risk[r->slot[k]][c] = counts[k][c];
    for (size_t i = 1; i <= p->n_nodes; i++) {
        for (size_t s = (i - 1) * LEAF; s < i * LEAF; s++)
            for (int c = 0; c < LANES; c++) tree[i][c] += at_risk[s][c];
        size_t parent = i + (i & (0 - i));
        if (parent <= p->n_nodes)
            for (int c = 0; c < LANES; c++) tree[parent][c] += tree[i][c];
    }

    size_t k = 0, checked = 0;
    for (const moment *m = p->moments; m < p->moments + p->n_moments; m++) {
        size_t last_event = k + m->n_events, last = last_event + m->n_censored;
        for (size_t i = k; i < last_event; i++)
            METHOD(remove)(at_risk, tree, p->n_nodes, r->slot[i]);
        for (size_t i = k; i < last_event; i++) {
            /* Equal risks before this slot left earlier or now, those after it are at risk. */
            METHOD(sum_before)(at_risk, tree, r->slot[i], sum);
            for (int c = 0; c < LANES; c++) lost[c] += (LOST)counts[i][c] * (LOST)sum[c];
            if (!r->stop || r->stop[i] == r->slot[i] + 1) continue;
            METHOD(sum_before)(at_risk, tree, r->stop[i], with_ties);
            for (int c = 0; c < LANES; c++)
                tied[c] += (LOST)counts[i][c] * ((LOST)with_ties[c] - (LOST)sum[c]);
        }
        for (size_t i = last_event; i < last; i++)
            METHOD(remove)(at_risk, tree, p->n_nodes, r->slot[i]);
        k = last;
        if (k - checked < CHECK_EVERY && m + 1 < p->moments + p->n_moments) continue;
        checked = k;
        int alive = 0;
        for (int l = 0; l < LANES; l++) {
            deficit[l] = 2 * (int64_t)lost[l] + (int64_t)tied[l];
            alive |= deficit[l] <= best[l];
        }
        if (!alive) return 0;
    }
    return 1;
}

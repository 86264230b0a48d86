/* The Python type of a prepared program: checks its arguments, then runs without the GIL. */
#include "object.h"

typedef struct {
    PyObject_HEAD
    program *program;
    PyThread_type_lock lock; /* held while the program changes: in `prepare` alone */
} ProgramObject;

static program *program_of(PyObject *self) { return ((ProgramObject *)self)->program; }

/* Without the GIL: who waits for the lock must not stop the thread that has it. */
static void lock_program(PyObject *self)
{
    PyThread_acquire_lock(((ProgramObject *)self)->lock, WAIT_LOCK);
}

static void unlock_program(PyObject *self) { PyThread_release_lock(((ProgramObject *)self)->lock); }

PyObject *none_or_error(int result)
{
    if (result == DONE) Py_RETURN_NONE;
    if (result == NO_MEMORY) return PyErr_NoMemory();
    if (result == NO_SUCH_LANES) {
        PyErr_SetString(PyExc_ValueError,
            "lanes is not one of the numbers that the kernel has on this processor");
        return NULL;
    }
    PyErr_Format(PyExc_ValueError,
        "counts must not add up to more than %llu in a draw", (unsigned long long)MAX_TOTAL);
    return NULL;
}

static int take_counts(PyObject *object, const program *p, Py_buffer *view, counts_table *counts)
{
    expected wanted = {.name = "counts", .kinds = KIND_BOOL | KIND_UINT8 | KIND_UINT16,
        .n_dims = 2, .shape = {-1, (Py_ssize_t)p->n_rows}};
    if (!take_array(object, &wanted, view)) return 0;
    counts->data = view->buf;
    counts->itemsize = (int)view->itemsize;
    counts->n_draws = (size_t)view->shape[0];
    counts->n_rows = p->n_rows;
    return 1;
}

/* Makes the program ready for the counts, without the GIL. Threads may share a program: those that
 * run it meanwhile read only what was made before they came through here. */
static int prepare(PyObject *self, counts_table *counts)
{
    program *p = program_of(self);
    counts->largest = largest_count(counts);
    lock_program(self);
    int result = p->kernel->prepare(p, counts->largest);
    unlock_program(self);
    return result;
}

PyDoc_STRVAR(winners_doc,
    "winners(counts, out, limit=None, /)\n--\n\n"
    "Write the best configuration of each draw to `out` (n_draws,), int64: the first on ties, -1\n"
    "where all are undefined. `counts` (n_draws, n_rows) is of bool, uint8 or uint16. With `limit`\n"
    "(n_draws,), int64, only those count that lose no more, and what the winner loses is written\n"
    "there; only for kernels whose losses are whole numbers and that can stop there: `auc`.");

static PyObject *program_winners(PyObject *self, PyObject *args)
{
    program *p = program_of(self);
    PyObject *counts_arg, *out_arg, *limit_arg = Py_None, *answer = NULL;
    Py_buffer counts_view, out, limit = {.buf = NULL};
    counts_table counts;
    if (!PyArg_ParseTuple(args, "OO|O:winners", &counts_arg, &out_arg, &limit_arg)) return NULL;
    int limited = limit_arg != Py_None;
    if (limited && !p->kernel->winners_within) {
        PyErr_Format(PyExc_ValueError, "the kernel %s takes no limit", p->kernel->name);
        return NULL;
    }
    if (!take_counts(counts_arg, p, &counts_view, &counts)) return NULL;
    expected wanted = {.name = "out", .kinds = KIND_INT64, .n_dims = 1,
        .shape = {(Py_ssize_t)counts.n_draws}, .writable = 1};
    if (!take_array(out_arg, &wanted, &out)) goto release_counts;
    wanted.name = "limit";
    if (limited && !take_array(limit_arg, &wanted, &limit)) goto release_out;
    int result;
    Py_BEGIN_ALLOW_THREADS
    result = prepare(self, &counts);
    if (result == DONE) result = run_winners(p, &counts, limit.buf, out.buf);
    Py_END_ALLOW_THREADS
    if (limited) PyBuffer_Release(&limit);
    answer = none_or_error(result);
release_out:
    PyBuffer_Release(&out);
release_counts:
    PyBuffer_Release(&counts_view);
    return answer;
}

/* Scores or losses, of the given configurations or of one configuration per draw. */
static PyObject *evaluate(PyObject *self, PyObject *args, quantity what, int one_per_draw)
{
    program *p = program_of(self);
    PyObject *counts_arg, *configs_arg, *out_arg;
    Py_buffer counts_view, out;
    counts_table counts;
    size_t n_chosen = 0;
    PyObject *answer = NULL;
    if (!PyArg_ParseTuple(args, "OOO", &counts_arg, &configs_arg, &out_arg)) return NULL;
    if (!take_counts(counts_arg, p, &counts_view, &counts)) return NULL;
    Py_ssize_t n_draws = (Py_ssize_t)counts.n_draws;
    int64_t *configs = copy_indices(configs_arg, "configs", one_per_draw ? n_draws : -1,
        one_per_draw ? INT64_MIN : 0, (int64_t)p->n_configs, &n_chosen);
    if (!configs) goto release_counts;
    expected wanted_out = {.name = "out", .kinds = KIND_FLOAT64, .n_dims = one_per_draw ? 1 : 2,
        .shape = {n_draws, (Py_ssize_t)n_chosen}, .writable = 1};
    if (!take_array(out_arg, &wanted_out, &out)) goto release_configs;
    int result;
    Py_BEGIN_ALLOW_THREADS
    result = prepare(self, &counts);
    if (result == DONE)
        result = one_per_draw ? run_pairs(p, &counts, configs, what, out.buf)
                              : run_configs(p, &counts, configs, n_chosen, what, out.buf);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&out);
    answer = none_or_error(result);
release_configs:
    release(configs);
release_counts:
    PyBuffer_Release(&counts_view);
    return answer;
}

PyDoc_STRVAR(scores_doc,
    "scores(counts, configs, out, /)\n--\n\n"
    "Write the scores of the configurations `configs` (n_chosen,), int64, to `out` (n_draws,\n"
    "n_chosen), float64; NaN where undefined.");

static PyObject *program_scores(PyObject *self, PyObject *args)
{
    return evaluate(self, args, SCORES, 0);
}

PyDoc_STRVAR(score_of_doc,
    "score_of(counts, configs, out, /)\n--\n\n"
    "Write the score of one configuration per draw, `configs` (n_draws,), int64, to `out`\n"
    "(n_draws,), float64; NaN where undefined or where the configuration is negative.");

static PyObject *program_score_of(PyObject *self, PyObject *args)
{
    return evaluate(self, args, SCORES, 1);
}

PyDoc_STRVAR(losses_doc,
    "losses(counts, configs, out, /)\n--\n\n"
    "Like `scores`, but what is lost: a score is (size - loss) / size, where the size depends on\n"
    "the draw only. Where the size is 0 the loss is 0.");

static PyObject *program_losses(PyObject *self, PyObject *args)
{
    return evaluate(self, args, LOSSES, 0);
}

PyDoc_STRVAR(loss_of_doc,
    "loss_of(counts, configs, out, /)\n--\n\n"
    "Like `score_of`, but what is lost.");

static PyObject *program_loss_of(PyObject *self, PyObject *args)
{
    return evaluate(self, args, LOSSES, 1);
}

static PyObject *get_name(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(program_of(self)->kernel->name);
}

static PyObject *get_n_configs(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(program_of(self)->n_configs);
}

static PyObject *get_n_rows(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(program_of(self)->n_rows);
}

static PyObject *get_nbytes(PyObject *self, void *unused)
{
    size_t nbytes;
    (void)unused;
    Py_BEGIN_ALLOW_THREADS
    lock_program(self);
    nbytes = program_of(self)->nbytes;
    unlock_program(self);
    Py_END_ALLOW_THREADS
    return PyLong_FromSize_t(nbytes);
}

static void program_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    program *p = program_of(self);
    if (p) p->kernel->destroy(p);
    if (((ProgramObject *)self)->lock) PyThread_free_lock(((ProgramObject *)self)->lock);
    freefunc free_object = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free_object(self);
    Py_DECREF(type); /* instances of heap types hold a reference to their type */
}

static PyMethodDef program_methods[] = {
    {"winners", program_winners, METH_VARARGS, winners_doc},
    {"scores", program_scores, METH_VARARGS, scores_doc},
    {"score_of", program_score_of, METH_VARARGS, score_of_doc},
    {"losses", program_losses, METH_VARARGS, losses_doc},
    {"loss_of", program_loss_of, METH_VARARGS, loss_of_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef program_getset[] = {
    {"name", get_name, NULL, "Name of the kernel.", NULL},
    {"n_configs", get_n_configs, NULL, "Number of configurations.", NULL},
    {"n_rows", get_n_rows, NULL, "Number of rows that counts must have.", NULL},
    {"nbytes", get_nbytes, NULL, "Memory held, in bytes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot program_slots[] = {
    {Py_tp_dealloc, program_dealloc},
    {Py_tp_methods, program_methods},
    {Py_tp_getset, program_getset},
    {Py_tp_doc, "Predictions prepared for scoring many draws; the module's functions make it."},
    {0, NULL},
};

PyType_Spec program_spec = {
    .name = "sklearn_bbc._native._kernels.Program",
    .basicsize = sizeof(ProgramObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = program_slots,
};

PyObject *new_program(PyObject *type, program *p, int error)
{
    if (!p) return none_or_error(error);
    ProgramObject *object = PyObject_New(ProgramObject, (PyTypeObject *)type);
    if (!object) {
        p->kernel->destroy(p);
        return NULL;
    }
    object->program = p;
    object->lock = PyThread_allocate_lock();
    if (!object->lock) {
        Py_DECREF(object); /* the program with it */
        return PyErr_NoMemory();
    }
    return (PyObject *)object;
}

/* The Python module: a type for prepared programs, and functions that make them.
 *
 * Limited API, so that one build serves every Python from 3.11 on; arrays come in through the
 * buffer protocol, results are written into arrays that the caller made, so that numpy is not
 * needed to build. Long work runs without the GIL. `__init__.py` is the convenient side.
 */
#include "buffers.h"

#include <string.h>

typedef struct {
    PyObject_HEAD
    program *program;
} ProgramObject;

typedef struct {
    PyObject *program_type;
} module_state;

static program *program_of(PyObject *self) { return ((ProgramObject *)self)->program; }

/* Sets the exception for a result of kernel.h; returns None for DONE. */
static PyObject *none_or_error(int result)
{
    if (result == DONE) Py_RETURN_NONE;
    if (result == NO_MEMORY) return PyErr_NoMemory();
    PyErr_Format(PyExc_ValueError,
        "counts must not add up to more than %llu in a draw", (unsigned long long)MAX_TOTAL);
    return NULL;
}

/* ---- running a program ---- */

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

/* Makes the program ready for the counts. Under the GIL, since threads may share a program. */
static int prepare(program *p, const counts_table *counts)
{
    unsigned largest;
    Py_BEGIN_ALLOW_THREADS
    largest = largest_count(counts);
    Py_END_ALLOW_THREADS
    return p->kernel->prepare(p, largest);
}

PyDoc_STRVAR(winners_doc,
    "winners(counts, out, /)\n--\n\n"
    "Write the best configuration of each draw to `out` (n_draws,), int64: the first on ties, -1\n"
    "where all are undefined. `counts` (n_draws, n_rows) is of bool, uint8 or uint16.");

static PyObject *program_winners(PyObject *self, PyObject *args)
{
    program *p = program_of(self);
    PyObject *counts_arg, *out_arg;
    Py_buffer counts_view, out;
    counts_table counts;
    if (!PyArg_ParseTuple(args, "OO:winners", &counts_arg, &out_arg)) return NULL;
    if (!take_counts(counts_arg, p, &counts_view, &counts)) return NULL;
    expected wanted = {.name = "out", .kinds = KIND_INT64, .n_dims = 1,
        .shape = {(Py_ssize_t)counts.n_draws}, .writable = 1};
    if (!take_array(out_arg, &wanted, &out)) {
        PyBuffer_Release(&counts_view);
        return NULL;
    }
    int result = prepare(p, &counts);
    if (result == DONE) {
        Py_BEGIN_ALLOW_THREADS
        result = run_winners(p, &counts, out.buf);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&out);
    PyBuffer_Release(&counts_view);
    return none_or_error(result);
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
    int result = prepare(p, &counts);
    if (result == DONE) {
        Py_BEGIN_ALLOW_THREADS
        result = one_per_draw ? run_pairs(p, &counts, configs, what, out.buf)
                              : run_configs(p, &counts, configs, n_chosen, what, out.buf);
        Py_END_ALLOW_THREADS
    }
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
    (void)unused;
    return PyLong_FromSize_t(program_of(self)->nbytes);
}

static void program_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    program *p = program_of(self);
    if (p) p->kernel->destroy(p);
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

static PyType_Spec program_spec = {
    .name = "sklearn_bbc._native._kernels.Program",
    .basicsize = sizeof(ProgramObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = program_slots,
};

/* ---- making programs ---- */

static PyObject *wrap(PyObject *module, program *p, int error)
{
    if (!p) return none_or_error(error);
    module_state *state = PyModule_GetState(module);
    ProgramObject *object = PyObject_New(ProgramObject, (PyTypeObject *)state->program_type);
    if (!object) {
        p->kernel->destroy(p);
        return NULL;
    }
    object->program = p;
    return (PyObject *)object;
}

static int take_scores(PyObject *object, const char *name, Py_buffer *view, score_table *scores)
{
    expected wanted = {
        .name = name, .kinds = KIND_FLOAT64, .n_dims = 2, .shape = {-1, -1}, .strided = 1};
    if (!take_array(object, &wanted, view)) return 0;
    scores->data = view->buf;
    scores->n_configs = (size_t)view->shape[0];
    scores->n_rows = (size_t)view->shape[1];
    scores->config_stride = view->strides[0];
    scores->row_stride = view->strides[1];
    /* Offsets into a block are 32 bits wide, indices of configurations are 31. */
    if (scores->n_rows < UINT32_MAX / MAX_LANES && scores->n_configs < INT32_MAX) return 1;
    PyErr_Format(PyExc_ValueError,
        "%s must have fewer than %lld rows and %lld configurations, got %zd and %zd", name,
        (long long)(UINT32_MAX / MAX_LANES), (long long)INT32_MAX, (Py_ssize_t)scores->n_rows,
        (Py_ssize_t)scores->n_configs);
    PyBuffer_Release(view);
    return 0;
}

typedef program *binary_constructor(const score_table *, const binary_target *, int *);

static PyObject *new_binary(PyObject *module, PyObject *args, binary_constructor *construct)
{
    PyObject *scores_arg, *positive_arg, *rows_arg = Py_None, *answer = NULL;
    Py_buffer view;
    score_table scores;
    if (!PyArg_ParseTuple(args, "OO|O", &scores_arg, &positive_arg, &rows_arg)) return NULL;
    if (!take_scores(scores_arg, "scores", &view, &scores)) return NULL;
    Py_ssize_t n_rows = (Py_ssize_t)scores.n_rows;
    binary_target target = {.n = scores.n_rows};
    int64_t *rows = NULL;
    uint8_t *positive = copy_flags(positive_arg, "positive", n_rows);
    if (!positive) goto finish;
    if (rows_arg != Py_None) {
        rows = copy_indices(rows_arg, "rows", -1, 0, n_rows, &target.n);
        if (!rows) goto finish;
        for (size_t i = 1; i < target.n; i++)
            if (rows[i] <= rows[i - 1]) {
                PyErr_Format(PyExc_ValueError,
                    "rows must be strictly increasing, they are not at index %zd", (Py_ssize_t)i);
                goto finish;
            }
    } else {
        rows = allocate((scores.n_rows + 1) * sizeof *rows);
        if (!rows) {
            PyErr_NoMemory();
            goto finish;
        }
        for (size_t i = 0; i < scores.n_rows; i++) rows[i] = (int64_t)i;
    }
    target.positive = positive;
    target.rows = rows;
    int error;
    program *p;
    Py_BEGIN_ALLOW_THREADS
    p = construct(&scores, &target, &error);
    Py_END_ALLOW_THREADS
    answer = wrap(module, p, error);
finish:
    release(rows);
    release(positive);
    PyBuffer_Release(&view);
    return answer;
}

PyDoc_STRVAR(auc_doc,
    "auc(scores, positive, rows=None, /)\n--\n\n"
    "Prepare the area under the ROC curve. `scores` (n_configs, n_rows) is of float64 with any\n"
    "strides, `positive` (n_rows,) of bool or uint8, `rows`, int64 and increasing, are the rows\n"
    "that take part (None: all). A configuration with NaN among them is undefined.");

static PyObject *auc(PyObject *module, PyObject *args)
{
    return new_binary(module, args, auc_new);
}

PyDoc_STRVAR(average_precision_doc,
    "average_precision(scores, positive, rows=None, /)\n--\n\n"
    "Prepare the average precision; the arguments are those of `auc`.");

static PyObject *average_precision(PyObject *module, PyObject *args)
{
    return new_binary(module, args, average_precision_new);
}

PyDoc_STRVAR(concordance_doc,
    "concordance(risk, time, event, /)\n--\n\n"
    "Prepare Harrell's concordance index. `risk` (n_configs, n_rows) is of float64 with any\n"
    "strides, greater means an earlier event; `time` (n_rows,) of float64, `event` (n_rows,) of\n"
    "bool or uint8: 1 where the event was seen, 0 where it was censored.");

static PyObject *concordance(PyObject *module, PyObject *args)
{
    PyObject *risk_arg, *time_arg, *event_arg, *answer = NULL;
    Py_buffer view;
    score_table risk;
    if (!PyArg_ParseTuple(args, "OOO:concordance", &risk_arg, &time_arg, &event_arg)) return NULL;
    if (!take_scores(risk_arg, "risk", &view, &risk)) return NULL;
    double *time = copy_numbers(time_arg, "time", (Py_ssize_t)risk.n_rows);
    uint8_t *event = time ? copy_flags(event_arg, "event", (Py_ssize_t)risk.n_rows) : NULL;
    if (event) {
        int error;
        program *p;
        Py_BEGIN_ALLOW_THREADS
        p = concordance_new(&risk, time, event, &error);
        Py_END_ALLOW_THREADS
        answer = wrap(module, p, error);
    }
    release(event);
    release(time);
    PyBuffer_Release(&view);
    return answer;
}

/* ---- drawing ---- */

PyDoc_STRVAR(draw_counts_doc,
    "draw_counts(capsule, n_picks, out, /)\n--\n\n"
    "Draw `n_picks` of n_units with replacement for each row of `out` (n_draws, n_units), of\n"
    "uint8, uint16 or uint32, from a bit generator's `capsule`, whose lock the caller holds.\n"
    "Returns the largest count; if it exceeds the dtype of `out`, its contents are not valid.");

static PyObject *draw(PyObject *module, PyObject *args)
{
    PyObject *capsule, *out_arg;
    Py_ssize_t n_picks;
    Py_buffer out;
    (void)module;
    if (!PyArg_ParseTuple(args, "OnO:draw_counts", &capsule, &n_picks, &out_arg)) return NULL;
    bit_generator *generator = PyCapsule_GetPointer(capsule, "BitGenerator");
    if (!generator) return NULL;
    if (n_picks < 0 || n_picks > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "n_picks must be from 0 to %lld, got %zd",
            (long long)INT32_MAX, n_picks);
        return NULL;
    }
    expected wanted = {.name = "out", .kinds = KIND_UINT8 | KIND_UINT16 | KIND_UINT32, .n_dims = 2,
        .shape = {-1, -1}, .writable = 1, .strided = 1};
    if (!take_array(out_arg, &wanted, &out)) return NULL;
    PyObject *answer = NULL;
    if (out.shape[1] > 1 && out.strides[1] != out.itemsize)
        PyErr_SetString(PyExc_ValueError, "out must be contiguous along axis 1");
    else if ((out.shape[1] == 0 && n_picks > 0) || out.shape[1] > INT32_MAX)
        PyErr_Format(PyExc_ValueError, "out must have from 1 to %lld units to pick, got %zd",
            (long long)INT32_MAX, out.shape[1]);
    else {
        uint64_t largest;
        Py_BEGIN_ALLOW_THREADS
        largest = draw_counts(generator, (size_t)n_picks, out.buf, (int)out.itemsize,
            (size_t)out.shape[0], (size_t)out.shape[1], out.strides[0]);
        Py_END_ALLOW_THREADS
        if (largest == BAD_GENERATOR)
            PyErr_SetString(PyExc_ValueError, "the bit generator gave a double outside [0, 1)");
        else
            answer = PyLong_FromUnsignedLongLong(largest);
    }
    PyBuffer_Release(&out);
    return answer;
}

/* ---- the module ---- */

static int module_exec(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    state->program_type = PyType_FromModuleAndSpec(module, &program_spec, NULL);
    if (!state->program_type) return -1;
    const char *vectors = HAVE_VECTORS ? "vector instructions" : "plain C";
    if (PyModule_AddStringConstant(module, "code", vectors) < 0) return -1;
    return PyModule_AddType(module, (PyTypeObject *)state->program_type);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = PyModule_GetState(module);
    if (state) Py_VISIT(state->program_type);
    return 0;
}

static int module_clear(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    if (state) Py_CLEAR(state->program_type);
    return 0;
}

static PyMethodDef module_methods[] = {
    {"auc", auc, METH_VARARGS, auc_doc},
    {"average_precision", average_precision, METH_VARARGS, average_precision_doc},
    {"concordance", concordance, METH_VARARGS, concordance_doc},
    {"draw_counts", draw, METH_VARARGS, draw_counts_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_kernels",
    .m_doc = "Compiled kernels of sklearn-bbc; see docs/design/native-kernel.md.",
    .m_size = sizeof(module_state),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModuleDef_Init(&module_def); }

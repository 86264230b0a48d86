/* The Python module: functions that prepare programs, and the drawing of counts.
 *
 * Limited API, so that one build serves every Python from 3.11 on; arrays come in through the
 * buffer protocol, results are written into arrays that the caller made, so that numpy is not
 * needed to build. Long work runs without the GIL. `__init__.py` is the convenient side.
 */
#include "object.h"

typedef struct {
    PyObject *program_type;
} module_state;

/* ---- making programs ---- */

static PyObject *wrap(PyObject *module, program *p, int error)
{
    module_state *state = PyModule_GetState(module);
    return new_program(state->program_type, p, error);
}

static int take_scores(PyObject *object, const char *name, Py_buffer *view, score_table *scores)
{
    expected wanted = {
        .name = name, .kinds = KIND_FLOAT64 | KIND_FLOAT32, .n_dims = 2, .shape = {-1, -1},
        .strided = 1};
    if (!take_array(object, &wanted, view)) return 0;
    scores->data = view->buf;
    scores->n_configs = (size_t)view->shape[0];
    scores->n_rows = (size_t)view->shape[1];
    scores->config_stride = view->strides[0];
    scores->row_stride = view->strides[1];
    scores->single = kind_of(view) == KIND_FLOAT32;
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
    PyObject *scores_arg, *positive_arg, *rows_arg = Py_None, *fold_arg = Py_None, *answer = NULL;
    Py_buffer view;
    score_table scores;
    binary_target target = {.lanes = 0};
    if (!PyArg_ParseTuple(
            args, "OO|OiO", &scores_arg, &positive_arg, &rows_arg, &target.lanes, &fold_arg))
        return NULL;
    if (!take_scores(scores_arg, "scores", &view, &scores)) return NULL;
    Py_ssize_t n_rows = (Py_ssize_t)scores.n_rows;
    target.n = scores.n_rows;
    int64_t *rows = NULL, *fold = NULL;
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
    if (fold_arg != Py_None) {
        size_t n;
        fold = copy_indices(fold_arg, "fold", n_rows, 0, n_rows, &n);
        if (!fold) goto finish;
        for (size_t i = 0; i < n; i++)
            if ((size_t)fold[i] >= target.n_folds) target.n_folds = (size_t)fold[i] + 1;
    }
    target.positive = positive;
    target.rows = rows;
    target.fold = fold;
    int error;
    program *p;
    Py_BEGIN_ALLOW_THREADS
    p = construct(&scores, &target, &error);
    Py_END_ALLOW_THREADS
    answer = wrap(module, p, error);
finish:
    release(fold);
    release(rows);
    release(positive);
    PyBuffer_Release(&view);
    return answer;
}

PyDoc_STRVAR(auc_doc,
    "auc(scores, positive, rows=None, lanes=0, fold=None, /)\n--\n\n"
    "Prepare the area under the ROC curve. `scores` (n_configs, n_rows) is of float64 or\n"
    "float32 with any strides, `positive` (n_rows,) of bool or uint8, `rows`, int64 and\n"
    "increasing, are the rows\n"
    "that take part (None: all). A configuration with NaN among them is undefined. `lanes` is one\n"
    "of `auc_lanes`, the draws that are scored at once (0: the largest); results do not depend on it.\n"
    "`fold`, int64, gives each row a fold: one below another if its number is lower, whatever the\n"
    "scores.");

static PyObject *auc(PyObject *module, PyObject *args)
{
    return new_binary(module, args, auc_new);
}

PyDoc_STRVAR(average_precision_doc,
    "average_precision(scores, positive, rows=None, lanes=0, fold=None, /)\n--\n\n"
    "Prepare the average precision; the arguments are those of `auc`. `lanes` can only be 8. With\n"
    "`fold` thresholds are compared within each fold only.");

static PyObject *average_precision(PyObject *module, PyObject *args)
{
    return new_binary(module, args, average_precision_new);
}

PyDoc_STRVAR(concordance_doc,
    "concordance(risk, time, event, /)\n--\n\n"
    "Prepare Harrell's concordance index. `risk` (n_configs, n_rows) is of float64 or\n"
    "float32 with any strides, greater means an earlier event; `time` (n_rows,) of float64, `event` (n_rows,) of\n"
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

/* Checks `n_picks` and takes the array for the counts; 0 with an exception set if they are no good. */
static int take_count_rows(
    PyObject *object, Py_ssize_t n_picks, Py_buffer *view, count_rows *out)
{
    if (n_picks < 0 || n_picks > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "n_picks must be from 0 to %lld, got %zd",
            (long long)INT32_MAX, n_picks);
        return 0;
    }
    expected wanted = {.name = "out", .kinds = KIND_UINT8 | KIND_UINT16 | KIND_UINT32, .n_dims = 2,
        .shape = {-1, -1}, .writable = 1, .strided = 1};
    if (!take_array(object, &wanted, view)) return 0;
    if (view->shape[1] > 1 && view->strides[1] != view->itemsize)
        PyErr_SetString(PyExc_ValueError, "out must be contiguous along axis 1");
    else if ((view->shape[1] == 0 && n_picks > 0) || view->shape[1] > INT32_MAX)
        PyErr_Format(PyExc_ValueError, "out must have from 1 to %lld units to pick, got %zd",
            (long long)INT32_MAX, view->shape[1]);
    else {
        *out = (count_rows){.data = view->buf, .itemsize = (int)view->itemsize,
            .n_draws = (size_t)view->shape[0], .n_units = (size_t)view->shape[1],
            .row_stride = view->strides[0]};
        return 1;
    }
    PyBuffer_Release(view);
    return 0;
}

PyDoc_STRVAR(draw_counts_doc,
    "draw_counts(bit_generator, n_picks, out, /)\n--\n\n"
    "Draw `n_picks` of n_units with replacement for each row of `out` (n_draws, n_units), of\n"
    "uint8, uint16 or uint32, from numpy's `bit_generator`, whose lock the caller holds.\n"
    "Returns the largest count; if it exceeds the dtype of `out`, its contents are not valid.");

static PyObject *draw(PyObject *module, PyObject *args)
{
    PyObject *source, *out_arg;
    Py_ssize_t n_picks;
    Py_buffer view;
    count_rows out;
    (void)module;
    if (!PyArg_ParseTuple(args, "OnO:draw_counts", &source, &n_picks, &out_arg)) return NULL;
    /* The capsule points into the bit generator, which `args` keeps alive. */
    PyObject *capsule = PyObject_GetAttrString(source, "capsule");
    if (!capsule) return NULL;
    bit_generator *generator = PyCapsule_GetPointer(capsule, "BitGenerator");
    Py_DECREF(capsule);
    if (!generator || !take_count_rows(out_arg, n_picks, &view, &out)) return NULL;
    uint64_t largest;
    Py_BEGIN_ALLOW_THREADS
    largest = draw_counts(generator, (size_t)n_picks, &out);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    if (largest != BAD_GENERATOR) return PyLong_FromUnsignedLongLong(largest);
    PyErr_SetString(PyExc_ValueError, "the bit generator gave a double outside [0, 1)");
    return NULL;
}

PyDoc_STRVAR(draw_blocks_doc,
    "draw_blocks(words, first_block, block_size, n_picks, out, /)\n--\n\n"
    "Draw like `draw_counts`, each `block_size` rows from a PCG64 of their own, whose\n"
    "SeedSequence assembles the 32-bit numbers `words` (n_words,), int64, three at least, and\n"
    "the number of the block.");

static PyObject *draw_in_blocks(PyObject *module, PyObject *args)
{
    PyObject *words_arg, *out_arg, *answer = NULL;
    Py_ssize_t first_block, block_size, n_picks;
    size_t n_words;
    Py_buffer view;
    count_rows out;
    (void)module;
    if (!PyArg_ParseTuple(args, "OnnnO:draw_blocks", &words_arg, &first_block, &block_size,
            &n_picks, &out_arg))
        return NULL;
    int64_t *words = copy_indices(words_arg, "words", -1, 0, (int64_t)UINT32_MAX + 1, &n_words);
    if (!words) return NULL;
    if (n_words < 3)
        PyErr_Format(PyExc_ValueError, "words must be 3 at least, got %zd", (Py_ssize_t)n_words);
    else if (block_size < 1)
        PyErr_Format(PyExc_ValueError, "block_size must be positive, got %zd", block_size);
    else if (take_count_rows(out_arg, n_picks, &view, &out)) {
        Py_ssize_t n_blocks = view.shape[0] / block_size + (view.shape[0] % block_size != 0);
        if (first_block < 0 || first_block > (Py_ssize_t)INT32_MAX - n_blocks)
            PyErr_Format(PyExc_ValueError, "blocks must be from 0 to %lld, got %zd",
                (long long)INT32_MAX, first_block);
        else {
            seed_words seed = {words, n_words, (uint32_t)first_block, (size_t)block_size};
            uint64_t largest;
            Py_BEGIN_ALLOW_THREADS
            largest = draw_blocks(&seed, (size_t)n_picks, &out);
            Py_END_ALLOW_THREADS
            answer = PyLong_FromUnsignedLongLong(largest);
        }
        PyBuffer_Release(&view);
    }
    release(words);
    return answer;
}

/* ---- the module ---- */

/* The tuple `auc_lanes`, ascending. */
static int add_auc_lanes(PyObject *module)
{
    static const int known[] = {16, 32, 64};
    Py_ssize_t n = 0;
    for (int i = 0; i < 3; i++) n += auc_has_lanes(known[i]);
    PyObject *lanes = PyTuple_New(n);
    for (int i = 0, k = 0; lanes && i < 3; i++) {
        if (!auc_has_lanes(known[i])) continue;
        PyObject *number = PyLong_FromLong(known[i]);
        if (!number || PyTuple_SetItem(lanes, k++, number) < 0) Py_CLEAR(lanes);
    }
    int result = lanes ? PyModule_AddObjectRef(module, "auc_lanes", lanes) : -1;
    Py_XDECREF(lanes);
    return result;
}

static int module_exec(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    state->program_type = PyType_FromModuleAndSpec(module, &program_spec, NULL);
    if (!state->program_type) return -1;
    if (add_auc_lanes(module) < 0) return -1;
    const char *code = auc_has_lanes(64) ? "vectors of 64 bytes"
        : auc_has_lanes(32)              ? "vectors of 32 bytes"
        : HAVE_VECTORS                   ? "vectors of 16 bytes"
                                         : "plain C";
    if (PyModule_AddStringConstant(module, "code", code) < 0) return -1;
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
    {"draw_blocks", draw_in_blocks, METH_VARARGS, draw_blocks_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
#ifdef Py_GIL_DISABLED
    /* Programs lock themselves (object.c), the rest works on its arguments. Without this a
     * free-threaded interpreter would switch the GIL on for everything in the process. */
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
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

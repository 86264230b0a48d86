/* Taking arrays from Python through the buffer protocol. */
#include "buffers.h"

#include <math.h>
#include <string.h>

/* One character of the struct module's alphabet, native order and size. */
static int kind_of_format(const char *format, Py_ssize_t itemsize)
{
    if (!format) return itemsize == 1 ? KIND_UINT8 : 0;
    if (*format == '@' || *format == '=') format++;
    if (!*format || format[1]) return 0;
    switch (*format) {
    case '?': return itemsize == 1 ? KIND_BOOL : 0;
    case 'B': return itemsize == 1 ? KIND_UINT8 : 0;
    case 'H': return itemsize == 2 ? KIND_UINT16 : 0;
    case 'I':
    case 'L': return itemsize == 4 ? KIND_UINT32 : 0;
    case 'l':
    case 'q': return itemsize == 8 ? KIND_INT64 : 0;
    case 'd': return itemsize == 8 ? KIND_FLOAT64 : 0;
    case 'f': return itemsize == 4 ? KIND_FLOAT32 : 0;
    default: return 0;
    }
}

int kind_of(const Py_buffer *view) { return kind_of_format(view->format, view->itemsize); }

static const char *names_of(int kinds)
{
    if (kinds & KIND_FLOAT32) return "float64 or float32";
    if (kinds & KIND_FLOAT64) return "float64";
    if (kinds & KIND_INT64) return "int64";
    if (kinds & KIND_UINT32) return "uint8, uint16 or uint32";
    if (kinds & KIND_UINT16) return "bool, uint8 or uint16";
    return "bool or uint8";
}

static int is_aligned(const Py_buffer *view)
{
    size_t bad = (size_t)view->buf % (size_t)view->itemsize;
    for (int d = 0; d < view->ndim; d++)
        if (view->shape[d] > 1) bad |= (size_t)view->strides[d] % (size_t)view->itemsize;
    return bad == 0;
}

int take_array(PyObject *object, const expected *wanted, Py_buffer *view)
{
    int flags = PyBUF_FORMAT | PyBUF_STRIDES | (wanted->writable ? PyBUF_WRITABLE : 0);
    if (!PyObject_CheckBuffer(object)) {
        PyObject *type = (PyObject *)Py_TYPE(object);
        PyErr_Format(PyExc_TypeError, "%s must be an array of %s, got an object of %R",
            wanted->name, names_of(wanted->kinds), type);
        return 0;
    }
    if (PyObject_GetBuffer(object, view, flags) < 0) {
        PyErr_Clear(); /* what numpy says names no argument */
        PyErr_Format(PyExc_TypeError, "%s must be a %sarray of %s", wanted->name,
            wanted->writable ? "writable " : "", names_of(wanted->kinds));
        return 0;
    }
    if (!(kind_of(view) & wanted->kinds)) {
        PyErr_Format(PyExc_TypeError, "%s must be of %s in native byte order, got format '%s'",
            wanted->name, names_of(wanted->kinds), view->format ? view->format : "B");
        goto refused;
    }
    if (view->ndim != wanted->n_dims) {
        PyErr_Format(PyExc_ValueError, "%s must have %d dimension%s, got %d", wanted->name,
            wanted->n_dims, wanted->n_dims == 1 ? "" : "s", view->ndim);
        goto refused;
    }
    for (int d = 0; d < view->ndim; d++)
        if (wanted->shape[d] >= 0 && view->shape[d] != wanted->shape[d]) {
            PyErr_Format(PyExc_ValueError, "%s must have length %zd along axis %d, got %zd",
                wanted->name, wanted->shape[d], d, view->shape[d]);
            goto refused;
        }
    if (!wanted->strided && !PyBuffer_IsContiguous(view, 'C')) {
        PyErr_Format(PyExc_ValueError,
            "%s must be C-contiguous; numpy.ascontiguousarray makes it so", wanted->name);
        goto refused;
    }
    if (!is_aligned(view)) {
        PyErr_Format(PyExc_ValueError, "%s must be aligned to its item size", wanted->name);
        goto refused;
    }
    return 1;
refused:
    PyBuffer_Release(view);
    return 0;
}

static void *copy_of(const Py_buffer *view)
{
    void *copy = allocate((size_t)view->len + 1);
    if (!copy)
        PyErr_NoMemory();
    else if (view->len)
        memcpy(copy, view->buf, (size_t)view->len);
    return copy;
}

uint8_t *copy_flags(PyObject *object, const char *name, Py_ssize_t n)
{
    expected wanted = {.name = name, .kinds = KIND_BOOL | KIND_UINT8, .n_dims = 1, .shape = {n}};
    Py_buffer view;
    if (!take_array(object, &wanted, &view)) return NULL;
    uint8_t *copy = copy_of(&view);
    PyBuffer_Release(&view);
    for (Py_ssize_t i = 0; copy && i < n; i++)
        if (copy[i] > 1) {
            PyErr_Format(PyExc_ValueError, "%s must be 0 or 1, got %d at index %zd", name,
                (int)copy[i], i);
            release(copy);
            return NULL;
        }
    return copy;
}

int64_t *copy_indices(
    PyObject *object, const char *name, Py_ssize_t n, int64_t lowest, int64_t stop, size_t *found)
{
    expected wanted = {.name = name, .kinds = KIND_INT64, .n_dims = 1, .shape = {n}};
    Py_buffer view;
    if (!take_array(object, &wanted, &view)) return NULL;
    int64_t *copy = copy_of(&view);
    *found = (size_t)view.shape[0];
    PyBuffer_Release(&view);
    for (size_t i = 0; copy && i < *found; i++)
        if (copy[i] < lowest || copy[i] >= stop) {
            PyErr_Format(PyExc_ValueError, "%s must be from %lld to %lld, got %lld at index %zd",
                name, (long long)lowest, (long long)stop - 1, (long long)copy[i], (Py_ssize_t)i);
            release(copy);
            return NULL;
        }
    return copy;
}

double *copy_numbers(PyObject *object, const char *name, Py_ssize_t n)
{
    expected wanted = {.name = name, .kinds = KIND_FLOAT64, .n_dims = 1, .shape = {n}};
    Py_buffer view;
    if (!take_array(object, &wanted, &view)) return NULL;
    double *copy = copy_of(&view);
    PyBuffer_Release(&view);
    for (Py_ssize_t i = 0; copy && i < n; i++)
        if (isnan(copy[i])) {
            PyErr_Format(PyExc_ValueError, "%s must not be NaN, got one at index %zd", name, i);
            release(copy);
            return NULL;
        }
    return copy;
}

/* Taking arrays from Python: everything that a caller could get wrong is found here. */
#ifndef SKLEARN_BBC_BUFFERS_H
#define SKLEARN_BBC_BUFFERS_H

/* Py_LIMITED_API comes from the build (setup.py), for Pythons that have a limited API. It cannot be
 * decided here: that a Python is free-threaded is known only after Python.h. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernel.h"

/* Kinds of numbers, as a set. */
enum {
    KIND_BOOL = 1,
    KIND_UINT8 = 2,
    KIND_UINT16 = 4,
    KIND_UINT32 = 8,
    KIND_INT64 = 16,
    KIND_FLOAT64 = 32,
    KIND_FLOAT32 = 64,
};

/* What an argument must be. A length of -1 accepts any. */
typedef struct {
    const char *name;
    int kinds;
    int n_dims;
    Py_ssize_t shape[2];
    int writable;
    int strided; /* any strides are fine; otherwise C-contiguous */
} expected;

/* Fills `view` (to be released by the caller), or sets TypeError or ValueError: returns 0. */
int take_array(PyObject *object, const expected *wanted, Py_buffer *view);
/* Kind of the numbers of a view that take_array filled. */
int kind_of(const Py_buffer *view);

/* Private copies, which no other thread can change while they are in use. NULL: error set. */
uint8_t *copy_flags(PyObject *object, const char *name, Py_ssize_t n);
int64_t *copy_indices(
    PyObject *object, const char *name, Py_ssize_t n, int64_t lowest, int64_t stop, size_t *found);
double *copy_numbers(PyObject *object, const char *name, Py_ssize_t n);

#endif

/* The Python type of a prepared program. */
#ifndef SKLEARN_BBC_OBJECT_H
#define SKLEARN_BBC_OBJECT_H

#include "buffers.h"

extern PyType_Spec program_spec;

/* An instance of `type`, made from program_spec, that owns the program; if there is none, sets
 * the exception for the error. */
PyObject *new_program(PyObject *type, program *p, int error);
/* Sets the exception for a result of kernel.h; returns None for DONE. */
PyObject *none_or_error(int result);

#endif

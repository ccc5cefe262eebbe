/* SPDX-License-Identifier: BSD-2-Clause
   Part of callgrind-requests; see the file LICENSE that comes with it. */

/* The requests as functions of Python, and a call that is measured.

   Owns: measured_call(), which is the root of what a benchmark spends: START is in it,
   directly above the function that is called, so nothing of the harness is counted.
   Relies on the limited API of Python 3.9 only; what names Python's functions is asked
   for when the module is loaded, and done without where a Python has it not. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include <dlfcn.h>
#include <string.h>

#include "client_request.h"

/* PEP 523: who evaluates frames.  The types of Python's own headers are not in the
   limited API; a function of no known type may be kept and set again. */
typedef void (*Evaluator)(void);
static Evaluator (*get_evaluator)(PyInterpreterState*);
static void (*set_evaluator)(PyInterpreterState*, Evaluator);

/* The bytes of a text or path, as a new object; NULL with an exception where it is none,
   or holds a NUL.  What UTF-8 cannot say of a text is escaped; of a path it is the byte
   that the system knows. */
static PyObject* bytes_of(PyObject* given, int is_path)
{
   PyObject* bytes = NULL;
   char* characters;

   if (is_path) {
      if (!PyUnicode_FSConverter(given, &bytes))
         return NULL;
   } else {
      bytes = PyUnicode_AsEncodedString(given, "utf-8", "backslashreplace");
   }
   /* Without a place for the length it is an error if there is a NUL. */
   if (bytes != NULL && PyBytes_AsStringAndSize(bytes, &characters, NULL) != 0)
      Py_CLEAR(bytes);
   return bytes;
}

static PyObject* request_with(uintptr_t code, PyObject* given, int is_path)
{
   PyObject* bytes = bytes_of(given, is_path);

   if (bytes == NULL)
      return NULL;
   client_request(code, PyBytes_AsString(bytes));
   Py_DECREF(bytes);
   Py_RETURN_NONE;
}

static PyObject* running_on_valgrind(PyObject* module, PyObject* none)
{
   (void)module, (void)none;
   return PyBool_FromLong(client_request(REQUEST_RUNNING_ON_VALGRIND, NULL) != 0);
}

static PyObject* dump(PyObject* module, PyObject* none)
{
   (void)module, (void)none;
   client_request(REQUEST_DUMP_STATS, NULL);
   Py_RETURN_NONE;
}

static PyObject* zero(PyObject* module, PyObject* none)
{
   (void)module, (void)none;
   client_request(REQUEST_ZERO_STATS, NULL);
   Py_RETURN_NONE;
}

static PyObject* toggle_collect(PyObject* module, PyObject* none)
{
   (void)module, (void)none;
   client_request(REQUEST_TOGGLE_COLLECT, NULL);
   Py_RETURN_NONE;
}

static PyObject* start(PyObject* module, PyObject* none)
{
   (void)module, (void)none;
   client_request(REQUEST_START_INSTRUMENTATION, NULL);
   Py_RETURN_NONE;
}

static PyObject* stop(PyObject* module, PyObject* none)
{
   (void)module, (void)none;
   client_request(REQUEST_STOP_INSTRUMENTATION, NULL);
   Py_RETURN_NONE;
}

static PyObject* dump_at(PyObject* module, PyObject* name)
{
   (void)module;
   return request_with(REQUEST_DUMP_STATS_AT, name, 0);
}

static PyObject* add_obj_skip(PyObject* module, PyObject* path)
{
   (void)module;
   return request_with(REQUEST_ADD_OBJ_SKIP, path, 1);
}

static PyObject* add_desc(PyObject* module, PyObject* text)
{
   (void)module;
   return request_with(REQUEST_ADD_DESC, text, 0);
}

static PyObject* mark(PyObject* module, PyObject* text)
{
   (void)module;
   return request_with(REQUEST_TIMELINE_MARK, text, 0);
}

/* evaluator() -> a capsule with what evaluates frames at present, or None where this
   Python does not tell.  A null pointer in it means the interpreter itself. */
static PyObject* evaluator(PyObject* module, PyObject* none)
{
   Evaluator now;
   void* kept;

   (void)module, (void)none;
   if (get_evaluator == NULL || set_evaluator == NULL)
      Py_RETURN_NONE;
   now = get_evaluator(PyInterpreterState_Get());
   if (now == NULL)
      Py_RETURN_NONE;
   memcpy(&kept, &now, sizeof kept);
   return PyCapsule_New(kept, "callgrind_requests.evaluator", NULL);
}

/* evaluate_by(capsule): from now on frames are evaluated by what evaluator() returned. */
static PyObject* evaluate_by(PyObject* module, PyObject* capsule)
{
   void* kept = PyCapsule_GetPointer(capsule, "callgrind_requests.evaluator");
   Evaluator wanted;

   (void)module;
   if (kept == NULL)
      return NULL;
   memcpy(&wanted, &kept, sizeof wanted);
   set_evaluator(PyInterpreterState_Get(), wanted);
   Py_RETURN_NONE;
}

/* measured_call(name, function, args, kwargs): what the function returns.  What it spends
   is a part called `name`.  Where it raises there is no part. */
static PyObject* measured_call(PyObject* module, PyObject* given)
{
   PyObject *name, *function, *args, *kwargs, *bytes, *result;

   (void)module;
   if (!PyArg_ParseTuple(given, "UOO!O!:measured_call", &name, &function, &PyTuple_Type,
                         &args, &PyDict_Type, &kwargs))
      return NULL;
   bytes = bytes_of(name, 0);
   if (bytes == NULL)
      return NULL;
   client_request(REQUEST_ZERO_STATS, NULL);
   client_request(REQUEST_START_INSTRUMENTATION, NULL);
   result = PyObject_Call(function, args, kwargs);
   client_request(REQUEST_STOP_INSTRUMENTATION, NULL);
   if (result != NULL)
      client_request(REQUEST_DUMP_STATS_AT, PyBytes_AsString(bytes));
   else
      client_request(REQUEST_ZERO_STATS, NULL);
   Py_DECREF(bytes);
   return result;
}

static PyMethodDef methods[] = {
   {"running_on_valgrind", running_on_valgrind, METH_NOARGS, NULL},
   {"dump", dump, METH_NOARGS, NULL},
   {"zero", zero, METH_NOARGS, NULL},
   {"toggle_collect", toggle_collect, METH_NOARGS, NULL},
   {"start", start, METH_NOARGS, NULL},
   {"stop", stop, METH_NOARGS, NULL},
   {"dump_at", dump_at, METH_O, NULL},
   {"add_obj_skip", add_obj_skip, METH_O, NULL},
   {"add_desc", add_desc, METH_O, NULL},
   {"mark", mark, METH_O, NULL},
   {"evaluator", evaluator, METH_NOARGS, NULL},
   {"evaluate_by", evaluate_by, METH_O, NULL},
   {"measured_call", measured_call, METH_VARARGS, NULL},
   {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
   .m_base = PyModuleDef_HEAD_INIT,
   .m_name = "callgrind_requests._requests",
   .m_doc = "Client requests of callgrind.",
   .m_size = 0,
   .m_methods = methods,
};

PyMODINIT_FUNC PyInit__requests(void)
{
   void* get = dlsym(RTLD_DEFAULT, "_PyInterpreterState_GetEvalFrameFunc");
   void* set = dlsym(RTLD_DEFAULT, "_PyInterpreterState_SetEvalFrameFunc");

   memcpy(&get_evaluator, &get, sizeof get);
   memcpy(&set_evaluator, &set, sizeof set);
   return PyModuleDef_Init(&definition);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -shared -fPIC -Wl,-z,now
   The client requests as functions, for programs of an interpreter: Python's ctypes loads
   this library, and node does as an addon.  Its parts that node calls are declared here,
   as no header of node need be installed; node itself has them.
*/

#include <stddef.h>

#include "callgrind.h"

#include "known_cost.h"

OPAQUE void requests_start(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   NO_TAIL_CALL;
}

OPAQUE void requests_stop(void)
{
   CALLGRIND_STOP_INSTRUMENTATION;
   NO_TAIL_CALL;
}

/* With `is_real` 0 the program does the same, but nothing is skipped.  */
OPAQUE void requests_add_obj_skip(const char* path, int is_real)
{
   CALLGRIND_ADD_OBJ_SKIP(is_real ? path : "");
   NO_TAIL_CALL;
}

/* What users measure.  */
KNOWN_COST(user_leaf, 10)

OPAQUE void user_function(void)
{
   user_leaf();
   NO_TAIL_CALL;
}

OPAQUE void other_function(void)
{
   user_leaf();
   NO_TAIL_CALL;
}

/*--------------------------------------------------------------------*/
/* Node's interface for addons, a stable ABI                           */

typedef void* Env;
typedef void* Value;
typedef void* CallInfo;
typedef Value (*NodeFunction)(Env env, CallInfo info);

extern int napi_create_function(Env env, const char* name, size_t length,
                                NodeFunction function, void* data, Value* result)
   __attribute__((weak));
extern int napi_set_named_property(Env env, Value object, const char* name, Value value)
   __attribute__((weak));
extern int napi_get_cb_info(Env env, CallInfo info, size_t* n_arguments, Value* arguments,
                            Value* self, void** data) __attribute__((weak));
extern int napi_get_value_string_utf8(Env env, Value value, char* text, size_t size,
                                      size_t* length) __attribute__((weak));
extern int napi_get_value_int32(Env env, Value value, int* result) __attribute__((weak));

OPAQUE static Value node_start(Env env, CallInfo info)
{
   (void)env;
   (void)info;
   requests_start();
   return NULL;
}

OPAQUE static Value node_stop(Env env, CallInfo info)
{
   (void)env;
   (void)info;
   requests_stop();
   return NULL;
}

OPAQUE static Value node_add_obj_skip(Env env, CallInfo info)
{
   Value arguments[2];
   size_t n = 2;
   char path[4096];
   int is_real = 0;
   if (napi_get_cb_info(env, info, &n, arguments, NULL, NULL) == 0 && n == 2 &&
       napi_get_value_string_utf8(env, arguments[0], path, sizeof path, NULL) == 0 &&
       napi_get_value_int32(env, arguments[1], &is_real) == 0)
      requests_add_obj_skip(path, is_real);
   return NULL;
}

OPAQUE static Value node_user_function(Env env, CallInfo info)
{
   (void)env;
   (void)info;
   user_function();
   return NULL;
}

OPAQUE static Value node_other_function(Env env, CallInfo info)
{
   (void)env;
   (void)info;
   other_function();
   return NULL;
}

Value napi_register_module_v1(Env env, Value exports)
{
   static const struct {
      const char* name;
      NodeFunction function;
   } functions[] = {
      {"start", node_start},
      {"stop", node_stop},
      {"addObjSkip", node_add_obj_skip},
      {"userFunction", node_user_function},
      {"otherFunction", node_other_function},
   };
   for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
      Value function;
      if (napi_create_function(env, functions[i].name, (size_t)-1, functions[i].function,
                               NULL, &function) == 0)
         napi_set_named_property(env, exports, functions[i].name, function);
   }
   return exports;
}

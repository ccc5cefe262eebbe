/* SPDX-License-Identifier: BSD-2-Clause
   Part of callgrind-requests; see the file LICENSE that comes with it. */

/* The requests as functions of JavaScript.  Owns: how a text of JavaScript becomes one of
   the tool.  Relies on Node-API 8, which is the same in all later versions of node. */

#include <node_api.h>
#include <stdlib.h>
#include <string.h>

#include "client_request.h"

/* What a function is made with: the request that it makes. */
typedef struct {
   const char* name;
   uintptr_t code;
   int has_text;
} Request;

static const Request requests[] = {
   {"runningOnValgrind", REQUEST_RUNNING_ON_VALGRIND, 0},
   {"dump", REQUEST_DUMP_STATS, 0},
   {"zero", REQUEST_ZERO_STATS, 0},
   {"toggleCollect", REQUEST_TOGGLE_COLLECT, 0},
   {"dumpAt", REQUEST_DUMP_STATS_AT, 1},
   {"start", REQUEST_START_INSTRUMENTATION, 0},
   {"stop", REQUEST_STOP_INSTRUMENTATION, 0},
   {"addObjSkip", REQUEST_ADD_OBJ_SKIP, 1},
   {"addDesc", REQUEST_ADD_DESC, 1},
   {"mark", REQUEST_TIMELINE_MARK, 1},
};

/* Makes a request with the text of a JavaScript string, up to its first NUL.  Throws
   where it is no string. */
static void request_with(napi_env env, uintptr_t code, napi_value given)
{
   size_t length;
   char* text;

   if (napi_get_value_string_utf8(env, given, NULL, 0, &length) != napi_ok) {
      napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", "the text must be a string");
      return;
   }
   text = malloc(length + 1);
   if (text == NULL) {
      napi_throw_error(env, NULL, "no memory for the text of a request");
      return;
   }
   napi_get_value_string_utf8(env, given, text, length + 1, &length);
   client_request(code, text);
   free(text);
}

static napi_value call(napi_env env, napi_callback_info info)
{
   napi_value given[1], answer = NULL;
   size_t count = 1;
   void* data;

   if (napi_get_cb_info(env, info, &count, given, NULL, &data) != napi_ok)
      return NULL;
   const Request* request = data;
   if (request->has_text)
      request_with(env, request->code, given[0]);
   else if (request->code == REQUEST_RUNNING_ON_VALGRIND)
      napi_get_boolean(env, client_request(request->code, NULL) != 0, &answer);
   else
      client_request(request->code, NULL);
   return answer;
}

NAPI_MODULE_INIT()
{
   for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
      napi_value function;
      const Request* request = &requests[i];

      if (napi_create_function(env, request->name, NAPI_AUTO_LENGTH, call, (void*)request,
                               &function) != napi_ok ||
          napi_set_named_property(env, exports, request->name, function) != napi_ok)
         return NULL;
   }
   return exports;
}

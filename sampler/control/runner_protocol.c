/* SPDX-License-Identifier: GPL-2.0-or-later

   The requests; see runner_protocol.h.  Each gets one answer, in order: its sender
   waits for it.  A request that is not understood is answered by Err.  */

#include "control/runner_protocol.h"

#include "base/memory.h"
#include "base/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
   TagCurrentBenchmark = 0,
   TagStartProfiler = 1,
   TagStopProfiler = 2,
   TagAck = 3,
   TagPingProfiler = 4,
   TagSetIntegration = 5,
   TagErr = 6,
   TagAddMarker = 7,
   TagSetVersion = 8,
   TagGetIntegrationMode = 9,
   TagIntegrationModeResponse = 10
};

#define MODE_WALLTIME 0

static const char* const marker_kinds[] = {"SampleStart", "SampleEnd", "RoundStart",
                                           "RoundEnd"};
#define MARKER_KINDS (sizeof marker_kinds / sizeof marker_kinds[0])

/* The fields of a message, read one after the other.  */
typedef struct {
   const uint8_t* at;
   size_t left;
   bool is_bad;
} Fields;

static const ControlActions* actions;
static void (*answer)(const void* bytes, size_t size);
static uint8_t* pending;
static size_t pending_size;
/* The client that switched sampling on may still be there.  */
static bool starter_is_here;

void runner_protocol_begin(const ControlActions* whom,
                           void (*answer_by)(const void* bytes, size_t size))
{
   actions = whom;
   answer = answer_by;
}

static uint64_t take_number(Fields* fields, unsigned size)
{
   uint64_t value = 0;
   if (fields->left < size) {
      fields->is_bad = true;
      return 0;
   }
   for (unsigned i = 0; i < size; i++)
      value |= (uint64_t)fields->at[i] << 8 * i;
   fields->at += size;
   fields->left -= size;
   return value;
}

/* A string, to be freed; zero bytes in it become spaces.  */
static char* take_string(Fields* fields)
{
   uint64_t size = take_number(fields, 8);
   if (size > fields->left) {
      fields->is_bad = true;
      return memory_copy_text("");
   }
   char* text = memory_allocate(size + 1);
   memcpy(text, fields->at, size);
   for (uint64_t i = 0; i < size; i++) {
      if (text[i] == '\0')
         text[i] = ' ';
   }
   fields->at += size;
   fields->left -= size;
   return text;
}

static bool is_whole(const Fields* fields)
{
   return !fields->is_bad && fields->left == 0;
}

/* --- Requests: each returns the tag of the answer ----------------------------------- */

static uint32_t current_benchmark(Fields* fields)
{
   uint32_t pid = (uint32_t)take_number(fields, 4);
   char* uri = take_string(fields);
   bool good = is_whole(fields) && (int32_t)pid > 0;
   if (good)
      actions->mark(MarkBenchmark, pid, uri);
   free(uri);
   return good ? TagAck : TagErr;
}

static uint32_t start(void)
{
   if (actions->is_sampling() && starter_is_here) {
      message_print(
         "a client wants to start sampling, which another has started: refused");
      return TagErr;
   }
   if (actions->is_sampling())
      actions->switch_sampling(false);
   actions->switch_sampling(true);
   starter_is_here = true;
   return TagAck;
}

static uint32_t set_integration(Fields* fields)
{
   char *name = take_string(fields), *version = take_string(fields);
   bool good = is_whole(fields);
   if (good) {
      char note[512];
      snprintf(note, sizeof note, "Integration: %.200s %.200s", name, version);
      actions->mark(MarkNote, 0, note);
   }
   free(name);
   free(version);
   return good ? TagAck : TagErr;
}

static uint32_t add_marker(Fields* fields)
{
   uint32_t pid = (uint32_t)take_number(fields, 4);
   uint64_t kind = take_number(fields, 4), moment = take_number(fields, 8);
   if (!is_whole(fields) || (int32_t)pid <= 0 || kind >= MARKER_KINDS)
      return TagErr;
   /* START and STOP say which samples belong together; a marker is a note for people.  */
   actions->mark_moment(pid, moment, marker_kinds[kind]);
   return TagAck;
}

static uint32_t set_version(Fields* fields)
{
   uint64_t version = take_number(fields, 8);
   if (!is_whole(fields))
      return TagErr;
   if (version >= 1 && version <= RUNNER_NEWEST_VERSION)
      return TagAck;
   message_print(
      "a client speaks version %llu of the runner's protocol, and this program 1 and "
      "%d: the run ends; use versions that go together",
      (unsigned long long)version, RUNNER_NEWEST_VERSION);
   actions->end_program();
   return TagErr;
}

static uint32_t handle(uint32_t tag, Fields* fields)
{
   switch (tag) {
   case TagCurrentBenchmark: return current_benchmark(fields);
   case TagStartProfiler: return is_whole(fields) ? start() : TagErr;
   case TagStopProfiler:
      if (!is_whole(fields))
         return TagErr;
      actions->switch_sampling(false);
      return TagAck;
   case TagPingProfiler: return is_whole(fields) ? TagAck : TagErr;
   case TagSetIntegration: return set_integration(fields);
   case TagAddMarker: return add_marker(fields);
   case TagSetVersion: return set_version(fields);
   case TagGetIntegrationMode:
      return is_whole(fields) ? TagIntegrationModeResponse : TagErr;
   default: return TagErr; /* unknown, or an answer */
   }
}

/* --- Messages ----------------------------------------------------------------------- */

static void put_u32(uint8_t* at, uint32_t value)
{
   for (unsigned i = 0; i < 4; i++)
      at[i] = (uint8_t)(value >> 8 * i);
}

static void send_answer(uint32_t tag)
{
   uint8_t bytes[12];
   bool has_mode = tag == TagIntegrationModeResponse;
   put_u32(bytes, has_mode ? 8 : 4);
   put_u32(bytes + 4, tag);
   put_u32(bytes + 8, MODE_WALLTIME);
   answer(bytes, has_mode ? 12 : 8);
}

void runner_protocol_take(const void* bytes, size_t size)
{
   size_t at = 0;
   pending = memory_reallocate(pending, pending_size + size, 1);
   if (size != 0)
      memcpy(pending + pending_size, bytes, size);
   pending_size += size;
   while (pending_size - at >= 4) {
      Fields fields = {pending + at, 4, false};
      uint32_t length = (uint32_t)take_number(&fields, 4);
      if (length > RUNNER_LONGEST_MESSAGE) {
         /* So nobody knows where the next message begins.  */
         message_print("a client sent what is no message of the runner's protocol");
         send_answer(TagErr);
         at = pending_size;
         break;
      }
      if (length > pending_size - at - 4)
         break;
      fields = (Fields){pending + at + 4, length, false};
      uint32_t tag = (uint32_t)take_number(&fields, 4);
      send_answer(fields.is_bad ? (uint32_t)TagErr : handle(tag, &fields));
      at += 4 + (size_t)length;
   }
   pending_size -= at;
   memmove(pending, pending + at, pending_size);
}

void runner_protocol_gone(void)
{
   pending_size = 0;
   starter_is_here = false;
}

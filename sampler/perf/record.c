/* SPDX-License-Identifier: GPL-2.0-or-later

   Reading the kernel's records; see record.h.  The order of fields is that of
   perf_event_open(2) and of <linux/perf_event.h>.  */

#include "perf/record.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t register_order[REGISTER_COUNT] = {REGISTER_ORDER};
const uint64_t record_register_mask = REGISTER_BITS;

/* Bytes that are read one field after the other; beyond their end there are zeros.  */
typedef struct {
   const uint8_t* at;
   size_t left;
   bool is_short; /* more was read than there is */
} Reader;

static const uint8_t* take(Reader* reader, size_t size)
{
   if (reader->left < size) {
      reader->is_short = true;
      reader->left = 0;
      return NULL;
   }
   const uint8_t* bytes = reader->at;
   reader->at += size;
   reader->left -= size;
   return bytes;
}

static uint64_t take_u64(Reader* reader)
{
   uint64_t value = 0;
   const uint8_t* bytes = take(reader, sizeof value);
   if (bytes != NULL)
      memcpy(&value, bytes, sizeof value);
   return value;
}

static uint32_t take_u32(Reader* reader)
{
   uint32_t value = 0;
   const uint8_t* bytes = take(reader, sizeof value);
   if (bytes != NULL)
      memcpy(&value, bytes, sizeof value);
   return value;
}

/* A record with room for `extra` bytes behind it.  */
static Record* create(RecordKind kind, size_t extra)
{
   size_t size = sizeof(Record) + extra;
   /* The caller writes what is behind it: to clear large stacks would cost time.  */
   Record* record = memory_reallocate(NULL, size, 1);
   memset(record, 0, sizeof *record);
   record->kind = kind;
   record->size = size;
   return record;
}

/* Copies the kernel's addresses from a call chain, in which markers say what is the
   kernel's and what the user's.  Returns how many there are.  */
static unsigned kernel_chain(const uint8_t* words, uint64_t count, uint64_t* result)
{
   unsigned kept = 0;
   bool in_kernel = false;
   for (uint64_t i = 0; i < count; i++) {
      uint64_t word;
      memcpy(&word, words + 8 * i, sizeof word);
      if (word >= (uint64_t)PERF_CONTEXT_MAX)
         in_kernel = word == (uint64_t)PERF_CONTEXT_KERNEL;
      else if (in_kernel)
         result[kept++] = word;
   }
   return kept;
}

static Record* read_sample(Reader* reader, bool has_waits)
{
   uint64_t ip = take_u64(reader);
   uint32_t pid = take_u32(reader), tid = take_u32(reader);
   uint64_t time = take_u64(reader);
   uint64_t period = take_u64(reader);
   uint64_t chain_count = take_u64(reader);
   if (chain_count > reader->left / 8)
      return NULL;
   const uint8_t* chain = take(reader, 8 * chain_count);
   uint64_t abi = take_u64(reader);
   const uint8_t* registers = NULL;
   if (abi != PERF_SAMPLE_REGS_ABI_NONE)
      registers = take(reader, 8 * REGISTER_COUNT);
   uint64_t room = take_u64(reader);
   const uint8_t* stack = room != 0 ? take(reader, room) : NULL;
   uint64_t stack_size = room != 0 ? take_u64(reader) : 0;
   if (reader->is_short || stack_size > room)
      return NULL;

   bool is_wait = has_waits && period == RECORD_WAIT_PERIOD;
   Record* record =
      create(is_wait ? RecordWait : RecordSample, 8 * chain_count + stack_size);
   Sample* sample = &record->as.sample;
   uint64_t* chain_copy = (uint64_t*)(record + 1);
   uint8_t* stack_copy = (uint8_t*)(chain_copy + chain_count);
   record->pid = pid;
   record->tid = tid;
   record->time = time;
   sample->ip = ip;
   sample->period = period;
   sample->chain = chain_copy;
   sample->chain_count = kernel_chain(chain, chain_count, chain_copy);
   sample->is_32_bit = abi == PERF_SAMPLE_REGS_ABI_32;
   sample->has_registers = abi == PERF_SAMPLE_REGS_ABI_64;
   for (unsigned i = 0; registers != NULL && i < REGISTER_COUNT; i++)
      memcpy(&sample->registers[register_order[i]], registers + 8 * i, 8);
   /* The kernel keeps room for all that was asked for, as far as a record has it.  */
   sample->stack_asked = (unsigned)room;
   sample->stack_size = (unsigned)stack_size;
   sample->stack = stack_copy;
   if (stack_size != 0)
      memcpy(stack_copy, stack, stack_size);
   return record;
}

/* Copies a text of `size` bytes behind the record.  */
static const char* copy_tail(Record* record, const uint8_t* bytes, size_t size)
{
   char* copy = (char*)(record + 1);
   if (size != 0)
      memcpy(copy, bytes, size);
   copy[size] = '\0';
   return copy;
}

static Record* read_map(Reader* reader, uint16_t misc)
{
   uint32_t pid = take_u32(reader), tid = take_u32(reader);
   MapRecord map = {0};
   map.start = take_u64(reader);
   map.size = take_u64(reader);
   map.offset = take_u64(reader);
   FileIdentity* identity = &map.identity;
   if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
      const uint8_t* words = take(reader, 24);
      if (words != NULL && words[0] <= RECORD_MAX_BUILD_ID) {
         identity->build_id_size = words[0];
         memcpy(identity->build_id, words + 4, RECORD_MAX_BUILD_ID);
      }
   } else {
      identity->major = take_u32(reader);
      identity->minor = take_u32(reader);
      identity->inode = take_u64(reader);
      identity->generation = take_u64(reader);
      identity->has_inode = identity->has_generation = identity->inode != 0;
   }
   take(reader, 8); /* protection and flags: only executable code is reported */
   if (reader->is_short)
      return NULL;
   size_t length = strnlen((const char*)reader->at, reader->left);
   Record* record = create(RecordMap, length + 1);
   record->pid = pid;
   record->tid = tid;
   map.path = copy_tail(record, reader->at, length);
   record->as.map = map;
   return record;
}

static Record* read_comm(Reader* reader, uint16_t misc)
{
   uint32_t pid = take_u32(reader), tid = take_u32(reader);
   if (reader->is_short)
      return NULL;
   size_t length = strnlen((const char*)reader->at, reader->left);
   Record* record = create(RecordComm, length + 1);
   record->pid = pid;
   record->tid = tid;
   record->as.comm.is_exec = (misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
   record->as.comm.name = copy_tail(record, reader->at, length);
   return record;
}

static Record* read_life(Reader* reader, RecordKind kind)
{
   Record* record = create(kind, 0);
   record->pid = take_u32(reader);
   record->as.fork.parent_pid = take_u32(reader);
   record->tid = take_u32(reader);
   record->as.fork.parent_tid = take_u32(reader);
   return record;
}

static Record* read_switch(uint16_t misc)
{
   if (!(misc & PERF_RECORD_MISC_SWITCH_OUT))
      return create(RecordResume, 0);
   Record* record = create(RecordLeave, 0);
   record->as.leave.could_run = (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
   return record;
}

/* Every record but a sample ends with process, thread and time.  */
#define TRAILER_SIZE 16

static Record* read_with_trailer(const struct perf_event_header* header, Reader reader)
{
   if (reader.left < TRAILER_SIZE)
      return NULL;
   reader.left -= TRAILER_SIZE;
   const uint8_t* trailer = reader.at + reader.left;
   Record* record = NULL;
   switch (header->type) {
   case PERF_RECORD_MMAP2: record = read_map(&reader, header->misc); break;
   case PERF_RECORD_COMM: record = read_comm(&reader, header->misc); break;
   case PERF_RECORD_FORK: record = read_life(&reader, RecordFork); break;
   case PERF_RECORD_EXIT: record = read_life(&reader, RecordExit); break;
   case PERF_RECORD_SWITCH: record = read_switch(header->misc); break;
   case PERF_RECORD_LOST:
      record = create(RecordLost, 0);
      take(&reader, 8);
      record->as.lost.count = take_u64(&reader);
      break;
   case PERF_RECORD_LOST_SAMPLES:
      record = create(RecordLost, 0);
      record->as.lost.count = take_u64(&reader);
      break;
   default: break;
   }
   if (record != NULL)
      memcpy(&record->time, trailer + 8, sizeof record->time);
   if (record != NULL && header->type == PERF_RECORD_SWITCH) {
      memcpy(&record->pid, trailer, sizeof record->pid);
      memcpy(&record->tid, trailer + 4, sizeof record->tid);
   }
   if (record != NULL && reader.is_short) {
      free(record);
      record = NULL;
   }
   return record;
}

Record* record_read(const void* bytes, size_t size, bool has_waits)
{
   struct perf_event_header header;
   if (size < sizeof header)
      return NULL;
   memcpy(&header, bytes, sizeof header);
   Reader reader = {(const uint8_t*)bytes + sizeof header, size - sizeof header, false};
   if (header.type == PERF_RECORD_SAMPLE)
      return read_sample(&reader, has_waits);
   return read_with_trailer(&header, reader);
}

Record* record_wait(uint32_t pid, uint32_t tid, uint64_t time, uint64_t ip,
                    uint64_t stack_pointer, const void* stack, unsigned stack_size,
                    unsigned stack_asked)
{
   Record* record = create(RecordWait, stack_size);
   Sample* sample = &record->as.sample;
   record->pid = pid;
   record->tid = tid;
   record->time = time;
   sample->ip = ip;
   sample->has_registers = sample->has_few = ip != 0;
   sample->registers[REGISTER_PC] = ip;
   sample->registers[REGISTER_SP] = stack_pointer;
   sample->stack_asked = stack_asked;
   sample->stack_size = stack_size;
   sample->stack = (const uint8_t*)(record + 1);
   if (stack_size != 0)
      memcpy(record + 1, stack, stack_size);
   return record;
}

Record* record_mark(MarkKind kind, uint32_t pid, uint64_t time, const char* text)
{
   size_t length = text != NULL ? strlen(text) : 0;
   Record* record = create(RecordMark, length + 1);
   record->pid = pid;
   record->time = time;
   record->as.mark.kind = kind;
   record->as.mark.text = copy_tail(record, (const uint8_t*)text, length);
   return record;
}

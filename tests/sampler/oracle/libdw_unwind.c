/* SPDX-License-Identifier: GPL-2.0-or-later

   libdw's unwinder on a sample; see libdw_unwind.h.  libdw gets memory and registers by
   callbacks, from a process that we say has one thread.  */

#include "libdw_unwind.h"

#include "base/memory.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define THE_THREAD 1

typedef struct {
   Object* object;
   uint64_t bias;
} Known;

struct LibdwUnwinder {
   Dwfl* dwfl;
   bool is_attached;
   Known* known;
   unsigned known_count;
   /* The sample at hand.  */
   const Sample* sample;
   CodeFinder find;
   void* context;
   UnwindResult* result;
};

/* --- Callbacks of libdw ------------------------------------------------------------- */

static int find_no_debug_file(Dwfl_Module* module, void** data, const char* name,
                              Dwarf_Addr base, const char* file, const char* link,
                              GElf_Word checksum, char** found)
{
   (void)module, (void)data, (void)name, (void)base, (void)file, (void)link;
   (void)checksum, (void)found;
   return -1;
}

static pid_t next_thread(Dwfl* dwfl, void* argument, void** previous)
{
   (void)dwfl;
   if (*previous != NULL)
      return 0;
   *previous = argument;
   return THE_THREAD;
}

static bool get_thread(Dwfl* dwfl, pid_t thread, void* argument, void** data)
{
   (void)dwfl;
   *data = argument;
   return thread == THE_THREAD;
}

static bool read_memory(Dwfl* dwfl, Dwarf_Addr address, Dwarf_Word* value, void* argument)
{
   (void)dwfl;
   const Sample* sample = ((LibdwUnwinder*)argument)->sample;
   uint64_t at = address - sample->registers[REGISTER_SP];
   if (address < sample->registers[REGISTER_SP] || at > sample->stack_size ||
       sample->stack_size - at < sizeof *value)
      return false;
   memcpy(value, sample->stack + at, sizeof *value);
   return true;
}

static bool set_registers(Dwfl_Thread* thread, void* argument)
{
   const Sample* sample = ((LibdwUnwinder*)argument)->sample;
   Dwarf_Word registers[REGISTER_LIBDW_COUNT];
   for (unsigned i = 0; i < REGISTER_LIBDW_COUNT; i++)
      registers[i] = sample->registers[i];
   dwfl_thread_state_register_pc(thread, sample->registers[REGISTER_PC]);
   return dwfl_thread_state_registers(thread, 0, REGISTER_LIBDW_COUNT, registers);
}

static int take_frame(Dwfl_Frame* frame, void* argument)
{
   LibdwUnwinder* unwinder = argument;
   UnwindResult* result = unwinder->result;
   Dwarf_Addr pc;
   bool is_exact;
   CodePlace place;
   if (result->count == UNWIND_MAX_FRAMES || !dwfl_frame_pc(frame, &pc, &is_exact) ||
       (pc == 0 && result->count != 0) ||
       !unwinder->find(unwinder->context, is_exact ? pc : pc - 1, &place))
      return DWARF_CB_ABORT;
   result->frames[result->count++] = place;
   return DWARF_CB_OK;
}

/* --- Unwinding ---------------------------------------------------------------------- */

LibdwUnwinder* libdw_unwind_begin(void)
{
   static const Dwfl_Callbacks callbacks = {.find_debuginfo = find_no_debug_file,
                                            .section_address =
                                               dwfl_offline_section_address};
   LibdwUnwinder* unwinder = memory_allocate(sizeof *unwinder);
   unwinder->dwfl = dwfl_begin(&callbacks);
   return unwinder;
}

void libdw_unwind_end(LibdwUnwinder* unwinder)
{
   dwfl_end(unwinder->dwfl);
   free(unwinder->known);
   free(unwinder);
}

/* A descriptor of its own, which libdw closes; -1 if there is nothing to read.  */
static int open_again(const Object* object)
{
   if (object->fd >= 0)
      return dup(object->fd);
   size_t size;
   char* bytes = object->elf != NULL ? elf_rawfile(object->elf, &size) : NULL;
   int fd = bytes != NULL ? memfd_create("object", MFD_CLOEXEC) : -1;
   if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) {
      close(fd);
      return -1;
   }
   return fd;
}

void libdw_unwind_add(LibdwUnwinder* unwinder, Object* object, uint64_t bias)
{
   static const Dwfl_Thread_Callbacks callbacks = {
      .next_thread = next_thread,
      .get_thread = get_thread,
      .memory_read = read_memory,
      .set_initial_registers = set_registers,
   };
   for (unsigned i = 0; i < unwinder->known_count; i++) {
      if (unwinder->known[i].object == object && unwinder->known[i].bias == bias)
         return;
   }
   unwinder->known =
      memory_reallocate(unwinder->known, unwinder->known_count + 1, sizeof(Known));
   unwinder->known[unwinder->known_count++] = (Known){object, bias};
   int fd = open_again(object);
   if (fd < 0)
      return;
   dwfl_report_begin_add(unwinder->dwfl);
   if (dwfl_report_elf(unwinder->dwfl, object->path, object->path, fd, bias, false) ==
       NULL)
      close(fd);
   dwfl_report_end(unwinder->dwfl, NULL, NULL);
   if (!unwinder->is_attached)
      unwinder->is_attached =
         dwfl_attach_state(unwinder->dwfl, object->elf, THE_THREAD, &callbacks, unwinder);
}

void libdw_unwind_sample(LibdwUnwinder* unwinder, const Sample* sample, CodeFinder find,
                         void* context, UnwindResult* result)
{
   unwinder->sample = sample;
   unwinder->find = find;
   unwinder->context = context;
   unwinder->result = result;
   result->count = 0;
   int status = dwfl_getthread_frames(unwinder->dwfl, THE_THREAD, take_frame, unwinder);
   result->end = status == 0 ? UnwindWhole : UnwindNoRule;
}

/* We look up what a signal handler returns to at its address, libdw one byte before.  */
static bool same_place(const CodePlace* ours, const CodePlace* theirs)
{
   return ours->object == theirs->object &&
          (ours->address == theirs->address || ours->address == theirs->address + 1);
}

Agreement libdw_unwind_compare(const UnwindResult* ours, const UnwindResult* theirs)
{
   for (unsigned i = 0; i < ours->count && i < theirs->count; i++) {
      if (!same_place(&ours->frames[i], &theirs->frames[i]))
         return AgreementNone;
   }
   if (ours->count == theirs->count)
      return AgreementWhole;
   return ours->count > theirs->count ? AgreementOursGoesOn : AgreementOursStops;
}

/* SPDX-License-Identifier: GPL-2.0-or-later

   Processes, from records and from /proc; see process.h.  A fork shares its parent's
   address space, an exec begins an empty one.  */

#include "profile/process.h"

#include "base/memory.h"
#include "base/process_folder.h"
#include "code/jit_names.h"
#include "profile/mapped_file.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_SIZE 4096

static Process* processes[TABLE_SIZE]; /* the newest of each pid comes first */
static Thread* threads[TABLE_SIZE];
static Thread* last_thread;
static bool backfills = true;

void process_set_backfill(bool backfill) { backfills = backfill; }
Thread* process_threads(void) { return last_thread; }

/* --- Processes and threads ---------------------------------------------------------- */

static Process* find_process(uint32_t pid)
{
   Process* process = processes[pid % TABLE_SIZE];
   while (process != NULL && process->pid != pid)
      process = process->next;
   return process;
}

/* `time` is when it began, 0 if that is not known.  What has had its number ends.  */
static Process* add_process(const ProcessView* view, uint64_t time, Process* parent,
                            AddressSpace* space, const char* command)
{
   uint32_t pid = view->pid;
   Process* old = find_process(pid);
   if (old != NULL) {
      old->owner.ended = time;
      if (old->jit != NULL)
         jit_names_end(old->jit);
   }
   Process* process = memory_allocate(sizeof *process);
   Process** slot = &processes[pid % TABLE_SIZE];
   process->pid = pid;
   process->owner.view = *view;
   process->owner.began = time;
   process->parent = parent;
   process->space = space;
   process->command = memory_copy_text(command);
   process->next = *slot;
   *slot = process;
   return process;
}

/* Reads the command line of a living process, as words with spaces between.  False if it
   cannot be read.  */
static bool command_line(uint32_t pid, char* text, size_t size)
{
   char path[64];
   snprintf(path, sizeof path, "%s/cmdline", process_folder(pid).text);
   FILE* file = fopen(path, "r");
   if (file == NULL)
      return false;
   size_t length = fread(text, 1, size - 1, file);
   fclose(file);
   while (length > 0 && text[length - 1] == '\0')
      length--;
   for (size_t i = 0; i < length; i++) {
      if (text[i] == '\0')
         text[i] = ' ';
   }
   text[length] = '\0';
   return length != 0;
}

static void set_text(char** text, const char* value)
{
   free(*text);
   *text = memory_copy_text(value);
}

static Process* need_process(uint32_t pid)
{
   Process* process = find_process(pid);
   if (process == NULL) {
      char command[4096];
      ProcessView view = process_view_of(pid);
      process = add_process(&view, 0, NULL, address_space_create(),
                            command_line(pid, command, sizeof command) ? command : "");
   }
   return process;
}

static Thread* find_thread(uint32_t tid)
{
   Thread* thread = threads[tid % TABLE_SIZE];
   while (thread != NULL && thread->tid != tid)
      thread = thread->next;
   return thread;
}

static Thread* add_thread(Process* process, uint32_t tid, const char* name)
{
   Thread* thread = memory_allocate(sizeof *thread);
   Thread** slot = &threads[tid % TABLE_SIZE];
   thread->process = process;
   thread->tid = tid;
   thread->name = memory_copy_text(name);
   thread->next = *slot;
   *slot = thread;
   thread->previous = last_thread;
   last_thread = thread;
   return thread;
}

Thread* process_thread(uint32_t pid, uint32_t tid)
{
   Thread* thread = find_thread(tid);
   if (thread != NULL && thread->process->pid == pid)
      return thread;
   char path[64], name[64] = "";
   snprintf(path, sizeof path, "%s/task/%u/comm", process_folder(pid).text, tid);
   FILE* file = fopen(path, "r");
   if (file != NULL) {
      if (fgets(name, sizeof name, file) == NULL)
         name[0] = '\0';
      name[strcspn(name, "\n")] = '\0';
      fclose(file);
   }
   return add_thread(need_process(pid), tid, name);
}

void process_begin(uint32_t pid, char* const* command)
{
   char text[4096] = "";
   size_t length = 0;
   for (unsigned i = 0; command[i] != NULL && length < sizeof text - 1; i++)
      length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                 i ? " " : "", command[i]);
   ProcessView view = process_view_of(pid);
   Process* process = add_process(&view, 0, NULL, address_space_create(), text);
   add_thread(process, pid, "");
}

/* --- Records ------------------------------------------------------------------------ */

static void take_fork(const Record* record)
{
   Process* parent = need_process(record->as.fork.parent_pid);
   Thread* origin = find_thread(record->as.fork.parent_tid);
   const char* name = origin != NULL ? origin->name : "";
   if (record->pid == record->as.fork.parent_pid) {
      add_thread(parent, record->tid, name);
      return;
   }
   ProcessView view = process_view_of_child(&parent->owner.view, record->pid);
   Process* process = add_process(&view, record->time, parent,
                                  address_space_share(parent->space), parent->command);
   process->backfilled = parent->backfilled;
   process->jit = jit_names_of_child(parent->jit, &process->owner);
   add_thread(process, record->tid, name);
}

static void take_exec(const Record* record)
{
   char command[4096];
   Process* old = find_process(record->pid);
   bool first = old != NULL && old->parent == NULL && old->space->count == 0;
   if (!command_line(record->pid, command, sizeof command))
      snprintf(command, sizeof command, "%s", record->as.comm.name);
   if (first) {
      /* The exec of the program that the sampler starts: its command line is known.  */
      Thread* thread = process_thread(record->pid, record->pid);
      set_text(&thread->name, record->as.comm.name);
      return;
   }
   Process* parent = old != NULL ? old->parent : NULL;
   ProcessView view;
   if (old != NULL) {
      /* Now, as it may live too short to be looked at when it is sampled.  */
      view = old->owner.view;
      process_view_refresh(&view);
   } else {
      view = process_view_of(record->pid);
   }
   Process* process =
      add_process(&view, record->time, parent, address_space_create(), command);
   add_thread(process, record->pid, record->as.comm.name);
}

static void take_exit(const Record* record)
{
   Process* process = find_process(record->pid);
   if (process != NULL)
      process->owner.exited = record->time;
}

static void take_map(const Record* record)
{
   const MapRecord* told = &record->as.map;
   Process* process = need_process(record->pid);
   if (told->size == 0 || told->start + told->size < told->start)
      return;
   Mapping mapping = {
      .start = told->start,
      .end = told->start + told->size,
      .offset = told->offset,
      .time = record->time,
      .identity = told->identity,
      .path = memory_copy_text(told->path),
   };
   if (jit_names_is_dump(told->path))
      jit_names_add_dump(&process->jit, &process->owner, told->path);
   address_space_map(&process->space, mapping);
}

void process_apply(const Record* record)
{
   switch (record->kind) {
   case RecordFork: take_fork(record); break;
   case RecordExit: take_exit(record); break;
   case RecordMap: take_map(record); break;
   case RecordComm:
      if (record->as.comm.is_exec)
         take_exec(record);
      else
         set_text(&process_thread(record->pid, record->tid)->name, record->as.comm.name);
      break;
   default: break;
   }
}

/* --- What the records did not tell -------------------------------------------------- */

/* Adds what a line of /proc/PID/maps says.  */
static void backfill_line(Process* process, char* line, uint64_t time)
{
   unsigned long start, end, offset, inode;
   unsigned major, minor;
   char rights[8];
   int name = 0;
   line[strcspn(line, "\n")] = '\0';
   if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %n", &start, &end, rights, &offset, &major,
              &minor, &inode, &name) < 7 ||
       name == 0 || start >= end)
      return;
   if (jit_names_is_dump(line + name))
      jit_names_add_dump(&process->jit, &process->owner, line + name);
   if (rights[2] != 'x')
      return;
   Mapping mapping = {
      .start = start, .end = end, .offset = offset, .time = time, .path = line + name};
   mapping.identity.has_inode = inode != 0;
   mapping.identity.major = major;
   mapping.identity.minor = minor;
   mapping.identity.inode = inode;
   address_space_map_gaps(&process->space, &mapping);
}

void process_backfill(Process* process, uint64_t time)
{
   char path[64], line[8192];
   if (process->backfilled || !backfills)
      return;
   process->backfilled = true;
   snprintf(path, sizeof path, "%s/maps", process_folder(process->pid).text);
   FILE* file = fopen(path, "r");
   while (file != NULL && fgets(line, sizeof line, file) != NULL)
      backfill_line(process, line, time);
   if (file != NULL)
      fclose(file);
}

void process_backfill_pid(uint32_t pid, uint64_t time)
{
   process_backfill(need_process(pid), time);
}

bool process_find(void* context, uint64_t address, CodePlace* place)
{
   Process* process = context;
   Mapping* mapping = address_space_find(process->space, address);
   if (mapping == NULL)
      return false;
   if (!mapping->is_sought) {
      mapping->is_sought = true;
      mapping->object = mapped_file_object(&process->owner.view, mapping);
   }
   place->object = mapping->object;
   place->address = address;
   if (mapping->object != NULL &&
       !object_address(mapping->object, address - mapping->start + mapping->offset,
                       &place->address))
      place->address = address - mapping->start + mapping->offset;
   return true;
}

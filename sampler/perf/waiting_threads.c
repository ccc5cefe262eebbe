/* SPDX-License-Identifier: GPL-2.0-or-later

   Reading where threads wait; see waiting_threads.h.  /proc/PID/task/TID/syscall has two
   of the registers of a thread that waits, which is what most rules of call frame
   information need.  The stack is read from the process's memory.  A thread that goes on
   meanwhile has records of its own, which are later than these.  */

#include "perf/waiting_threads.h"

#include "base/process_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define MOST_STACK 65528

static bool read_text(uint32_t pid, uint32_t tid, const char* name, char* text, int size)
{
   char path[64];
   snprintf(path, sizeof path, "%s/task/%u/%s", process_folder(pid).text, tid, name);
   FILE* file = fopen(path, "r");
   if (file == NULL)
      return false;
   bool is_read = fgets(text, size, file) != NULL;
   fclose(file);
   return is_read;
}

/* Whether the thread sleeps, by its state: the letter behind its name in brackets.  */
static bool sleeps(uint32_t pid, uint32_t tid)
{
   char text[256];
   if (!read_text(pid, tid, "stat", text, sizeof text))
      return false;
   const char* end = strrchr(text, ')');
   return end != NULL && (end[1] == ' ') && (end[2] == 'S' || end[2] == 'D');
}

/* Finds the last two words of the line, the stack pointer and the program counter.  False
   if the thread runs, or this is a secret.  */
static bool read_registers(uint32_t pid, uint32_t tid, uint64_t* stack_pointer,
                           uint64_t* ip)
{
   char text[512];
   if (!read_text(pid, tid, "syscall", text, sizeof text))
      return false;
   char* last = strrchr(text, ' ');
   if (last == NULL)
      return false;
   *ip = strtoull(last + 1, NULL, 16);
   *last = '\0';
   char* before = strrchr(text, ' ');
   if (before == NULL)
      return false;
   *stack_pointer = strtoull(before + 1, NULL, 16);
   return *ip != 0;
}

static Record* read_thread(uint32_t pid, uint32_t tid, uint64_t time)
{
   static uint8_t stack[MOST_STACK];
   uint64_t stack_pointer, ip;
   if (!read_registers(pid, tid, &stack_pointer, &ip))
      return sleeps(pid, tid) ? record_wait(pid, tid, time, 0, 0, NULL, 0, 0) : NULL;
   struct iovec here = {stack, sizeof stack};
   struct iovec there = {(void*)(uintptr_t)stack_pointer, sizeof stack};
   ssize_t size = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);
   unsigned copied = size > 0 ? (unsigned)size : 0;
   return record_wait(pid, tid, time, ip, stack_pointer, stack, copied, MOST_STACK);
}

void waiting_threads_read(uint32_t pid, uint64_t time, void (*take)(Record* record))
{
   char path[64];
   snprintf(path, sizeof path, "%s/task", process_folder(pid).text);
   DIR* folder = opendir(path);
   if (folder == NULL)
      return;
   for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
      int tid = atoi(entry->d_name);
      Record* record = tid > 0 ? read_thread(pid, (uint32_t)tid, time) : NULL;
      if (record != NULL)
         take(record);
   }
   closedir(folder);
}

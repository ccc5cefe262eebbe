/* SPDX-License-Identifier: GPL-2.0-or-later

   What files of the tool need of Valgrind's core, made of the C library: so they can be
   tested by themselves, with a sanitizer.  Calls on files fail as faults.h says.  */

#include "core_version.h"

#include "base/system_filter.h"
#include "faults.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

Int VG_(clo_verbosity) = 1;
Int VG_(fd_hard_limit) = 512;

/* Unless base/system_filter.c is linked: no system calls are filtered.  */
__attribute__((weak)) Bool system_filter_is_on(void) { return False; }
__attribute__((weak)) FilteredOpening system_filter_opening(void) { return OpenAsEver; }

/*--------------------------------------------------------------------*/
/* Memory and strings                                                  */

void* VG_(malloc)(const HChar* name, SizeT size)
{
   (void)name;
   return malloc(size);
}

void* VG_(realloc)(const HChar* name, void* old, SizeT size)
{
   (void)name;
   return realloc(old, size);
}

HChar* VG_(strdup)(const HChar* name, const HChar* text)
{
   (void)name;
   return strdup(text);
}

void VG_(free)(void* memory) { free(memory); }

void* VG_(memcpy)(void* to, const void* from, SizeT size)
{
   return memcpy(to, from, size);
}

SizeT VG_(strlen)(const HChar* text) { return strlen(text); }
HChar* VG_(strcpy)(HChar* to, const HChar* from) { return strcpy(to, from); }
HChar* VG_(strcat)(HChar* to, const HChar* from) { return strcat(to, from); }
Int VG_(strcmp)(const HChar* a, const HChar* b) { return strcmp(a, b); }

Int VG_(strncmp)(const HChar* a, const HChar* b, SizeT size)
{
   return strncmp(a, b, size);
}

UInt VG_(snprintf)(HChar* to, Int size, const HChar* format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   int written = vsnprintf(to, (size_t)size, format, arguments);
   va_end(arguments);
   return (UInt)written;
}

UInt VG_(sprintf)(HChar* to, const HChar* format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   int written = vsprintf(to, format, arguments);
   va_end(arguments);
   return (UInt)written;
}

void VG_(ssort)(void* base, SizeT n, SizeT size, Int (*compare)(const void*, const void*))
{
   qsort(base, n, size, compare);
}

UInt VG_(random)(UInt* seed) { return (UInt)rand_r(seed); }

/*--------------------------------------------------------------------*/
/* Arrays                                                              */

struct _XArray {
   char* elements;
   Word count;
   Word size; /* of an element */
};

XArray* VG_(newXA)(Alloc_Fn_t allocate, const HChar* name, Free_Fn_t release, Word size)
{
   (void)allocate, (void)name, (void)release;
   XArray* array = calloc(1, sizeof *array);
   array->size = size;
   return array;
}

Word VG_(addToXA)(XArray* array, const void* element)
{
   array->elements = realloc(array->elements, (size_t)((array->count + 1) * array->size));
   memcpy(array->elements + array->count * array->size, element, (size_t)array->size);
   return array->count++;
}

void VG_(deleteXA)(XArray* array)
{
   free(array->elements);
   free(array);
}

Word VG_(sizeXA)(const XArray* array) { return array->count; }
void VG_(dropTailXA)(XArray* array, Word n) { array->count -= n; }

void VG_(removeIndexXA)(XArray* array, Word index)
{
   char* removed = array->elements + index * array->size;
   array->count--;
   memmove(removed, removed + array->size,
           (size_t)((array->count - index) * array->size));
}

void* VG_(indexXA)(const XArray* array, Word index)
{
   return array->elements + index * array->size;
}

/*--------------------------------------------------------------------*/
/* The process                                                         */

UInt VG_(umsg)(const HChar* format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   int written = vprintf(format, arguments);
   va_end(arguments);
   return (UInt)written;
}

UInt VG_(message)(VgMsgKind kind, const HChar* format, ...)
{
   (void)kind, (void)format;
   return 0;
}

Int VG_(getpid)(void) { return getpid(); }
Int VG_(geteuid)(void) { return (Int)geteuid(); }
HChar* VG_(getenv)(const HChar* name) { return getenv(name); }
UInt VG_(read_millisecond_timer)(void) { return 1; }

const HChar* VG_(tmpdir)(void)
{
   const char* folder = getenv("TMPDIR");
   return folder != NULL ? folder : "/tmp";
}

const HChar* VG_(get_startup_wd)(void)
{
   static char folder[4096];
   return getcwd(folder, sizeof folder);
}

/* Nothing is expanded.  */
HChar* VG_(expand_file_name)(const HChar* option, const HChar* format)
{
   (void)option;
   const char* folder = format[0] == '/' ? "" : VG_(get_startup_wd)();
   char* path = malloc(strlen(folder) + strlen(format) + 2);
   sprintf(path, "%s%s%s", folder, format[0] == '/' ? "" : "/", format);
   return path;
}

/*--------------------------------------------------------------------*/
/* Files                                                               */

static SysRes result_of(long value)
{
   SysRes result;
   memset(&result, 0, sizeof result);
   result._isError = value < 0;
   result._val = (UWord)(value < 0 ? errno : value);
   return result;
}

Off64T VG_(lseek)(Int fd, Off64T offset, Int whence)
{
   return fault_of("lseek") != 0 ? -1 : lseek(fd, offset, whence);
}

SSizeT VG_(readlink)(const HChar* path, HChar* target, SizeT size)
{
   return readlink(path, target, size);
}

Int VG_(fstat)(Int fd, struct vg_stat* status)
{
   struct stat found;
   if (fault_of("stat") != 0 || fstat(fd, &found) != 0)
      return -1;
   memset(status, 0, sizeof *status);
   status->mode = found.st_mode;
   status->size = found.st_size;
   status->uid = found.st_uid;
   status->nlink = found.st_nlink;
   status->dev = found.st_dev;
   status->ino = found.st_ino;
   return 0;
}

SysRes VG_(poll)(struct vki_pollfd* watched, Int count, Int milliseconds)
{
   return result_of(poll((struct pollfd*)watched, (nfds_t)count, milliseconds));
}

static const char* name_of(UWord call)
{
   switch (call) {
   case __NR_openat: return "open";
   case __NR_read: return "read";
   case __NR_write: return "write";
   case __NR_close: return "close";
   case __NR_renameat: return "rename";
   case __NR_unlinkat: return "unlink";
   case __NR_ftruncate: return "truncate";
   case __NR_fchmod: return "chmod";
   case __NR_readlinkat: return "readlink";
   default: return NULL;
   }
}

/* The kernel closes a file whatever it answers.  */
SysRes VG_(do_syscall)(UWord call, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5,
                       UWord a6, UWord a7, UWord a8)
{
   (void)a5, (void)a6, (void)a7, (void)a8;
   const char* name = name_of(call);
   int fault = name != NULL ? fault_of(name) : 0;
   if (fault == FAULT_SHORT)
      a3 = 1;
   else if (fault != 0) {
      if (call == __NR_close)
         close((int)a1);
      errno = fault;
      return result_of(-1);
   }
   return result_of(syscall((long)call, a1, a2, a3, a4));
}

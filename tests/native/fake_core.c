/* SPDX-License-Identifier: GPL-2.0-or-later

   What files of the tool need of Valgrind's core, made of the C library: so they can be
   tested by themselves, with a sanitizer.

   A system call on files can be made to fail.  FAULT=NAME:COUNT:ERRNO in the environment
   lets the COUNTth call of NAME and all later ones fail with ERRNO; NAME is open, read,
   write, close or rename.  */

#include "core_version.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*--------------------------------------------------------------------*/
/* Faults                                                              */

/* The error that this call of `name` shall have; 0 if it shall work.  */
static int fault_of(const char* name)
{
   static int n_calls;
   char wanted[16];
   int first, error;
   const char* fault = getenv("FAULT");
   if (fault == NULL || sscanf(fault, "%15[^:]:%d:%d", wanted, &first, &error) != 3 ||
       strcmp(wanted, name) != 0)
      return 0;
   return ++n_calls >= first ? error : 0;
}

static SysRes result_of(long value)
{
   SysRes result;
   memset(&result, 0, sizeof result);
   result._isError = value < 0;
   result._val = (UWord)(value < 0 ? errno : value);
   return result;
}

static SysRes failure(int error)
{
   errno = error;
   return result_of(-1);
}

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

void VG_(ssort)(void* base, SizeT n, SizeT size, Int (*compare)(const void*, const void*))
{
   qsort(base, n, size, compare);
}

/*--------------------------------------------------------------------*/
/* Files                                                               */

const HChar* VG_(get_startup_wd)(void)
{
   static char folder[4096];
   return getcwd(folder, sizeof folder);
}

Int VG_(getpid)(void) { return getpid(); }

SysRes VG_(open)(const HChar* path, Int flags, Int mode)
{
   int error = fault_of("open");
   return error != 0 ? failure(error) : result_of(open(path, flags, mode));
}

Int VG_(read)(Int fd, void* bytes, Int size)
{
   int error = fault_of("read");
   return error != 0 ? -error : (Int)read(fd, bytes, (size_t)size);
}

Int VG_(write)(Int fd, const void* bytes, Int size)
{
   int error = fault_of("write");
   return error != 0 ? -error : (Int)write(fd, bytes, (size_t)size);
}

/* As the core's: what happened is not told.  */
void VG_(close)(Int fd) { close(fd); }

Int VG_(rename)(const HChar* from, const HChar* to)
{
   return fault_of("rename") != 0 ? -1 : rename(from, to);
}

Int VG_(unlink)(const HChar* path) { return unlink(path); }
Off64T VG_(lseek)(Int fd, Off64T offset, Int whence) { return lseek(fd, offset, whence); }

SSizeT VG_(readlink)(const HChar* path, HChar* target, SizeT size)
{
   return readlink(path, target, size);
}

SysRes VG_(stat)(const HChar* path, struct vg_stat* status)
{
   struct stat found;
   if (stat(path, &found) != 0)
      return result_of(-1);
   memset(status, 0, sizeof *status);
   status->mode = found.st_mode;
   status->size = found.st_size;
   return result_of(0);
}

/* The kernel closes a file whatever it answers.  */
SysRes VG_(do_syscall)(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5,
                       UWord a6, UWord a7, UWord a8)
{
   (void)a5, (void)a6, (void)a7, (void)a8;
   int error = number == __NR_close      ? fault_of("close")
               : number == __NR_renameat ? fault_of("rename")
                                         : 0;
   if (error != 0 && number != __NR_close)
      return failure(error);
   long value = syscall((long)number, a1, a2, a3, a4);
   return error != 0 ? failure(error) : result_of(value);
}

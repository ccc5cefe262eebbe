/* SPDX-License-Identifier: GPL-2.0-or-later

   Reading the program's memory.  Everything that the tool reads of it is read here, but
   for what the program's own instruction or system call has just used, and for code that
   the core is having translated.

   What the core says of mappings is not all.  It takes for readable, and reading is a
   fault: memory that a forked child has not got (MADV_DONTFORK), guards of stacks that
   glibc 2.42 makes by madvise(MADV_GUARD_INSTALL), what a protection key forbids, and
   mappings behind the end of a file that has become shorter.  So a fault while reading is
   an answer here.

   No system call is made unless there is a fault, so that nothing depends on what a
   filter of system calls lets through, nor on /proc.  The core's own signal handler tells
   of the fault (pub_tool_signals.h).

   Not to be used in fork handlers (VG_(atfork)): signals are blocked there.  */

#ifndef CALLGRIND_MEMORY_H
#define CALLGRIND_MEMORY_H

#include "core_version.h"

/* Where readability may change; pages may be larger.  */
#define GUEST_MEMORY_PAGE 4096

/* The end of the page that `address` is in.  */
static inline Addr guest_memory_page_end(Addr address)
{
   return (address | (GUEST_MEMORY_PAGE - 1)) + 1;
}

/* Calls `action(data)`, which may read the program's memory wherever it likes.  False if
   it met some that is not there: then it has ended in the middle, and must not have owned
   anything that is lost by that.  It may call this function itself.  */
Bool guest_memory_try(void (*action)(void* data), void* data);

/* Can all `size` bytes from `at` on be read?  */
Bool guest_memory_is_there(Addr at, SizeT size);

/* Copies `size` bytes from `from` on to `to`.  False if they cannot all be read; then
   `to` holds anything.  */
Bool guest_memory_copy(void* to, Addr from, SizeT size);

/* As guest_memory_is_there(), for a byte, and guest_memory_copy(); of code, which the
   core translates also where it may only be executed.  */
Bool guest_memory_code_is_there(Addr at);
Bool guest_memory_copy_code(void* to, Addr from, SizeT size);

/* Reads the word at `at`, which need not be aligned.  */
Bool guest_memory_word(Addr at, Addr* word);

/* Do these `size` bytes lie at `at`?  False also if that cannot be read.  */
Bool guest_memory_holds(Addr at, const void* bytes, SizeT size);

/* Sets *hash to that of the `size` bytes from `at` on (base/hash.h).  False if they
   cannot be read.  */
Bool guest_memory_hash(Addr at, SizeT size, ULong* hash);

/* The size of the text at `at`, with its end; 0 if it cannot be read, or has more than
   `most` bytes.  */
SizeT guest_memory_text_size(Addr at, SizeT most);

/* How a text of the program's was read.  */
typedef enum {
   TextWhole,
   TextTooLong, /* it is longer than was asked for: its beginning was read */
   TextUnreadable
} TextRead;

/* Sets *text to a copy of the text at `at`, of `most` bytes at most without the NUL, cut
   off in front of a character of UTF-8.  The caller frees it; NULL: it is unreadable.  */
TextRead guest_memory_text(const HChar* heap_name, Addr at, SizeT most, HChar** text);

#endif

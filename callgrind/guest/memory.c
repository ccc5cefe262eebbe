/* SPDX-License-Identifier: GPL-2.0-or-later

   Reading the program's memory; see memory.h.

   A fault of the tool makes the core call its fault catcher, if there is one, from the
   signal handler.  Ours jumps back to where reading began.  The core asserts that no
   generated code is running then, and means that the fault is not the program's; in a
   helper that generated code has called, it is running.  So it is told that none is.  */

#include "guest/memory.h"

#include "base/hash.h"
#include "base/host_control.h"
#include "core/generated_code.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcsetjmp.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_signals.h"

/* The innermost guest_memory_try() that is under way; NULL: none.  */
typedef struct Attempt {
   VG_MINIMAL_JMP_BUF(back);
   struct Attempt* outer;
} Attempt;
static Attempt* attempt;

static void on_fault(Int signal, Addr address)
{
   (void)signal;
   (void)address;
   VG_MINIMAL_LONGJMP(attempt->back);
}

/* The signals that the core has blocked while it does not wait in a system call: always
   these.  The handler that was left has blocked all.  */
static vki_sigset_t blocked;

static void learn_blocked(void)
{
   static Bool is_known;
   if (is_known)
      return;
   is_known = True;
   VG_(sigprocmask)(VKI_SIG_SETMASK, NULL, &blocked);
}

Bool guest_memory_try(void (*action)(void* data), void* data)
{
   Attempt this;
   const Bool in_code = VG_(in_generated_code);
   const UShort control = host_control();
   const fault_catcher_t catcher = VG_(set_fault_catcher)(on_fault);
   learn_blocked();
   this.outer = attempt;
   attempt = &this;
   VG_(in_generated_code) = False;
   const Bool is_done = VG_MINIMAL_SETJMP(this.back) == 0;
   if (is_done)
      action(data);
   else {
      VG_(sigprocmask)(VKI_SIG_SETMASK, &blocked, NULL);
      host_control_set(control);
   }
   VG_(in_generated_code) = in_code;
   attempt = this.outer;
   VG_(set_fault_catcher)(catcher);
   return is_done;
}

static Bool is_mapped(Addr at, SizeT size)
{
   return VG_(am_is_valid_for_client)(at, size, VKI_PROT_READ);
}

typedef struct {
   Addr at;
   SizeT size;
} Piece;

/* Reads a byte of each page.  */
static void touch(void* data)
{
   const Piece* piece = data;
   const Addr end = piece->at + piece->size;
   for (Addr at = piece->at; at < end; at = guest_memory_page_end(at))
      (void)*(const volatile UChar*)at;
}

Bool guest_memory_is_there(Addr at, SizeT size)
{
   Piece piece = {at, size};
   return is_mapped(at, size) && guest_memory_try(touch, &piece);
}

typedef struct {
   void* to;
   Addr from;
   SizeT size;
} Copy;

static void copy(void* data)
{
   const Copy* wanted = data;
   VG_(memcpy)(wanted->to, (const void*)wanted->from, wanted->size);
}

Bool guest_memory_copy(void* to, Addr from, SizeT size)
{
   Copy wanted = {to, from, size};
   return is_mapped(from, size) && guest_memory_try(copy, &wanted);
}

static Bool is_code(Addr at, SizeT size)
{
   return is_mapped(at, size) || VG_(am_is_valid_for_client)(at, size, VKI_PROT_EXEC);
}

Bool guest_memory_code_is_there(Addr at)
{
   Piece piece = {at, 1};
   return is_code(at, 1) && guest_memory_try(touch, &piece);
}

Bool guest_memory_copy_code(void* to, Addr from, SizeT size)
{
   Copy wanted = {to, from, size};
   return is_code(from, size) && guest_memory_try(copy, &wanted);
}

Bool guest_memory_word(Addr at, Addr* word)
{
   return guest_memory_copy(word, at, sizeof *word);
}

typedef struct {
   Addr at;
   const void* bytes;
   SizeT size;
   Bool are_same;
} Comparison;

static void compare(void* data)
{
   Comparison* wanted = data;
   wanted->are_same =
      VG_(memcmp)((const void*)wanted->at, wanted->bytes, wanted->size) == 0;
}

Bool guest_memory_holds(Addr at, const void* bytes, SizeT size)
{
   Comparison wanted = {at, bytes, size, False};
   return is_mapped(at, size) && guest_memory_try(compare, &wanted) && wanted.are_same;
}

typedef struct {
   Addr at;
   SizeT size;
   ULong hash;
} Hash;

static void compute_hash(void* data)
{
   Hash* wanted = data;
   wanted->hash = hash_bytes((const void*)wanted->at, wanted->size);
}

Bool guest_memory_hash(Addr at, SizeT size, ULong* hash)
{
   Hash wanted = {at, size, 0};
   if (!is_mapped(at, size) || !guest_memory_try(compute_hash, &wanted))
      return False;
   *hash = wanted.hash;
   return True;
}

/* The length of a text, looked for up to `end`.  */
typedef struct {
   Addr at, end;
   Bool is_found;
} Length;

static void find_nul(void* data)
{
   Length* wanted = data;
   for (; wanted->at < wanted->end; wanted->at++)
      if (*(const HChar*)wanted->at == '\0') {
         wanted->is_found = True;
         return;
      }
}

/* Looks for the end of the text, in `most` bytes or a page more.  False if it meets
   memory that cannot be read.  */
static Bool find_end(Length* length, SizeT most)
{
   const Addr start = length->at;
   while (!length->is_found && length->at - start < most) {
      length->end = guest_memory_page_end(length->at);
      if (!is_mapped(length->at, 1) || !guest_memory_try(find_nul, length))
         return False;
   }
   return True;
}

SizeT guest_memory_text_size(Addr at, SizeT most)
{
   Length length = {at, at, False};
   if (!find_end(&length, most) || !length.is_found)
      return 0;
   const SizeT size = length.at - at + 1;
   return size <= most ? size : 0;
}

/* The first of `n` bytes' last character if that is not whole; otherwise `n`.  */
static SizeT whole_characters(const HChar* text, SizeT n)
{
   SizeT start = n;
   while (start > 0 && n - start < 4 && ((UChar)text[start] & 0xc0) == 0x80)
      start--;
   return start;
}

TextRead guest_memory_text(const HChar* heap_name, Addr at, SizeT most, HChar** text)
{
   Length length = {at, at, False};
   *text = NULL;
   if (!find_end(&length, most + 1))
      return TextUnreadable;
   SizeT n = length.at - at;
   const Bool is_whole = length.is_found && n <= most;
   if (!is_whole)
      n = most;
   HChar* read = VG_(malloc)(heap_name, n + 2);
   if (!guest_memory_copy(read, at, is_whole ? n : n + 1)) {
      VG_(free)(read);
      return TextUnreadable;
   }
   if (!is_whole)
      n = whole_characters(read, n);
   read[n] = '\0';
   *text = read;
   return is_whole ? TextWhole : TextTooLong;
}

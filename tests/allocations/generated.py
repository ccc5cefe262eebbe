# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs that allocate at random and count for themselves what they allocate, free and
# hold, function by function.
#
# Owns: their source, which differs by the seed, and the form of what they print.  Each
# function has a share of the kinds of allocations; which one it makes, and which block is
# freed or resized, is drawn at run time.  All that allocates and its account are under
# one lock, so that also with threads the account is in the order in which it happened.
#
# The account has no block of its own, and what else allocates does so before START.  An
# exception is a block for as long as it is under way: that may be a peak.

"""Programs that know what they allocate."""

from __future__ import annotations

import random
from dataclasses import dataclass

# What a function does: one statement each; `n` is a size, `s` a slot of a block.
EMPTY = {
    "malloc": "put(s, malloc(n), n);",
    "calloc": "put(s, calloc(n, 3), n * 3);",
    "nothing": "put(s, malloc(0), 0);",
    "realloc_null": "put(s, realloc(NULL, n), n);",
    "aligned_alloc": "put(s, aligned_alloc(64, n * 64), n * 64);",
    "posix_memalign": (
        "void* block = NULL; if (posix_memalign(&block, 32, n) == 0) put(s, block, n);"
    ),
    "new": "put(s, ::operator new(n), n, ByDelete);",
    "new_array": "put(s, new char[n], n, ByDeleteArray);",
    "new_nothrow": "put(s, ::operator new(n, std::nothrow), n, ByDelete);",
    "new_aligned": (
        "put(s, ::operator new(n, std::align_val_t(64)), n, ByDeleteAligned);"
    ),
    "too_much": "if (malloc(too_much) != NULL) abort();",
    "too_many": "if (calloc(too_much, n + 2) != NULL) abort();",
    "bad_alloc": (
        "try { (void)::operator new(too_much); abort(); }"
        " catch (const std::bad_alloc&) { }"
    ),
    "bad_alignment": (
        "void* block; if (posix_memalign(&block, 3, n) == 0) abort();"
    ),
    "free_null": "free(NULL);",
}
FULL = {
    "free": "give(s);",
    "free_again": "give(s);",
    "resize": "change(s, n);",
    "resize_much": "change(s, n * 40);",
    "resize_too_much": "if (slots[s].kind == ByFree && "
    "realloc(slots[s].block, too_much) != NULL) abort();",
    "resize_array": "change_array(s, n, 5);",
}

HEAD = r"""
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "callgrind.h"

#define OPAQUE __attribute__((noipa))

enum Kind { ByFree, ByDelete, ByDeleteArray, ByDeleteAligned };

struct Slot {
   void* block;
   size_t size;
   int owner;
   Kind kind;
};

static Slot slots[SLOTS];
static unsigned long blocks[FUNCTIONS], bytes[FUNCTIONS], frees[FUNCTIONS];
static unsigned long held[FUNCTIONS], at_peak[FUNCTIONS], held_now, held_most;
static volatile size_t too_much = PTRDIFF_MAX / 2;
static __thread int current; /* the function that runs */
static __thread unsigned long state;

#define INLINE static inline __attribute__((always_inline))

INLINE unsigned draw(unsigned end)
{
   state = state * 6364136223846793005UL + 1442695040888963407UL;
   return (unsigned)(state >> 33) % end;
}

INLINE void look_for_peak(unsigned long besides)
{
   if (held_now + besides < held_most)
      return;
   held_most = held_now + besides;
   for (int i = 0; i < FUNCTIONS; i++)
      at_peak[i] = held[i];
}

INLINE void put(unsigned s, void* block, size_t size, Kind kind = ByFree)
{
   if (block == NULL)
      abort();
   slots[s] = {block, size, current, kind};
   blocks[current]++;
   bytes[current] += size;
   held[current] += size;
   held_now += size;
   look_for_peak(0);
}

INLINE void give(unsigned s)
{
   Slot slot = slots[s];
   slots[s].block = NULL;
   frees[current]++;
   held[slot.owner] -= slot.size;
   held_now -= slot.size;
   switch (slot.kind) {
   case ByFree: free(slot.block); break;
   case ByDelete: ::operator delete(slot.block, slot.size); break;
   case ByDeleteArray: delete[] (char*)slot.block; break;
   case ByDeleteAligned: ::operator delete(slot.block, std::align_val_t(64)); break;
   }
}

INLINE void changed(unsigned s, void* block, size_t size)
{
   if (block == NULL)
      abort();
   Slot* slot = &slots[s];
   bytes[current] += size > slot->size ? size - slot->size : 0;
   held[slot->owner] += size - slot->size;
   held_now += size - slot->size;
   slot->block = block;
   slot->size = size;
   look_for_peak(0);
}

INLINE void change(unsigned s, size_t size)
{
   if (slots[s].kind == ByFree)
      changed(s, realloc(slots[s].block, size), size);
}

INLINE void change_array(unsigned s, size_t count, size_t size)
{
   if (slots[s].kind == ByFree)
      changed(s, reallocarray(slots[s].block, count, size), count * size);
}

/* What __cxa_allocate_exception() takes for an int, with its header of 128 bytes.  */
#define EXCEPTION (128 + sizeof(int))

OPAQUE static void raise_exception()
{
   look_for_peak(EXCEPTION);
   throw 1;
}

static char text[1 << 16];
static size_t length;

static void print(const char* who)
{
   for (int i = 0; i < FUNCTIONS; i++)
      length += (size_t)sprintf(text + length, "%s f%d %lu %lu %lu %lu %lu\n", who, i,
                                blocks[i], bytes[i], frees[i], at_peak[i], held[i]);
   if (write(1, text, length) != (ssize_t)length)
      abort();
}
"""

TAIL = r"""
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begin, end;

static void work(unsigned long seed)
{
   state = seed * 2654435761UL + 12345;
   for (int round = 0; round < ROUNDS; round++) {
      pthread_mutex_lock(&lock);
      call(draw(FUNCTIONS), 0);
      pthread_mutex_unlock(&lock);
   }
}

static void* run(void* seed)
{
   pthread_barrier_wait(&begin);
   work((unsigned long)seed);
   pthread_barrier_wait(&end);
   return NULL;
}

/* What the child counts begins with nothing but what is held.  */
static void in_child()
{
   memset(blocks, 0, sizeof blocks);
   memset(bytes, 0, sizeof bytes);
   memset(frees, 0, sizeof frees);
   held_most = held_now;
   memcpy(at_peak, held, sizeof held);
   work(77);
   CALLGRIND_DUMP_STATS_AT("child");
   CALLGRIND_STOP_INSTRUMENTATION;
   print("child");
   _exit(0);
}

int main()
{
   pthread_t threads[THREADS + 1];
   /* What the first exception and the first print allocate besides.  */
   try {
      raise_exception();
   } catch (int) {
   }
   held_most = 0;
   memset(at_peak, 0, sizeof at_peak);
   pthread_barrier_init(&begin, NULL, THREADS + 1);
   pthread_barrier_init(&end, NULL, THREADS + 1);
   for (unsigned long i = 0; i < THREADS; i++)
      pthread_create(&threads[i], NULL, run, (void*)(i + 2));
   CALLGRIND_START_INSTRUMENTATION;
   pthread_barrier_wait(&begin);
   work(1);
   pthread_barrier_wait(&end);
   pid_t child = FORKS ? fork() : 1;
   if (child == 0)
      in_child();
   if (FORKS)
      waitpid(child, NULL, 0);
   CALLGRIND_DUMP_STATS_AT("parent");
   CALLGRIND_STOP_INSTRUMENTATION;
   print("parent");
   for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
   return 0;
}
"""


@dataclass(frozen=True)
class Generated:
    """A program, and how it is built."""

    source: str
    flags: tuple[str, ...]


def _function(number: int, n_functions: int, rng: random.Random) -> str:
    """One that makes some allocations, and calls others."""
    lines = [
        f"OPAQUE static void f{number}(int depth)",
        "{",
        f"   int caller = current; current = {number};",
        "   unsigned s = draw(SLOTS); size_t n = draw(300) + 1;",
        "   if (slots[s].block == NULL)",
        "      switch (draw(6)) {",
    ]
    for case, name in enumerate(rng.sample(sorted(EMPTY), 6)):
        lines.append(f"      case {case}: {{ {EMPTY[name]} break; }} // {name}")
    lines += ["      }", "   else", "      switch (draw(3)) {"]
    for case, name in enumerate(rng.sample(sorted(FULL), 3)):
        lines.append(f"      case {case}: {{ {FULL[name]} break; }} // {name}")
    lines.append("      }")
    callee = rng.randrange(n_functions)
    if rng.random() < 0.7:
        lines.append(f"   if (depth < 6 && draw(2)) f{callee}(depth + 1);")
    if rng.random() < 0.3:
        lines.append("   try { if (draw(4) == 0) raise_exception(); } catch (int) { }")
    if rng.random() < 0.4:
        lines.append("   if (slots[s].block != NULL) give(s);")
    lines += ["   current = caller;", "}", ""]
    return "\n".join(lines)


def generated(seed: int) -> Generated:
    """The program with this seed: the same on each machine."""
    rng = random.Random(seed)
    n = rng.randint(2, 12)
    constants = {
        "FUNCTIONS": n,
        "SLOTS": rng.choice((3, 20, 200)),
        "ROUNDS": rng.choice((50, 400)),
        "THREADS": rng.choice((0, 0, 1, 3)),
        "FORKS": rng.choice((0, 1)),
    }
    defines = "".join(f"#define {name} {value}\n" for name, value in constants.items())
    declared = "".join(f"OPAQUE static void f{i}(int depth);\n" for i in range(n))
    functions = "\n".join(_function(i, n, rng) for i in range(n))
    cases = "".join(f"   case {i}: f{i}(depth); break;\n" for i in range(n))
    call = (
        "static void call(unsigned which, int depth)\n{\n   switch (which) {\n"
        + cases
        + "   }\n}\n"
    )
    flags = [rng.choice(("-O0", "-O1", "-O2"))]
    if rng.random() < 0.3:
        flags.append("-static")
    source = defines + HEAD + declared + functions + call + TAIL
    return Generated(source, tuple(flags))

/* SPDX-License-Identifier: GPL-2.0-or-later

   An interpreter whose handlers jump to one another, for docs/flame-graphs.md: each ends
   with a sibling call of the next one.  The argument says how many rounds it runs.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
   const unsigned char* code;
   unsigned long accumulator, rounds;
} Machine;
typedef void Handler(Machine* machine);

enum { Load, Shift, Hash, Text, Loop };
static const unsigned char program[] = {Load, Shift, Hash, Text, Shift, Loop};
static const char words[] = "the quick brown fox jumps over the lazy dog";

static Handler op_load, op_shift, op_hash, op_text, op_loop;
static Handler* const handlers[] = {op_load, op_shift, op_hash, op_text, op_loop};

#define NEXT return handlers[*++machine->code](machine)

__attribute__((noinline)) static unsigned long hash(unsigned long value)
{
   for (int i = 0; i < 60; i++)
      value = (value ^ (value >> 7)) * 31 + (unsigned long)words[i % 43];
   return value;
}

__attribute__((noinline)) static unsigned long count(const char* text, unsigned long by)
{
   unsigned long n = by & 1;
   for (const char* word = text; *word != '\0'; word++)
      n += *word == ' ';
   return n;
}

static void op_load(Machine* machine)
{
   machine->accumulator += machine->rounds;
   NEXT;
}

static void op_shift(Machine* machine)
{
   for (int i = 1; i < 9; i++)
      machine->accumulator ^= machine->accumulator << i;
   NEXT;
}

static void op_hash(Machine* machine)
{
   machine->accumulator = hash(machine->accumulator);
   NEXT;
}

static void op_text(Machine* machine)
{
   machine->accumulator += count(words, machine->accumulator);
   NEXT;
}

static void op_loop(Machine* machine)
{
   if (--machine->rounds == 0)
      return;
   machine->code = program - 1;
   NEXT;
}

__attribute__((noinline)) static void interpret(Machine* machine)
{
   handlers[*machine->code](machine);
   machine->accumulator++;
}

int main(int argc, char** argv)
{
   Machine machine = {program, 1, argc > 1 ? strtoul(argv[1], NULL, 10) : 1000};
   interpret(&machine);
   printf("%lu\n", machine.accumulator);
   return 0;
}

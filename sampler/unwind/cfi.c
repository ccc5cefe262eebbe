/* SPDX-License-Identifier: GPL-2.0-or-later

   Call frame information; see cfi.h.  libdw executes the CFI program of a function up
   to an address, and says in which range the resulting rules hold.  They are kept in a
   form that is quick to apply.  Most frames of most samples are at addresses that were
   seen before, so a hash table by address comes first, and the ranges second.  */

#include "unwind/cfi.h"

#include "base/first_above.h"
#include "base/memory.h"
#include "code/debug_file.h"
#include "unwind/expression.h"

#include <dwarf.h>
#include <gelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
   uint64_t address;
   CfiRow* row; /* NULL: there are no rules */
   bool used;
} Slot;

/* A range of addresses with the same rules.  */
typedef struct {
   uint64_t start, end;
   CfiRow* row;
} RowRange;

struct CfiTable {
   Dwarf_CFI* eh_frame;
   Dwarf_CFI* debug_frame;
   bool debug_frame_sought;
   Slot* slots; /* a hash table, of a power of two */
   size_t slot_count, used;
   RowRange* ranges; /* sorted, none over another */
   size_t range_count, range_room;
   uint64_t* starts; /* of functions, sorted; from .eh_frame_hdr */
   size_t start_count;
   bool starts_read;
};

static CfiTable* table_of(Object* object)
{
   if (object->cfi == NULL) {
      object->cfi = memory_allocate(sizeof(CfiTable));
      object->cfi->slot_count = 256;
      object->cfi->slots = memory_allocate(256 * sizeof(Slot));
      if (object->elf != NULL)
         object->cfi->eh_frame = dwarf_getcfi_elf(object->elf);
   }
   return object->cfi;
}

static size_t hash_of(uint64_t address)
{
   return (size_t)((address * 0x9e3779b97f4a7c15ull) >> 20);
}

static Slot* slot_of(CfiTable* table, uint64_t address)
{
   size_t at = hash_of(address) & (table->slot_count - 1);
   while (table->slots[at].used && table->slots[at].address != address)
      at = (at + 1) & (table->slot_count - 1);
   return &table->slots[at];
}

static void grow(CfiTable* table)
{
   Slot* old = table->slots;
   size_t count = table->slot_count;
   table->slot_count *= 2;
   table->slots = memory_allocate(table->slot_count * sizeof(Slot));
   for (size_t i = 0; i < count; i++) {
      if (old[i].used)
         *slot_of(table, old[i].address) = old[i];
   }
   free(old);
}

/* Copies operations: libdw frees them together with its frame.  */
static void keep_expression(Rule* rule, const Dwarf_Op* operations, size_t count)
{
   if (count == 0 || count > UINT8_MAX) {
      rule->kind = RuleUndefined;
      return;
   }
   rule->kind = RuleExpression;
   rule->count = (uint8_t)count;
   rule->operations = memory_reallocate(NULL, count, sizeof *operations);
   memcpy(rule->operations, operations, count * sizeof *operations);
}

/* Reads a register's rule.  libdw gives all rules as expressions; this recognises the
   usual ones.  */
static void read_rule(Rule* rule, Dwarf_Frame* frame, int number)
{
   Dwarf_Op memory[3];
   Dwarf_Op* operations;
   size_t count;
   if (dwarf_frame_register(frame, number, memory, &operations, &count) != 0) {
      rule->kind = RuleUndefined;
   } else if (count == 0) {
      rule->kind = operations == NULL ? RuleSame : RuleUndefined;
      rule->number = number;
   } else if (operations[0].atom == DW_OP_call_frame_cfa &&
              (count == 1 || (count == 2 && operations[1].atom == DW_OP_plus_uconst))) {
      rule->kind = RuleMemory;
      rule->number = count == 2 ? (int64_t)operations[1].number : 0;
   } else if (operations[0].atom == DW_OP_call_frame_cfa &&
              operations[count - 1].atom == DW_OP_stack_value &&
              (count == 2 || (count == 3 && operations[1].atom == DW_OP_plus_uconst))) {
      rule->kind = RuleValue;
      rule->number = count == 3 ? (int64_t)operations[1].number : 0;
   } else {
      keep_expression(rule, operations, count);
   }
}

static CfiRow* read_row(Dwarf_Frame* frame, RowRange* range)
{
   CfiRow* row = memory_allocate(sizeof *row);
   Dwarf_Op* operations;
   size_t count;
   bool is_signal = false;
   int return_address = dwarf_frame_info(frame, NULL, &range->end, &is_signal);
   if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count == 0 ||
       return_address < 0 || return_address >= REGISTER_COUNT) {
      free(row);
      return NULL;
   }
   row->is_signal_frame = is_signal;
   unsigned atom = operations[0].atom;
   uint64_t number = atom == DW_OP_bregx ? operations[0].number : atom - DW_OP_breg0;
   if (count == 1 && number < REGISTER_COUNT &&
       (atom == DW_OP_bregx || (atom >= DW_OP_breg0 && atom <= DW_OP_breg31))) {
      row->cfa_register = (uint8_t)number;
      row->cfa.number =
         (int64_t)(atom == DW_OP_bregx ? operations[0].number2 : operations[0].number);
   } else {
      row->cfa_is_expression = true;
      keep_expression(&row->cfa, operations, count);
   }
   for (int i = 0; i < REGISTER_PC; i++)
      read_rule(&row->registers[i], frame, i);
   read_rule(&row->registers[REGISTER_PC], frame, return_address);
   return row;
}

static CfiRow* read_at(Dwarf_CFI* information, uint64_t address, RowRange* range)
{
   Dwarf_Frame* frame;
   if (information == NULL || dwarf_cfi_addrframe(information, address, &frame) != 0)
      return NULL;
   CfiRow* row = read_row(frame, range);
   free(frame);
   return row;
}

static CfiRow* read_anywhere(Object* object, CfiTable* table, uint64_t address,
                             RowRange* range)
{
   CfiRow* row = read_at(table->eh_frame, address, range);
   if (row != NULL)
      return row;
   if (!table->debug_frame_sought) {
      table->debug_frame_sought = true;
      table->debug_frame = debug_file_frames(object);
   }
   return read_at(table->debug_frame, address, range);
}

/* The index of the first range that ends above `address`.  */
static size_t range_position(const CfiTable* table, uint64_t address)
{
   return first_above(table->ranges, table->range_count, sizeof(RowRange),
                      offsetof(RowRange, end), address);
}

/* Keeps a range, which begins at the address that was looked up: after a
   DW_CFA_restore_state, libdw says that it begins earlier than it does.  */
static void keep_range(CfiTable* table, size_t at, RowRange range)
{
   if (at < table->range_count && table->ranges[at].start < range.end)
      range.end = table->ranges[at].start;
   if (range.end <= range.start)
      return;
   if (table->range_count == table->range_room) {
      table->range_room = table->range_room ? 2 * table->range_room : 64;
      table->ranges =
         memory_reallocate(table->ranges, table->range_room, sizeof(RowRange));
   }
   memmove(table->ranges + at + 1, table->ranges + at,
           (table->range_count - at) * sizeof(RowRange));
   table->ranges[at] = range;
   table->range_count++;
}

static CfiRow* look_up(Object* object, CfiTable* table, uint64_t address)
{
   size_t at = range_position(table, address);
   if (at < table->range_count && table->ranges[at].start <= address)
      return table->ranges[at].row;
   RowRange range = {.start = address};
   range.row = read_anywhere(object, table, address, &range);
   if (range.row != NULL)
      keep_range(table, at, range);
   return range.row;
}

const CfiRow* cfi_row(Object* object, uint64_t address)
{
   CfiTable* table = table_of(object);
   if (object->elf == NULL)
      return NULL;
   Slot* slot = slot_of(table, address);
   if (slot->used)
      return slot->row;
   CfiRow* row = look_up(object, table, address);
   *slot = (Slot){address, row, true};
   if (2 * ++table->used > table->slot_count)
      grow(table);
   return row;
}

/* Reads the search table that `data`, a .eh_frame_hdr at `address`, has as linkers
   write it: pairs of 32-bit distances from the section, of functions and their entries,
   sorted by function.  Other encodings are ignored.  */
static void read_search_table(CfiTable* table, const Elf_Data* data, uint64_t address)
{
   const uint8_t* bytes = data->d_buf;
   const uint8_t four_bytes = DW_EH_PE_udata4;
   const uint8_t sorted = DW_EH_PE_datarel | DW_EH_PE_sdata4;
   uint32_t entries;
   if (data->d_size < 12 || bytes[0] != 1 || (bytes[1] & 7) != (four_bytes & 7) ||
       bytes[2] != four_bytes || bytes[3] != sorted)
      return;
   memcpy(&entries, bytes + 8, sizeof entries);
   if (entries > (data->d_size - 12) / 8)
      return;
   table->starts = memory_reallocate(NULL, entries, sizeof *table->starts);
   for (uint32_t entry = 0; entry < entries; entry++) {
      int32_t distance;
      memcpy(&distance, bytes + 12 + 8 * (size_t)entry, sizeof distance);
      table->starts[entry] = address + (uint64_t)(int64_t)distance;
   }
   table->start_count = entries;
}

static void read_starts(Object* object, CfiTable* table)
{
   size_t count = 0;
   table->starts_read = true;
   if (object->elf == NULL || elf_getphdrnum(object->elf, &count) != 0)
      return;
   for (size_t i = 0; i < count; i++) {
      GElf_Phdr header;
      if (gelf_getphdr(object->elf, (int)i, &header) == NULL ||
          header.p_type != PT_GNU_EH_FRAME || header.p_filesz < 12)
         continue;
      const Elf_Data* data = elf_getdata_rawchunk(object->elf, (int64_t)header.p_offset,
                                                  header.p_filesz, ELF_T_BYTE);
      if (data != NULL)
         read_search_table(table, data, header.p_vaddr);
      return;
   }
}

bool cfi_function_start(Object* object, uint64_t address, uint64_t* start)
{
   CfiTable* table = table_of(object);
   if (!table->starts_read)
      read_starts(object, table);
   size_t next =
      first_above(table->starts, table->start_count, sizeof *table->starts, 0, address);
   if (next == 0 || cfi_row(object, address) == NULL)
      return false;
   *start = table->starts[next - 1];
   return true;
}

/* At the end of a function, a register that it has popped has its value again, while
   the rules may still say that it is on the stack: up to so many bytes below the stack
   pointer, which were not copied.  */
#define MAX_POPPED 128

static bool saved(unsigned number, MachineState* state, uint64_t address, uint64_t* value)
{
   if (address < state->stack_start && state->stack_start - address <= MAX_POPPED &&
       number != REGISTER_PC) {
      *value = state->registers[number];
      return machine_state_knows(state, number);
   }
   return machine_state_read(state, address, 8, value);
}

static bool apply(const Rule* rule, unsigned number, MachineState* state, uint64_t cfa,
                  uint64_t* value)
{
   bool is_value;
   switch (rule->kind) {
   case RuleSame:
      *value = state->registers[rule->number];
      return machine_state_knows(state, (unsigned)rule->number);
   case RuleMemory: return saved(number, state, cfa + (uint64_t)rule->number, value);
   case RuleValue: *value = cfa + (uint64_t)rule->number; return true;
   case RuleExpression:
      if (!expression_evaluate(rule->operations, rule->count, state, &cfa, value,
                               &is_value))
         return false;
      return is_value || machine_state_read(state, *value, 8, value);
   default: return false;
   }
}

/* The return address is in a register on some machines.  There it is the caller's program
   counter; what the register held in the caller before is lost: the call has overwritten
   it.  */
static void take_return_address(MachineState* state, bool is_signal)
{
   state->registers[REGISTER_PC] = register_plain_address(state->registers[REGISTER_PC]);
   if (!is_signal && REGISTER_LINK != REGISTER_PC)
      state->known &= ~KNOWN(REGISTER_LINK);
}

bool cfi_finds_frame(const CfiRow* row, const MachineState* state)
{
   return row->registers[REGISTER_PC].kind == RuleUndefined || row->cfa_is_expression ||
          machine_state_knows(state, row->cfa_register);
}

bool cfi_step(const CfiRow* row, MachineState* state, bool* is_last)
{
   uint64_t cfa;
   bool is_value;
   *is_last = row->registers[REGISTER_PC].kind == RuleUndefined;
   if (*is_last)
      return false;
   if (row->cfa_is_expression) {
      if (!expression_evaluate(row->cfa.operations, row->cfa.count, state, NULL, &cfa,
                               &is_value))
         return false;
   } else {
      if (!machine_state_knows(state, row->cfa_register))
         return false;
      cfa = state->registers[row->cfa_register] + (uint64_t)row->cfa.number;
   }
   uint64_t caller[REGISTER_COUNT];
   uint64_t known = 0;
   for (unsigned i = 0; i < REGISTER_COUNT; i++) {
      if (apply(&row->registers[i], i, state, cfa, &caller[i]))
         known |= KNOWN(i);
   }
   if ((known & KNOWN(REGISTER_PC)) == 0)
      return false;
   /* If there is no rule for the stack pointer, it was the CFA.  */
   if ((known & KNOWN(REGISTER_SP)) == 0) {
      caller[REGISTER_SP] = cfa;
      known |= KNOWN(REGISTER_SP);
   }
   memcpy(state->registers, caller, sizeof caller);
   state->known = known;
   take_return_address(state, row->is_signal_frame);
   return true;
}

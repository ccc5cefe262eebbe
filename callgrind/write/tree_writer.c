/* SPDX-License-Identifier: GPL-2.0-or-later

   See tree_writer.h.

   A node is written if anything was counted in it or below it.  The nodes of a tree are
   written depth first, and numbered in that order.  */

#include "write/tree_writer.h"

#include "model/calltree.h"
#include "options/options.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

static Output* output;

/* By id: 1 if it is defined already.  */
static UChar *has_function, *has_object, *has_file;

/* The sums of a tree, and of the document.  */
static ULong n_nodes, n_calls, sum[COST_MAX_EVENTS];
static ULong n_trees, n_all_nodes, sum_of_all[COST_MAX_EVENTS];

/*--------------------------------------------------------------------*/
/* Words                                                               */

static void word(const HChar* text)
{
   output_char(output, ' ');
   output_text(output, text);
}

static void number(ULong value)
{
   output_char(output, ' ');
   output_decimal(output, value);
}

static void escaped_char(HChar letter)
{
   static const HChar digits[] = "0123456789abcdef";
   UChar byte = (UChar)letter;
   if (letter == '\\')
      output_text(output, "\\\\");
   else if (byte < 32 || byte == 127) {
      output_text(output, "\\x");
      output_char(output, digits[byte >> 4]);
      output_char(output, digits[byte & 15]);
   } else
      output_char(output, letter);
}

static void escaped(const HChar* text)
{
   for (; *text != '\0'; text++)
      escaped_char(*text);
}

/* The text that ends a line.  */
static void text(const HChar* of)
{
   output_char(output, ' ');
   escaped(of);
   output_char(output, '\n');
}

static void costs(const ULong* cost)
{
   UInt n = cost_n_events();
   while (n > 0 && cost[n - 1] == 0)
      n--;
   for (UInt e = 0; e < n; e++)
      number(cost[e]);
   output_char(output, '\n');
}

/*--------------------------------------------------------------------*/
/* Header                                                              */

static const HChar* unit_of(UInt event)
{
   if ((cost_is_counted(EventCt) && event == cost_index(EventCt)) ||
       (cost_is_counted(EventCl) && event == cost_index(EventCl)) ||
       (cost_is_counted(EventCy) && event == cost_index(EventCy)))
      return "centicycles";
   if (cost_is_counted(EventSysCpuTime) && event == cost_index(EventSysCpuTime))
      return "nanoseconds";
   if (!cost_is_counted(EventSysTime) || event != cost_index(EventSysTime))
      return "count";
   switch (options.collect_systime) {
   case SystimeMsec: return "milliseconds";
   case SystimeUsec: return "microseconds";
   default: return "nanoseconds";
   }
}

static void write_header(void)
{
   output_text(output, "callgrind-tree 1\ncreator");
   text("callgrind-exact " CT_VERSION " (Valgrind " CORE_VERSION ")");
   output_text(output, "costs counted\n");
   for (UInt e = 0; e < cost_n_events(); e++) {
      output_text(output, "event");
      word(cost_event_name(e));
      word(unit_of(e));
      text(cost_event_meaning(e));
   }
   output_text(output, "process 1");
   number((ULong)VG_(getpid)());
   output_text(output, " 0 ");
   escaped(VG_(args_the_exename));
   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
      output_char(output, ' ');
      escaped(*(HChar**)VG_(indexXA)(VG_(args_for_client), i));
   }
   output_char(output, '\n');
}

static void write_part(const TreeHeader* header)
{
   output_text(output, "part");
   number(header->part);
   output_text(output, "\ntrigger");
   text(header->trigger);
   for (Word i = 0; i < VG_(sizeXA)(header->descriptions); i++) {
      output_text(output, "desc");
      text(*(const HChar**)VG_(indexXA)(header->descriptions, i));
   }
}

/*--------------------------------------------------------------------*/
/* Definitions                                                         */

static void hexadecimal(ULong value)
{
   output_char(output, ' ');
   output_hex(output, value);
}

static void write_mappings(const Object* object, UInt id)
{
   for (const Mapping* at = object->mappings; at != NULL; at = at->next) {
      output_text(output, "map 1");
      number(id);
      hexadecimal(at->start);
      hexadecimal(at->size);
      hexadecimal(at->offset);
      output_char(output, '\n');
   }
}

/* Each defines something if it is not yet defined, and returns its id in the file: the id
   in the model plus 1, or 0 if it is not known.  */
static UInt define_object(const Object* object)
{
   if (!symbols_is_object(object))
      return 0;
   if (!has_object[object->id]) {
      has_object[object->id] = True;
      output_text(output, "object");
      number(object->id + 1);
      word(object->build_id != NULL ? object->build_id : "-");
      text(object->path);
      write_mappings(object, object->id + 1);
   }
   return object->id + 1;
}

static UInt define_source(const SourceFile* file)
{
   if (!symbols_is_file(file))
      return 0;
   if (!has_file[file->id]) {
      has_file[file->id] = True;
      output_text(output, "source");
      number(file->id + 1);
      text(file->path);
   }
   return file->id + 1;
}

/* The id of a node's function in the file.  The ids of pruned nodes and of inlined
   functions come behind those of functions, which they are not in the model.  */
static UInt function_in_file(const TreeNode* node)
{
   UInt n = symbols_n_functions();
   if (node->kind == NodePruned)
      return n + 1;
   return node->kind == NodeInlined ? n + 2 + node->function : node->function;
}

static void define_name(UInt id, UInt object, UInt source, UInt line, const HChar* name)
{
   output_text(output, "function");
   number(id);
   number(object);
   number(source);
   number(line);
   text(name);
}

/* Where an inlined function begins is not known.  */
static void define_inlined(UInt id, const Inlined* inlined)
{
   UInt object = define_object(inlined->object);
   UInt source = inlined->file != NULL ? define_source(inlined->file) : 0;
   define_name(id, object, source, 0, inlined->name);
}

static void define_function(const TreeNode* node)
{
   UInt id = function_in_file(node);
   if (has_function[id])
      return;
   has_function[id] = True;
   if (node->kind == NodePruned) {
      define_name(id, 0, 0, 0, "[pruned]");
      return;
   }
   if (node->kind == NodeInlined) {
      define_inlined(id, inlined_by_id(node->function));
      return;
   }
   const Function* function = symbols_function(id);
   UInt object = define_object(function->object);
   UInt source = define_source(function->file);
   define_name(id, object, source, function->line, function->name);
   if (function->entry != SYMBOLS_NO_ENTRY) {
      output_text(output, "entry");
      number(id);
      hexadecimal(function->entry);
      output_char(output, '\n');
   }
}

/*--------------------------------------------------------------------*/
/* Nodes                                                               */

#define TO_BE_WRITTEN (~0u)

/* Marks nodes with a count, and those above them, with TO_BE_WRITTEN; the others get 0.
   False if there are none.  */
static Bool mark(TreeNode* root)
{
   Bool any = False;
   for (TreeNode* node = root; node != NULL; node = tree_node_next(root, node))
      node->number = 0;
   for (TreeNode* node = root; node != NULL; node = tree_node_next(root, node)) {
      if (node->calls == 0 && cost_is_zero(node->self))
         continue;
      any = True;
      for (TreeNode* up = node; up != root && up->number == 0; up = up->parent)
         up->number = TO_BE_WRITTEN;
   }
   return any;
}

static const HChar* kind_of(const TreeNode* node)
{
   if (node->kind == NodeInlined)
      return "i";
   if (node->kind == NodeSkipped)
      return "s";
   if (node->kind == NodePruned)
      return "p";
   return symbols_is_jit_function(symbols_function(node->function)) ? "j" : "";
}

static void write_node(TreeNode* node)
{
   node->number = (UInt)++n_nodes;
   output_text(output, kind_of(node));
   output_decimal(output,
                  node->parent->number == 0 ? 0 : node->number - node->parent->number);
   number(function_in_file(node));
   number(node->calls);
   costs(node->self);
   n_calls += node->calls;
   cost_add(sum, node->self);
}

static void write_tree(UInt thread)
{
   TreeNode* root = calltree_of_thread(thread);
   if (root == NULL || !mark(root))
      return;
   output_text(output, "thread");
   number(thread);
   output_text(output, " 1");
   number(thread);
   text("");
   for (TreeNode* node = root; node != NULL; node = tree_node_next(root, node))
      if (node->number == TO_BE_WRITTEN)
         define_function(node);

   output_text(output, "tree");
   number(thread);
   output_char(output, '\n');
   n_nodes = n_calls = 0;
   cost_zero(sum);
   for (TreeNode* node = root; node != NULL; node = tree_node_next(root, node))
      if (node->number == TO_BE_WRITTEN)
         write_node(node);
   output_text(output, "total");
   number(n_nodes);
   number(n_calls);
   costs(sum);
   n_trees++;
   n_all_nodes += n_nodes;
   cost_add(sum_of_all, sum);
}

void tree_writer_write(Output* to, const TreeHeader* header)
{
   output = to;
   n_trees = n_all_nodes = 0;
   cost_zero(sum_of_all);
   has_function =
      VG_(calloc)("tree.functions", symbols_n_functions() + inlined_count() + 2, 1);
   has_object = VG_(calloc)("tree.objects", symbols_n_objects() + 1, 1);
   has_file = VG_(calloc)("tree.files", symbols_n_files() + 1, 1);
   write_header();
   write_part(header);
   for (UInt thread = 1; thread < VG_N_THREADS; thread++)
      if (header->thread == 0 || header->thread == thread)
         write_tree(thread);
   output_text(output, "end");
   number(n_trees);
   number(n_all_nodes);
   costs(sum_of_all);
   VG_(free)(has_function);
   VG_(free)(has_object);
   VG_(free)(has_file);
}

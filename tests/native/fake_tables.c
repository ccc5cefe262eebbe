/* SPDX-License-Identifier: GPL-2.0-or-later

   Valgrind's hash tables and ordered sets, and a few more of its functions, for parts
   of the tool that are built for this host (fake_core.c has the rest).  They take
   as many steps as the core's do, but for a factor: tests count steps.

   What fake_core.c has too, that one is taken.  */

#include "core_version.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

WEAK void* VG_(calloc)(const HChar* name, SizeT n, SizeT size)
{
   (void)name;
   return calloc(n, size);
}

WEAK HChar* VG_(strrchr)(const HChar* text, HChar c) { return strrchr(text, c); }
WEAK const HChar* VG_(clo_extra_debuginfo_path);

WEAK void* VG_(perm_malloc)(SizeT size, Int alignment)
{
   (void)alignment;
   return malloc(size);
}

WEAK void* VG_(memset)(void* to, Int byte, SizeT size) { return memset(to, byte, size); }

WEAK Int VG_(memcmp)(const void* a, const void* b, SizeT size)
{
   return memcmp(a, b, size);
}

WEAK void VG_(assert_fail)(Bool is_core, const HChar* expression, const HChar* file,
                           Int line, const HChar* function, const HChar* format, ...)
{
   (void)is_core, (void)format;
   fprintf(stderr, "%s:%d: %s: %s\n", file, line, function, expression);
   abort();
}

WEAK UInt VG_(umsg)(const HChar* format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   int written = vfprintf(stderr, format, arguments);
   va_end(arguments);
   return (UInt)written;
}

WEAK UInt VG_(sprintf)(HChar* to, const HChar* format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   int written = vsprintf(to, format, arguments);
   va_end(arguments);
   return (UInt)written;
}

static SysRes result_of(int value)
{
   SysRes result;
   memset(&result, 0, sizeof result);
   result._isError = value < 0;
   result._val = (UWord)(value < 0 ? errno : value);
   return result;
}

WEAK SysRes VG_(open)(const HChar* path, Int flags, Int mode)
{
   return result_of(open(path, flags, mode));
}

WEAK Int VG_(read)(Int fd, void* bytes, Int size)
{
   return (Int)read(fd, bytes, (size_t)size);
}

WEAK void VG_(close)(Int fd) { close(fd); }

WEAK SysRes VG_(stat)(const HChar* path, struct vg_stat* status)
{
   struct stat found;
   int failed = stat(path, &found);
   memset(status, 0, sizeof *status);
   if (failed == 0) {
      status->mode = found.st_mode;
      status->size = found.st_size;
   }
   return result_of(failed);
}

WEAK Int VG_(geteuid)(void) { return (Int)geteuid(); }

WEAK Int VG_(fstat)(Int fd, struct vg_stat* status)
{
   struct stat found;
   if (fstat(fd, &found) != 0)
      return -1;
   memset(status, 0, sizeof *status);
   status->mode = found.st_mode;
   status->uid = found.st_uid;
   status->size = found.st_size;
   return 0;
}

/*--------------------------------------------------------------------*/
/* Hash tables                                                         */

struct _VgHashTable {
   VgHashNode** chains;
   UWord n_chains;
   UInt n_nodes;
   UWord next_chain; /* of the walk through all nodes */
   VgHashNode* next_node;
};

VgHashTable* VG_(HT_construct)(const HChar* name)
{
   (void)name;
   VgHashTable* table = calloc(1, sizeof *table);
   table->n_chains = 769;
   table->chains = calloc(table->n_chains, sizeof *table->chains);
   return table;
}

static void grow_table(VgHashTable* table)
{
   UWord n_chains = table->n_chains * 2 + 1;
   VgHashNode** chains = calloc(n_chains, sizeof *chains);
   for (UWord i = 0; i < table->n_chains; i++)
      for (VgHashNode *node = table->chains[i], *next; node != NULL; node = next) {
         next = node->next;
         node->next = chains[node->key % n_chains];
         chains[node->key % n_chains] = node;
      }
   free(table->chains);
   table->chains = chains;
   table->n_chains = n_chains;
}

void VG_(HT_add_node)(VgHashTable* table, void* new_node)
{
   VgHashNode* node = new_node;
   node->next = table->chains[node->key % table->n_chains];
   table->chains[node->key % table->n_chains] = node;
   if (++table->n_nodes > table->n_chains)
      grow_table(table);
}

/* What points to the node; to NULL if there is none.  */
static VgHashNode** find_node(const VgHashTable* table, const VgHashNode* sought,
                              HT_Cmp_t compare)
{
   VgHashNode** link = &table->chains[sought->key % table->n_chains];
   while (*link != NULL && ((*link)->key != sought->key ||
                            (compare != NULL && compare(sought, *link) != 0)))
      link = &(*link)->next;
   return link;
}

static void* remove_node(VgHashTable* table, const VgHashNode* sought, HT_Cmp_t compare)
{
   VgHashNode** link = find_node(table, sought, compare);
   VgHashNode* node = *link;
   if (node != NULL) {
      *link = node->next;
      table->n_nodes--;
   }
   return node;
}

void* VG_(HT_lookup)(const VgHashTable* table, UWord key)
{
   const VgHashNode sought = {NULL, key};
   return *find_node(table, &sought, NULL);
}

void* VG_(HT_remove)(VgHashTable* table, UWord key)
{
   const VgHashNode sought = {NULL, key};
   return remove_node(table, &sought, NULL);
}

void* VG_(HT_gen_lookup)(const VgHashTable* table, const void* node, HT_Cmp_t compare)
{
   return *find_node(table, node, compare);
}

void* VG_(HT_gen_remove)(VgHashTable* table, const void* node, HT_Cmp_t compare)
{
   return remove_node(table, node, compare);
}

UInt VG_(HT_count_nodes)(const VgHashTable* table) { return table->n_nodes; }

void VG_(HT_ResetIter)(VgHashTable* table)
{
   table->next_chain = 0;
   table->next_node = NULL;
}

void* VG_(HT_Next)(VgHashTable* table)
{
   while (table->next_node == NULL && table->next_chain < table->n_chains)
      table->next_node = table->chains[table->next_chain++];
   VgHashNode* node = table->next_node;
   if (node != NULL)
      table->next_node = node->next;
   return node;
}

void VG_(HT_destruct)(VgHashTable* table, void (*release)(void*))
{
   VgHashNode* node;
   VG_(HT_ResetIter)(table);
   while ((node = VG_(HT_Next)(table)) != NULL)
      release(node);
   free(table->chains);
   free(table);
}

/*--------------------------------------------------------------------*/
/* Ordered sets: treaps                                                */

typedef struct Member {
   struct Member *left, *right;
   unsigned weight; /* at random; no member's is above its parent's */
   _Alignas(16) UChar element[];
} Member;

struct _OSet {
   PtrdiffT key_offset;
   OSetCmp_t compare;
   Member* root;
   UInt n;
};

static Member* member_of(const void* element)
{
   return (Member*)((UChar*)(UWord)element - offsetof(Member, element));
}

OSet* VG_(OSetGen_Create)(PtrdiffT key_offset, OSetCmp_t compare, Alloc_Fn_t allocate,
                          const HChar* name, Free_Fn_t release)
{
   (void)allocate, (void)name, (void)release;
   OSet* set = calloc(1, sizeof *set);
   set->key_offset = key_offset;
   set->compare = compare;
   return set;
}

void* VG_(OSetGen_AllocNode)(const OSet* set, SizeT size)
{
   (void)set;
   static unsigned last = 1;
   Member* member = calloc(1, sizeof *member + size);
   member->weight = last = last * 1664525u + 1013904223u;
   return member->element;
}

void VG_(OSetGen_FreeNode)(const OSet* set, void* element)
{
   (void)set;
   free(member_of(element));
}

static Member* joined(Member* left, Member* right)
{
   if (left == NULL || right == NULL)
      return left != NULL ? left : right;
   if (left->weight > right->weight) {
      left->right = joined(left->right, right);
      return left;
   }
   right->left = joined(left, right->left);
   return right;
}

/* Divides the members: those below `key`, and those above.  */
static void divide(const OSet* set, Member* member, const void* key, Member** below,
                   Member** above)
{
   if (member == NULL)
      *below = *above = NULL;
   else if (set->compare(key, member->element) < 0) {
      *above = member;
      divide(set, member->left, key, below, &member->left);
   } else {
      *below = member;
      divide(set, member->right, key, &member->right, above);
   }
}

static Member* with(const OSet* set, Member* member, Member* added)
{
   const void* key = added->element + set->key_offset;
   if (member == NULL || added->weight > member->weight) {
      divide(set, member, key, &added->left, &added->right);
      return added;
   }
   if (set->compare(key, member->element) < 0)
      member->left = with(set, member->left, added);
   else
      member->right = with(set, member->right, added);
   return member;
}

void VG_(OSetGen_Insert)(OSet* set, void* element)
{
   set->root = with(set, set->root, member_of(element));
   set->n++;
}

void* VG_(OSetGen_Lookup)(const OSet* set, const void* key)
{
   Member* member = set->root;
   while (member != NULL) {
      Word order = set->compare(key, member->element);
      if (order == 0)
         return member->element;
      member = order < 0 ? member->left : member->right;
   }
   return NULL;
}

void* VG_(OSetGen_Remove)(OSet* set, const void* key)
{
   Member** link = &set->root;
   while (*link != NULL) {
      Member* member = *link;
      Word order = set->compare(key, member->element);
      if (order == 0) {
         *link = joined(member->left, member->right);
         member->left = member->right = NULL;
         set->n--;
         return member->element;
      }
      link = order < 0 ? &member->left : &member->right;
   }
   return NULL;
}

UInt VG_(OSetGen_Size)(const OSet* set) { return set->n; }

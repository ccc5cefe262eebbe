/* SPDX-License-Identifier: GPL-2.0-or-later

   See qualified_name.h.

   A function or class may have several entries: for the code, for what all its code has
   in common (the abstract origin), and for the declaration in its class (the
   specification); each refers to the next one.  The last one that has a name lies in the
   scopes that the name is qualified by, and has the parameters of a template.

   The entries may say anything: each loop over them is bounded.  */

#include "names/qualified_name.h"

#include "names/lambda_numbers.h"
#include "names/named_entry.h"

#include <stddef.h>

#define MOST_SCOPES 64    /* that a name is qualified by */
#define LONGEST_NAME 4096 /* of one that is put together */

/* A name that grows to the left.  */
typedef struct {
   char text[LONGEST_NAME];
   size_t begin;
} LongName;

/* Of a text that is too long, its end.  */
static void put_before(LongName* name, const char* text, size_t length)
{
   if (length > name->begin) {
      text += length - name->begin;
      length = name->begin;
   }
   name->begin -= length;
   for (size_t i = 0; i < length; i++)
      name->text[name->begin + i] = text[i];
}

static void put_text_before(LongName* name, const char* text)
{
   size_t length = 0;
   while (text[length] != '\0')
      length++;
   put_before(name, text, length);
}

static void put_number_before(LongName* name, unsigned number)
{
   do {
      char digit = (char)('0' + number % 10);
      put_before(name, &digit, 1);
      number /= 10;
   } while (number > 0);
}

static void put_lambda_before(LongName* name, unsigned number)
{
   put_text_before(name, ">");
   put_number_before(name, number);
   put_text_before(name, "<lambda#");
}

/* The name that an entry has, with lambdas in it by their numbers.  */
static void put_own_before(LongName* name, const EntryReader* entries, Entry entry,
                           const char* text)
{
   LambdaNumbers found = lambda_numbers_of(entries, entry, text);
   size_t end = 0;
   while (text[end] != '\0')
      end++;
   while (found.n > 0) {
      const NumberedLambda* last = &found.lambdas[--found.n];
      put_before(name, text + last->end, end - last->end);
      put_lambda_before(name, last->number);
      end = last->begin;
   }
   put_before(name, text, end);
}

/* gcc gives the class of a lambda no name, and nothing in it a line.  */
static void put_nameless_before(LongName* name, const EntryReader* entries, Entry entry,
                                unsigned tag)
{
   static const char call[] = "::operator()";
   size_t same = 0;
   while (call[same] != '\0' && name->text[name->begin + same] == call[same])
      same++;
   if (tag == TagNamespace)
      put_text_before(name, "(anonymous namespace)");
   else if (call[same] == '\0')
      put_lambda_before(name, entries->number(entry));
   else
      put_text_before(name, "(anonymous)");
}

const char* qualified_name(const EntryReader* entries, Entry function, Entry* scope)
{
   static LongName name;
   NamedEntry named = named_entry_of(entries, function);
   *scope = (Entry){NULL, 0};
   if (named.name == NULL)
      return NULL;
   name.begin = LONGEST_NAME - 1;
   put_own_before(&name, entries, named.entry, named.name);
   for (unsigned n = 0; n < MOST_SCOPES; n++) {
      Entry outer = entries->scope(named.entry);
      if (outer.unit == NULL)
         break;
      if (n == 0)
         *scope = outer;
      named = named_entry_of(entries, outer);
      put_text_before(&name, "::");
      if (named.name != NULL)
         put_own_before(&name, entries, named.entry, named.name);
      else
         put_nameless_before(&name, entries, named.entry, named.tag);
      if (named.entry.unit == NULL)
         break;
   }
   return name.text + name.begin;
}

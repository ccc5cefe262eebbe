/* SPDX-License-Identifier: GPL-2.0-or-later

   See lambda_numbers.h.

   gcc names what a template makes of a lambda by the lambda's type:

      apply<main(int, char**)::<lambda(int)> >

   Which lambda that is, the types of the template's parameters say.  They are walked in
   the order in which their parts stand in the name: of a class or function first what it
   lies in, then what it was made of, then what it is called with.  So the n-th lambda
   that is met is the n-th one in the text.  */

#include "names/lambda_numbers.h"

#include "names/named_entry.h"

/* So many entries are looked at for one name.  */
#define MOST_STEPS 4096

/* The text of a longer one is left as it is.  */
#define LONGEST_TEXT 4096

/* Types that consist of types are followed so far.  */
#define DEEPEST 64

typedef struct {
   const EntryReader* entries;
   LambdaNumbers* found;
   unsigned wanted; /* how many there are in the text */
   unsigned met;
   unsigned steps, depth;
   bool is_lambda; /* the class that is looked at */
} Search;

static void meet_type(Search* search, Entry type);
static void meet_owner(Search* search, Entry entry);

static bool starts_with(const char* text, const char* beginning)
{
   while (*beginning != '\0')
      if (*text++ != *beginning++)
         return false;
   return true;
}

static bool is_over(Search* search)
{
   return search->met == search->wanted || search->steps++ >= MOST_STEPS;
}

/*--------------------------------------------------------------------*/
/* Parameters                                                          */

static bool meet_template_parameter(void* to, Entry child, const EntryFacts* facts)
{
   Search* search = to;
   switch (facts->tag) {
   case TagTemplateType:
   case TagTemplateValue: meet_type(search, facts->type); break;
   case TagTemplatePack:
      search->entries->children(child, meet_template_parameter, to);
      break;
   default: break;
   }
   return !is_over(search);
}

/* Parameters of both kinds stand before a function's body.  */
static bool is_parameter(const EntryFacts* facts)
{
   return facts->tag == TagParameter || facts->tag == TagTemplateType ||
          facts->tag == TagTemplateValue || facts->tag == TagTemplateTemplate ||
          facts->tag == TagTemplatePack;
}

static bool meet_template_parameter_of_function(void* to, Entry child,
                                                const EntryFacts* facts)
{
   return is_parameter(facts) && meet_template_parameter(to, child, facts);
}

static bool meet_parameter(void* to, Entry child, const EntryFacts* facts)
{
   (void)child;
   if (facts->tag == TagParameter && !facts->is_artificial)
      meet_type(to, facts->type);
   return is_parameter(facts) && !is_over(to);
}

static void meet_template_parameters(Search* search, const NamedEntry* named)
{
   search->entries->children(named->entry,
                             named->tag == TagSubprogram
                                ? meet_template_parameter_of_function
                                : meet_template_parameter,
                             search);
}

/*--------------------------------------------------------------------*/
/* Types                                                               */

static bool note_lambda(void* to, Entry child, const EntryFacts* facts)
{
   (void)child;
   Search* search = to;
   search->is_lambda =
      facts->tag == TagSubprogram && facts->name != NULL &&
      (starts_with(facts->name, "operator()") || starts_with(facts->name, "<lambda"));
   return !search->is_lambda && !is_over(search);
}

/* Its class has no name, and a call, or what constructs it; a nameless structure that
   typedef names has neither.  */
static bool is_lambda(Search* search, const NamedEntry* named)
{
   search->is_lambda = false;
   if (named->name == NULL && (named->tag == TagStructure || named->tag == TagClass))
      search->entries->children(named->entry, note_lambda, search);
   return search->is_lambda;
}

static void meet_lambda(Search* search, Entry entry)
{
   if (search->met < search->wanted)
      search->found->lambdas[search->met++].number = search->entries->number(entry);
}

/* A class or function, as it is called where a name contains it.  */
static void meet_named(Search* search, Entry entry)
{
   NamedEntry named = named_entry_of(search->entries, entry);
   if (named.entry.unit == NULL || named.tag == TagNamespace)
      return;
   Entry scope = search->entries->scope(named.entry);
   NamedEntry owner = named_entry_of(search->entries, scope);
   meet_owner(search, scope);
   if (is_lambda(search, &named))
      meet_lambda(search, named.entry);
   else if (named.tag != TagSubprogram)
      meet_template_parameters(search, &named);
   else if (!is_lambda(search, &owner)) { /* the call of one is shown as the lambda */
      meet_template_parameters(search, &named);
      search->entries->children(named.entry, meet_parameter, search);
   }
}

static void meet_owner(Search* search, Entry entry)
{
   if (entry.unit == NULL || search->depth == DEEPEST || is_over(search))
      return;
   search->depth++;
   meet_named(search, entry);
   search->depth--;
}

static void meet_function_type(Search* search, Entry type, Entry returned, Entry owner)
{
   meet_type(search, returned);
   meet_owner(search, owner);
   search->entries->children(type, meet_parameter, search);
}

static void meet_type_of(Search* search, Entry type, const EntryFacts* facts)
{
   EntryFacts member;
   switch (facts->tag) {
   case TagArray:
   case TagPointer:
   case TagReference:
   case TagRvalueReference:
   case TagTypedef:
   case TagConst:
   case TagVolatile: meet_type(search, facts->type); break;
   case TagFunctionType:
      meet_function_type(search, type, facts->type, (Entry){NULL, 0});
      break;
   case TagMemberPointer:
      if (search->entries->read(facts->type, &member) && member.tag == TagFunctionType)
         meet_function_type(search, facts->type, member.type, facts->owner);
      else {
         meet_type(search, facts->type);
         meet_owner(search, facts->owner);
      }
      break;
   default:
      if (entry_is_scope(facts->tag))
         meet_owner(search, type);
   }
}

static void meet_type(Search* search, Entry type)
{
   EntryFacts facts;
   if (type.unit == NULL || search->depth == DEEPEST || is_over(search) ||
       !search->entries->read(type, &facts))
      return;
   search->depth++;
   meet_type_of(search, type, &facts);
   search->depth--;
}

/*--------------------------------------------------------------------*/
/* Text                                                                */

/* Where the text of a lambda ends, such as `<lambda(int)>`, that begins at `at`; 0 if
   none does.  */
static size_t end_of_lambda(const char* text, size_t at)
{
   static const char beginning[] = "<lambda(";
   if (!starts_with(text + at, beginning))
      return 0;
   unsigned open = 1;
   at += sizeof beginning - 1;
   for (size_t begin = at; open > 0; at++) {
      if (text[at] == '\0' || at - begin > LONGEST_TEXT)
         return 0;
      open += text[at] == '(';
      open -= text[at] == ')';
   }
   return text[at] == '>' ? at + 1 : 0;
}

LambdaNumbers lambda_numbers_of(const EntryReader* entries, Entry entry, const char* text)
{
   LambdaNumbers found;
   found.n = 0;
   for (size_t at = 0; text[at] != '\0' && found.n < MOST_LAMBDAS;) {
      size_t end = end_of_lambda(text, at);
      if (end != 0)
         found.lambdas[found.n++] = (NumberedLambda){at, end, 0};
      at = end != 0 ? end : at + 1;
   }
   if (found.n == 0)
      return found;
   Search search = {.entries = entries, .found = &found, .wanted = found.n};
   NamedEntry named = named_entry_of(entries, entry);
   meet_template_parameters(&search, &named);
   found.n = search.met;
   return found;
}

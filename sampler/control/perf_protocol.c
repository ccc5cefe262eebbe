/* SPDX-License-Identifier: GPL-2.0-or-later

   perf's words; see perf_protocol.h.  As perf does, we look at how a word begins, so that
   "ping\r" is a ping.  perf answers no word that it does not know, and whoever waits for
   that waits for ever; we answer it, and tell the user.  */

#include "control/perf_protocol.h"

#include "base/message.h"

#include <string.h>

/* A longer word is none; its end is passed over.  */
#define LONGEST_WORD 256
/* After so many messages about words, clients have had their say.  */
#define MOST_COMPLAINTS 10

typedef enum {
   WordEnable,
   WordDisable,
   WordPing,
   WordStop,
   WordEvlist,
   WordSnapshot,
   WordUnknown
} Word;

static const char* const words[WordUnknown] = {
   [WordEnable] = "enable", [WordDisable] = "disable", [WordPing] = "ping",
   [WordStop] = "stop",     [WordEvlist] = "evlist",   [WordSnapshot] = "snapshot",
};

static const ControlActions* actions;
static const char* where;
static void (*answer)(const void* bytes, size_t size);
static char pending[LONGEST_WORD];
static size_t pending_size;
static bool is_too_long;
static unsigned complaints;

void perf_protocol_begin(const ControlActions* whom, const char* fifo,
                         void (*answer_by)(const void* bytes, size_t size))
{
   actions = whom;
   where = fifo;
   answer = answer_by;
}

/* --- Words -------------------------------------------------------------------------- */

static bool may_complain(void)
{
   if (complaints == MOST_COMPLAINTS)
      message_print("%s: of further words that make no sense nothing is said", where);
   return complaints++ < MOST_COMPLAINTS;
}

static Word find_word(const char* text)
{
   for (Word word = 0; word < WordUnknown; word++) {
      if (strncmp(text, words[word], strlen(words[word])) == 0)
         return word;
   }
   return WordUnknown;
}

/* Whether the piece may be the beginning of a word.  */
static bool begins_word(const char* piece, size_t size)
{
   for (Word word = 0; word < WordUnknown; word++) {
      if (size < strlen(words[word]) && memcmp(piece, words[word], size) == 0)
         return true;
   }
   return false;
}

/* "enable EVENT": there is one event, whose name may have modifiers (cycles:u).  */
static bool is_our_event(const char* rest)
{
   const char* name = actions->event();
   size_t size = strlen(name);
   if (rest[0] != ' ' || rest[1] == '\0')
      return true;
   if (strncmp(rest + 1, name, size) == 0 &&
       strchr(": \r\t", rest[1 + size]) != NULL) /* its NUL, too */
      return true;
   if (may_complain())
      message_print("%s: '%.40s': there is no such event; it is %s", where, rest + 1,
                    name);
   return false;
}

static void switch_sampling(Word word, const char* rest)
{
   if (is_our_event(rest))
      actions->switch_sampling(word == WordEnable);
}

static void do_word(void)
{
   pending[pending_size] = '\0';
   Word word = is_too_long ? WordUnknown : find_word(pending);
   switch (word) {
   case WordEnable:
   case WordDisable: switch_sampling(word, pending + strlen(words[word])); break;
   case WordPing: break;
   case WordStop: actions->stop(); break;
   case WordEvlist: message_print("%s: the event is %s", where, actions->event()); break;
   case WordSnapshot: break; /* of a hardware trace, of which there is none */
   case WordUnknown:
      if (may_complain())
         message_print("%s: '%.40s' is not understood; there are enable, disable, ping "
                       "and stop",
                       where, pending);
      break;
   }
   /* perf sends the NUL, too; its clients expect it.  */
   answer("ack\n", 5);
}

static void end_word(void)
{
   /* Nothing stands between a line feed and the NUL that senders in C add.  */
   if (pending_size != 0)
      do_word();
   pending_size = 0;
   is_too_long = false;
}

/* --- Bytes -------------------------------------------------------------------------- */

void perf_protocol_take(const char* bytes, size_t size)
{
   for (size_t i = 0; i < size; i++) {
      if (bytes[i] == '\n' || bytes[i] == '\0')
         end_word();
      else if (pending_size < sizeof pending - 1)
         pending[pending_size++] = bytes[i];
      else
         is_too_long = true;
   }
}

void perf_protocol_pause(void)
{
   if (!begins_word(pending, pending_size))
      end_word();
}

void perf_protocol_gone(void) { end_word(); }

/* SPDX-License-Identifier: GPL-2.0-or-later

   The way out of all that this program does not read: it ends, and whoever started it has
   the file read by callgrind_report's own reader, which knows each message about it.  So
   nothing here has to know what a damaged file is, and no file is read in two ways.  */

#ifndef READER_GIVE_UP_H
#define READER_GIVE_UP_H

/* The exit status of a program that has given up.  */
#define GIVE_UP_STATUS 3

/* Says which line the reading has come to, counted from 1, for the message.  */
void give_up_line(unsigned long line);

/* Ends the program, with one line on stderr that says where and why.  */
_Noreturn void give_up(const char* why);

#endif

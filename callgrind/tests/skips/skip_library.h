/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   What libskip_library.so, the library that tests fold away, offers to programs.
*/

#ifndef SKIP_LIBRARY_H
#define SKIP_LIBRARY_H

typedef void (*Callback)(void);

/* Calls `callback` once, two of its own functions deep, between two calls of a function
   of its own that costs 100.  */
void lib_call(Callback callback);

/* As lib_call(), measured: its own functions issue START and STOP.  */
void lib_measure(Callback callback);

/* Issue START and STOP.  */
void lib_start(void);
void lib_stop(void);

/* Goes `depth` calls deep, by itself, and calls `at_bottom` there; calls `on_return` in
   each of the frames on the way back.  */
void lib_descend(int depth, Callback at_bottom, Callback on_return);

/* Start routine of a thread: calls the callback it is given, goes through lib_call with
   it, and returns.  */
void* lib_thread(void* callback);

/* Jumps to `callback` as its last act, after a call of a function of its own.  */
void lib_jump(Callback callback);

/* Sends the thread a signal in the midst of its own code, 2 calls deep, goes on for a
   while and then calls `callback`.  */
void lib_disturbed(long pid, long signal, Callback callback);

/* A signal handler that calls `lib_in_handler` of the program.  */
void lib_handler(int signal);
extern Callback lib_in_handler;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later

   The core's lock, which the thread has that runs guest code: its calls for it are led
   here (--wrap), and to who is to be asked first.  */

#ifndef CALLGRIND_THREAD_LOCK_H
#define CALLGRIND_THREAD_LOCK_H

#include "core_version.h"

typedef struct {
   void (*made)(void);     /* at the start, and in a forked child */
   void (*wanted)(void);   /* returns when the calling thread may take it */
   void (*given_up)(void); /* nobody has it now */
} CoreLockHooks;

/* To be called before the core makes its lock: while the tool is registered.  Without,
   the core's lock is all there is; nor are hooks called where the core cannot be led here
   (CORE_LOCK_CAN_BE_WRAPPED).  */
void core_lock_lead(const CoreLockHooks* hooks);

/* Who only looks: `waits` is called by a thread that wants the lock, after `wanted`, and
   `has` when it has it.  NULL: nobody looks.  */
typedef struct {
   void (*waits)(void);
   void (*has)(void);
} CoreLockWatch;
void core_lock_watch(const CoreLockWatch* watch);

/* Once threads run: has the core made or taken its lock without a call that is led
   here?  */
Bool core_lock_passes_by(void);

#endif

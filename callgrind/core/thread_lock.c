/* SPDX-License-Identifier: GPL-2.0-or-later

   See thread_lock.h.  The core's own lock is taken as well, as the core asks it for its
   owner.  */

#include "core/thread_lock.h"

static const CoreLockHooks* lock_hooks;
static const CoreLockWatch* lock_watch;

/* Calls that have come here.  */
static Bool is_made, is_taken, is_taken_again, is_given_up;

void core_lock_lead(const CoreLockHooks* hooks) { lock_hooks = hooks; }

void core_lock_watch(const CoreLockWatch* watch) { lock_watch = watch; }

Bool core_lock_passes_by(void)
{
   return !is_made || !is_taken || (is_taken_again && !is_given_up);
}

#ifdef CORE_LOCK_CAN_BE_WRAPPED

struct sched_lock; /* the core's */

struct sched_lock* __real_vgModuleLocal_create_sched_lock(void);
void __real_vgModuleLocal_acquire_sched_lock(struct sched_lock* lock);
void __real_vgModuleLocal_release_sched_lock(struct sched_lock* lock);

struct sched_lock* __wrap_vgModuleLocal_create_sched_lock(void);
void __wrap_vgModuleLocal_acquire_sched_lock(struct sched_lock* lock);
void __wrap_vgModuleLocal_release_sched_lock(struct sched_lock* lock);

struct sched_lock* __wrap_vgModuleLocal_create_sched_lock(void)
{
   is_made = True;
   if (lock_hooks != NULL)
      lock_hooks->made();
   return __real_vgModuleLocal_create_sched_lock();
}

void __wrap_vgModuleLocal_acquire_sched_lock(struct sched_lock* lock)
{
   if (lock_hooks != NULL)
      lock_hooks->wanted();
   const CoreLockWatch* watch = lock_watch;
   if (watch != NULL)
      watch->waits();
   __real_vgModuleLocal_acquire_sched_lock(lock);
   if (watch != NULL)
      watch->has();
   is_taken_again = is_taken;
   is_taken = True;
}

void __wrap_vgModuleLocal_release_sched_lock(struct sched_lock* lock)
{
   is_given_up = True;
   __real_vgModuleLocal_release_sched_lock(lock);
   if (lock_hooks != NULL)
      lock_hooks->given_up();
}

#endif

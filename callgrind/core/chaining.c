/* SPDX-License-Identifier: GPL-2.0-or-later

   See chaining.h.  */

#include "core/chaining.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

VexInvalRange __real_LibVEX_Chain(VexArch host, VexEndness endness, void* exit,
                                  const void* function, const void* target);
VexInvalRange __wrap_LibVEX_Chain(VexArch host, VexEndness endness, void* exit,
                                  const void* function, const void* target);
VexInvalRange __real_LibVEX_UnChain(VexArch host, VexEndness endness, void* exit,
                                    const void* target, const void* function);
VexInvalRange __wrap_LibVEX_UnChain(VexArch host, VexEndness endness, void* exit,
                                    const void* target, const void* function);
extern Bool VG_(search_transtab)(Addr* host, void* sector, void* entry, Addr guest,
                                 Bool update_fast_cache);

static const CoreChainHooks* hooks;

void core_chaining_lead(const CoreChainHooks* by) { hooks = by; }

VexInvalRange __wrap_LibVEX_Chain(VexArch host, VexEndness endness, void* exit,
                                  const void* function, const void* target)
{
   const UInt n_changed = hooks != NULL ? hooks->chain(exit, target) : 0;
   return n_changed != 0 ? (VexInvalRange){(HWord)exit, n_changed}
                         : __real_LibVEX_Chain(host, endness, exit, function, target);
}

VexInvalRange __wrap_LibVEX_UnChain(VexArch host, VexEndness endness, void* exit,
                                    const void* target, const void* function)
{
   const UInt n_changed = hooks != NULL ? hooks->unchain(exit, function) : 0;
   return n_changed != 0 ? (VexInvalRange){(HWord)exit, n_changed}
                         : __real_LibVEX_UnChain(host, endness, exit, target, function);
}

extern void VG_(disp_cp_xindir)(void);

Bool core_jumps_by_address(const void* dispatcher)
{
   static Bool is_told;
   if (LIKELY(dispatcher == (const void*)VG_(disp_cp_xindir)))
      return True;
   if (!is_told && VG_(clo_verbosity) > 1)
      VG_(dmsg)("The core has another dispatcher for jumps by an address than is known: "
                "returns take it.\n");
   is_told = True;
   return False;
}

/* The other results are not wanted: NULL.  */
const void* core_code_at(Addr address)
{
   Addr code;
   return VG_(search_transtab)(&code, NULL, NULL, address, False) ? (const void*)code
                                                                  : NULL;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -fcf-protection -fPIE -pie -Wl,-z,now,-z,relro,-z,ibtplt -lplt_library -Wl,-rpath,$ORIGIN
   Stubs of the second PLT, .plt.sec, which fault by the second of their two instructions.
*/

#include "plt_faults.h"

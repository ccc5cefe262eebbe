/* SPDX-License-Identifier: GPL-2.0-or-later

   Kernels for `make bench-cycles`: those of the second set (kernels_unseen.c) that are
   written in assembly.  See harness.h.  */

#include "harness.h"

/* Chains.  */
LOOP(chain_popcnt, ".rept 6\n\tpopcnt %[a], %[a]\n\tadd %[b], %[a]\n\t.endr")
LOOP(chain_adc, ".rept 8\n\tadc %[b], %[a]\n\t.endr")
LOOP(chain_shift_cl, "mov %[b], %%rax\n\t.rept 6\n\tshlx %%rax, %[a], %[a]\n\t"
                     "add %[b], %[a]\n\t.endr")
LOOP(chain_bswap, ".rept 8\n\tbswap %[a]\n\tnot %[a]\n\t.endr")
LOOP(chain_pmulld, ".rept 4\n\tpmulld %%xmm1, %%xmm0\n\t.endr")
LOOP(chain_crossing, ".rept 4\n\tmovq %[a], %%xmm0\n\tmovq %%xmm0, %[a]\n\t.endr")
LOOP(chain_mul_wide, "mov %[a], %%rax\n\t.rept 4\n\tmulq %[b]\n\tadd %%rdx, %%rax\n\t"
                     ".endr\n\tmov %%rax, %[a]")
LOOP(chain_crc32, ".rept 4\n\tcrc32q %[b], %[a]\n\t.endr")
LOOP(chain_blend, ".rept 4\n\tvmaxpd %%ymm1, %%ymm0, %%ymm0\n\t"
                  "vminpd %%ymm2, %%ymm0, %%ymm0\n\t.endr")
LOOP(chain_index, ".rept 6\n\tmovzbl 128(%[m],%[a]), %k[a]\n\t.endr")

/* Throughput.  */
LOOP(wide_fma, "vfmadd231pd %%ymm8, %%ymm9, %%ymm0\n\t"
               "vfmadd231pd %%ymm8, %%ymm9, %%ymm1\n\t"
               "vfmadd231pd %%ymm8, %%ymm9, %%ymm2\n\t"
               "vfmadd231pd %%ymm8, %%ymm9, %%ymm3\n\t"
               "vfmadd231pd %%ymm8, %%ymm9, %%ymm4\n\t"
               "vfmadd231pd %%ymm8, %%ymm9, %%ymm5\n\t"
               "vfmadd231pd %%ymm8, %%ymm9, %%ymm6\n\t"
               "vfmadd231pd %%ymm8, %%ymm9, %%ymm7")
LOOP(wide_permute, ".rept 3\n\tvpermd %%ymm8, %%ymm9, %%ymm0\n\t"
                   "vpaddd %%ymm8, %%ymm9, %%ymm1\n\tvpaddd %%ymm8, %%ymm9, %%ymm2\n\t"
                   ".endr")
LOOP(wide_logic, ".rept 4\n\tvpand %%ymm8, %%ymm9, %%ymm0\n\t"
                 "vpor %%ymm8, %%ymm9, %%ymm1\n\tvpxor %%ymm8, %%ymm9, %%ymm2\n\t"
                 "mov %[b], %[a]\n\tadd %[c], %[a]\n\t.endr")
LOOP(wide_shifts, ".rept 4\n\tmov %[b], %[a]\n\tshl $5, %[a]\n\tmov %[b], %[d]\n\t"
                  "ror $7, %[d]\n\t.endr")
LOOP(wide_bits, ".rept 3\n\tlzcnt %[b], %[a]\n\ttzcnt %[b], %%rax\n\t"
                "andn %[b], %[c], %[d]\n\tblsr %[b], %%rdx\n\t.endr")
LOOP(wide_vector_loads, ".rept 4\n\tvpaddd (%[m]), %%ymm8, %%ymm0\n\t"
                        "vpaddd 32(%[m]), %%ymm8, %%ymm1\n\t.endr")
LOOP(wide_compares, ".rept 6\n\tcmp %[b], %[c]\n\tsete %%al\n\tcmp %[d], %[c]\n\t"
                    "setb %%dl\n\t.endr")

/* Division.  */
LOOP(divide_signed, "mov $123456789, %%eax\n\tcltd\n\tidivl %k[c]\n\tadd %%eax, %k[a]")
LOOP(divss_wide, "divss %%xmm8, %%xmm0\n\tdivss %%xmm8, %%xmm1\n\t"
                 "divss %%xmm8, %%xmm2\n\tdivss %%xmm8, %%xmm3")
LOOP(sqrtpd_wide, "vsqrtpd %%xmm8, %%xmm0\n\tvsqrtpd %%xmm8, %%xmm1")

/* Memory in the first level.  */
LOOP(forward_narrow, "mov %[a], (%[m])\n\tmovzwl 2(%[m]), %k[a]\n\tadd %[b], %[a]")
LOOP(forward_vector, ".rept 2\n\tmovaps %%xmm0, (%[m])\n\tmovaps (%[m]), %%xmm0\n\t.endr")
LOOP(split_loads, ".rept 4\n\tmov 60(%[m]), %[a]\n\tmov 124(%[m]), %[c]\n\t.endr")
LOOP(byte_stores, ".rept 2\n\tmovb $1, (%[m])\n\tmovb $2, 1(%[m])\n\tmovb $3, 2(%[m])\n\t"
                  "movb $4, 3(%[m])\n\t.endr")
LOOP(compare_exchange, "mov (%[m]), %%rax\n\tlea 1(%%rax), %[a]\n\t"
                       "lock cmpxchg %[a], (%[m])")

static const Kernel kernels[] = {
   ASM(chain_popcnt, "chain"),
   ASM(chain_adc, "chain"),
   ASM(chain_shift_cl, "chain"),
   ASM(chain_bswap, "chain"),
   ASM(chain_pmulld, "chain"),
   ASM(chain_crossing, "chain"),
   ASM(chain_mul_wide, "chain"),
   ASM(chain_crc32, "chain"),
   ASM(chain_blend, "chain"),
   ASM(chain_index, "chain"),
   ASM(wide_fma, "throughput"),
   ASM(wide_permute, "throughput"),
   ASM(wide_logic, "throughput"),
   ASM(wide_shifts, "throughput"),
   ASM(wide_bits, "throughput"),
   ASM(wide_vector_loads, "throughput"),
   ASM(wide_compares, "throughput"),
   ASM(divide_signed, "division"),
   ASM(divss_wide, "division"),
   ASM(sqrtpd_wide, "division"),
   ASM(forward_narrow, "memory"),
   ASM(forward_vector, "memory"),
   ASM(split_loads, "memory"),
   ASM(byte_stores, "memory"),
   ASM(compare_exchange, "memory"),
};

int main(int count, char** arguments)
{
   return kernels_main(kernels, sizeof kernels / sizeof kernels[0], count, arguments);
}

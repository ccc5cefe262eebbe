/* SPDX-License-Identifier: GPL-2.0-or-later
   Benchmark program: loops over memory, hardly a call.

   matrix N    multiplies two N by N matrices of doubles and prints the trace and
               the sum of the product.

   The textbook order of the loops walks the second matrix by columns: every access
   of the inner loop touches another cache line, which is what makes this one
   interesting with cache simulation. The elements are small integers, so that the
   sums are exact and do not depend on the compiler's choice of instructions. */

#include <stdio.h>
#include <stdlib.h>

static void multiply(size_t size, const double* left, const double* right,
                     double* product)
{
   for (size_t row = 0; row < size; row++)
      for (size_t column = 0; column < size; column++) {
         double sum = 0.0;
         for (size_t i = 0; i < size; i++)
            sum += left[row * size + i] * right[i * size + column];
         product[row * size + column] = sum;
      }
}

int main(int argc, char** argv)
{
   size_t size = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
   double* matrices = malloc(3 * size * size * sizeof *matrices);
   if (matrices == NULL)
      return 1;
   double *left = matrices, *right = left + size * size, *product = right + size * size;
   for (size_t i = 0; i < size * size; i++) {
      left[i]  = (double)(i * 7 % 13) - 6.0;
      right[i] = (double)(i * 5 % 11) - 5.0;
   }
   multiply(size, left, right, product);

   double trace = 0.0, sum = 0.0;
   for (size_t i = 0; i < size; i++)
      trace += product[i * size + i];
   for (size_t i = 0; i < size * size; i++)
      sum += product[i];
   printf("trace %.0f, sum %.0f\n", trace, sum);
   free(matrices);
   return 0;
}

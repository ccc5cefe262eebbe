/* SPDX-License-Identifier: GPL-2.0-or-later

   The program of README.md's first example: counts primes in two ways.  */

#include <stdio.h>

static int is_prime(int number)
{
   for (int divisor = 2; divisor * divisor <= number; divisor++)
      if (number % divisor == 0)
         return 0;
   return number > 1;
}

static int by_trial(int limit)
{
   int count = 0;
   for (int number = 0; number < limit; number++)
      count += is_prime(number);
   return count;
}

static int by_sieve(int limit)
{
   static char is_composite[100000];
   int count = 0;
   for (int number = 2; number < limit; number++) {
      if (is_composite[number])
         continue;
      count++;
      for (int multiple = 2 * number; multiple < limit; multiple += number)
         is_composite[multiple] = 1;
   }
   return count;
}

int main(void)
{
   printf("%d primes, %d primes\n", by_trial(50000), by_sieve(50000));
   return 0;
}

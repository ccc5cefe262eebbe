// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls methods of several kinds, and two of the virtual machine's own functions, and
// counts the calls.  Those of the methods are said with `named` alone: an interpreter has
// no names for them.
//
//    Counted [named]

import java.util.ArrayList;
import java.util.List;

public class Counted
{
   static int leaf, fib, key, thrower, worker, memory, locks;
   static final Object LOCK = new Object();

   static int countedLeaf(int x)
   {
      leaf++;
      return (x * 7 + 3) & 0xffff;
   }

   static int countedFib(int n)
   {
      fib++;
      return n < 2 ? n : countedFib(n - 1) + countedFib(n - 2);
   }

   static int countedKey(int[] item)
   {
      key++;
      return item[0];
   }

   static int countedThrower(int n)
   {
      thrower++;
      memory++;
      if (Runtime.getRuntime().totalMemory() == 0)
         return 0;
      if (n % 3 == 0)
         throw new IllegalStateException("three");
      return n;
   }

   static void countedWorker(int[] sum)
   {
      worker++;
      for (int i = 0; i < 70; i++) {
         locks++;
         if (Thread.holdsLock(LOCK))
            return;
      }
      for (int i = 0; i < 500; i++)
         sum[0] += countedLeaf(i);
   }

   public static void main(String[] words) throws InterruptedException
   {
      int sum = countedFib(15);
      for (int i = 0; i < 3000; i++)
         sum += countedLeaf(i);
      List<int[]> list = new ArrayList<>();
      for (int i = 0; i < 300; i++)
         list.add(new int[] {i * 7919 % 1009});
      list.sort((a, b) -> countedKey(a) - countedKey(b));
      sum += list.get(17)[0];
      for (int i = 0; i < 100; i++) {
         try {
            sum += countedThrower(i);
         } catch (IllegalStateException error) {
            sum++;
         }
      }
      int[] sums = new int[1];
      Thread thread = new Thread(() -> countedWorker(sums));
      thread.start();
      thread.join();
      System.out.println("sum " + (sum + sums[0]));
      System.out.println("count JVM_TotalMemory " + memory);
      System.out.println("count JVM_HoldsLock " + locks);
      if (words.length == 0)
         return;
      System.out.println("count countedLeaf " + leaf);
      System.out.println("count countedFib " + fib);
      System.out.println("count countedKey " + key);
      System.out.println("count countedThrower " + thrower);
      System.out.println("count countedWorker " + worker);
   }
}

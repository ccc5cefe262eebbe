// SPDX-License-Identifier: GPL-2.0-or-later
// Maps, sorting and strings in Java, so many times over.

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public final class Real {
   public static void main(String[] arguments) {
      long state = 1;
      long total = 0;
      for (int time = 0; time < Integer.parseInt(arguments[0]); time++) {
         Map<String, Integer> counts = new HashMap<>();
         for (int i = 0; i < 4000; i++) {
            state = (state * 1103515245L + 12345) % 2147483648L;
            counts.merge("w" + (state >> 8) % 700, 1, Integer::sum);
         }
         List<String> words = new ArrayList<>(counts.keySet());
         words.sort((a, b) -> {
            int byCount = counts.get(b) - counts.get(a);
            return byCount != 0 ? byCount : a.compareTo(b);
         });
         total += counts.get(words.get(0)) + String.join(" ", words).indexOf("w9");
      }
      System.out.println(total);
   }
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Some seconds of ordinary work, for measure.py: maps, strings, sorting.
//
//    repeated [ROUNDS]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

int main(int count, char** arguments)
{
   long sum = 0;
   int rounds = count > 1 ? std::atoi(arguments[1]) : 60;
   for (int round = 0; round < rounds; round++) {
      std::map<std::string, int> counts;
      for (int i = 0; i < 60000; i++)
         counts[std::to_string((i * 7919) % 60013)] += i;
      std::vector<std::pair<int, std::string>> sorted;
      for (const auto& entry : counts)
         sorted.push_back({entry.second, entry.first});
      std::sort(sorted.begin(), sorted.end());
      sum += sorted[5].first;
   }
   std::printf("%ld\n", sum);
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Some seconds of ordinary work, for measure.py: maps, strings, sorting.  With ENTRIES, each
// round is that large, and told: when it began, and its CPU time, in seconds.
//
//    repeated [ROUNDS [ENTRIES]]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

static double seconds(clockid_t clock)
{
   timespec time;
   clock_gettime(clock, &time);
   return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

static long one_round(int entries)
{
   std::map<std::string, int> counts;
   for (int i = 0; i < entries; i++)
      counts[std::to_string((i * 7919) % 60013)] += i;
   std::vector<std::pair<int, std::string>> sorted;
   for (const auto& entry : counts)
      sorted.push_back({entry.second, entry.first});
   std::sort(sorted.begin(), sorted.end());
   return sorted[5].first;
}

int main(int count, char** arguments)
{
   long sum = 0;
   int rounds = count > 1 ? std::atoi(arguments[1]) : 60;
   int entries = count > 2 ? std::atoi(arguments[2]) : 60000;
   for (int round = 0; round < rounds; round++) {
      double began = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
      sum += one_round(entries);
      if (count > 2)
         std::printf("%.6f %.6f\n", began, seconds(CLOCK_PROCESS_CPUTIME_ID) - used);
   }
   if (count <= 2)
      std::printf("%ld\n", sum);
}

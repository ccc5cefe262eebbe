// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark program: benchmarks in C++, each measured between START and STOP.
//
//    benchmarks N    works on N numbers in each

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "callgrind.h"

namespace {

std::vector<unsigned> numbers(unsigned count)
{
   std::vector<unsigned> made;
   unsigned state = 1;
   for (unsigned i = 0; i < count; i++)
      made.push_back((state = state * 1103515245 + 12345) >> 8);
   return made;
}

unsigned long sorting(const std::vector<unsigned>& given)
{
   std::vector<unsigned> sorted(given);
   std::sort(sorted.begin(), sorted.end());
   return sorted[sorted.size() / 2];
}

unsigned long ordered(const std::vector<unsigned>& given)
{
   std::map<unsigned, unsigned> counts;
   for (unsigned number : given)
      counts[number % 1000]++;
   return counts.size() + counts.begin()->second;
}

unsigned long hashed(const std::vector<unsigned>& given)
{
   std::unordered_map<std::string, unsigned> counts;
   for (unsigned number : given)
      counts[std::to_string(number % 1000)]++;
   return counts.size() + counts["7"];
}

struct Shape {
   virtual ~Shape() = default;
   virtual unsigned long area() const = 0;
};

struct Square : Shape {
   explicit Square(unsigned a) : side(a) {}
   unsigned long area() const override { return side * side; }
   unsigned long side;
};

struct Strip : Shape {
   explicit Strip(unsigned a) : length(a) {}
   unsigned long area() const override { return 3 * length; }
   unsigned long length;
};

unsigned long virtual_calls(const std::vector<unsigned>& given)
{
   std::vector<std::unique_ptr<Shape>> shapes;
   for (unsigned number : given)
      if (number % 2 == 0)
         shapes.push_back(std::make_unique<Square>(number % 100));
      else
         shapes.push_back(std::make_unique<Strip>(number % 100));
   unsigned long sum = 0;
   for (const auto& shape : shapes)
      sum += shape->area();
   return sum;
}

using Benchmark = unsigned long (*)(const std::vector<unsigned>&);

void measure(const char* name, Benchmark benchmark, const std::vector<unsigned>& given)
{
   CALLGRIND_ZERO_STATS;
   CALLGRIND_START_INSTRUMENTATION;
   unsigned long result = benchmark(given);
   CALLGRIND_STOP_INSTRUMENTATION;
   CALLGRIND_DUMP_STATS_AT(name);
   std::printf("%s %lu\n", name, result);
}

} // namespace

int main(int, char** arguments)
{
   std::vector<unsigned> given = numbers(std::strtoul(arguments[1], nullptr, 10));
   measure("sorting", sorting, given);
   measure("ordered", ordered, given);
   measure("hashed", hashed, given);
   measure("virtual_calls", virtual_calls, given);
}

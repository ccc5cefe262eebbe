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

using Numbers = std::vector<unsigned>;

static unsigned long sorting(const Numbers& given)
{
   Numbers sorted(given);
   std::sort(sorted.begin(), sorted.end());
   return sorted[sorted.size() / 2];
}

static unsigned long ordered(const Numbers& given)
{
   std::map<unsigned, unsigned> counts;
   for (unsigned number : given)
      counts[number % 1000]++;
   return counts.size() + counts.begin()->second;
}

static unsigned long hashed(const Numbers& given)
{
   std::unordered_map<std::string, unsigned> counts;
   for (unsigned number : given)
      counts[std::to_string(number % 1000)]++;
   return counts.size() + counts["7"];
}

struct Shape {
   explicit Shape(unsigned a) : side(a) {}
   virtual ~Shape() = default;
   virtual unsigned long area() const { return side * side; }
   unsigned long side;
};

struct Strip : Shape {
   using Shape::Shape;
   unsigned long area() const override { return 3 * side; }
};

static unsigned long virtual_calls(const Numbers& given)
{
   std::vector<std::unique_ptr<Shape>> shapes;
   for (unsigned number : given)
      shapes.push_back(number % 2 == 0 ? std::make_unique<Shape>(number % 100)
                                       : std::make_unique<Strip>(number % 100));
   unsigned long sum = 0;
   for (const auto& shape : shapes)
      sum += shape->area();
   return sum;
}

static void measure(const char* name, unsigned long (*benchmark)(const Numbers&),
                    const Numbers& given)
{
   CALLGRIND_ZERO_STATS;
   CALLGRIND_START_INSTRUMENTATION;
   unsigned long result = benchmark(given);
   CALLGRIND_STOP_INSTRUMENTATION;
   CALLGRIND_DUMP_STATS_AT(name);
   std::printf("%s %lu\n", name, result);
}

int main(int, char** arguments)
{
   Numbers given(std::strtoul(arguments[1], nullptr, 10));
   unsigned state = 1;
   for (unsigned& number : given)
      number = (state = state * 1103515245 + 12345) >> 8;
   measure("sorting", sorting, given);
   measure("ordered", ordered, given);
   measure("hashed", hashed, given);
   measure("virtual_calls", virtual_calls, given);
}

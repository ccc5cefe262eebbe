// SPDX-License-Identifier: GPL-2.0-or-later
//
// Five benchmarks of Catch2, and one that fails.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#endif

#include "callgrind_benchmark.h"
#include "counted.h"

TEST_CASE("reading")
{
   const std::string text = counted::numbers_as_text();
   CHECK(counted::parse(text) == 780);
   BENCHMARK("parse") { return counted::parse(text); };
   BENCHMARK("strings") { return counted::strings(); };
}

TEST_CASE("order")
{
   BENCHMARK_ADVANCED("sort")(Catch::Benchmark::Chronometer meter)
   {
      const counted::Numbers numbers = counted::unsorted();
      // What is outside of measure() is not measured: these are no calls.
      counted::sort(numbers);
      meter.measure([&] { return counted::sort(numbers); });
   };
}

TEST_CASE("more")
{
   SECTION("memory")
   {
      BENCHMARK("allocate", i) { return (void)i, counted::allocate(); };
   }
   SECTION("threads")
   {
      BENCHMARK("pool") { return counted::pool(); };
   }
}

TEST_CASE("failing", "[!shouldfail]")
{
   BENCHMARK("fails") { throw 1; };
}

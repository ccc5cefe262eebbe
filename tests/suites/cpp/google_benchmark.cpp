// SPDX-License-Identifier: GPL-2.0-or-later
//
// Five benchmarks of Google Benchmark, one that fails, and one that prepares something.

#include <benchmark/benchmark.h>

#include "callgrind_benchmark.h"
#include "counted.h"

static void parse(benchmark::State& state)
{
   const std::string text = counted::numbers_as_text();
   for (auto _ : state)
      benchmark::DoNotOptimize(counted::parse(text));
}
BENCHMARK(parse);

static void sort(benchmark::State& state)
{
   const counted::Numbers numbers = counted::unsorted();
   for (auto _ : callgrind_benchmark::loop(state))
      benchmark::DoNotOptimize(counted::sort(numbers));
   // What is behind the loop is not measured: these are no calls.
   counted::sort(numbers);
}
BENCHMARK(sort)->Arg(64)->Repetitions(2);

static void allocate(benchmark::State& state)
{
   for (auto _ : state)
      benchmark::DoNotOptimize(counted::allocate());
}
BENCHMARK(allocate);

static void strings(benchmark::State& state)
{
   // Nor what is before it.
   counted::strings();
   for (auto _ : callgrind_benchmark::loop(state))
      benchmark::DoNotOptimize(counted::strings());
}
BENCHMARK(strings)->Iterations(1);

static void pool(benchmark::State& state)
{
   for (auto _ : state)
      benchmark::DoNotOptimize(counted::pool());
}
BENCHMARK(pool);

static void fails(benchmark::State& state)
{
   state.SkipWithError("as it should");
   for (auto _ : state)
      ;
}
BENCHMARK(fails);

CALLGRIND_BENCHMARK_MAIN();

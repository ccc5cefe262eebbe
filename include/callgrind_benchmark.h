/* SPDX-License-Identifier: BSD-2-Clause
   ----------------------------------------------------------------

   Notice that the following BSD-style license applies to this one
   file (callgrind_benchmark.h) only.  The rest of callgrind-exact is licensed
   under the terms of the GNU General Public License, version 2 or
   later.  See the LICENSE file in the source distribution.

   ----------------------------------------------------------------

   Copyright (C) 2026 The callgrind-exact developers.  All rights reserved.

   Redistribution and use in source and binary forms, with or without
   modification, are permitted provided that the following conditions
   are met:

   1. Redistributions of source code must retain the above copyright
      notice, this list of conditions and the following disclaimer.

   2. Redistributions in binary form must reproduce the above copyright
      notice, this list of conditions and the following disclaimer in the
      documentation and/or other materials provided with the distribution.

   THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS "AS IS" AND ANY
   EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
   WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
   DISCLAIMED.  IN NO EVENT SHALL THE COPYRIGHT HOLDERS BE LIABLE FOR ANY
   DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
   (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
   SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
   CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
   LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY
   OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH
   DAMAGE.
*/

/* Benchmarks of Google Benchmark and of Catch2, each a part of callgrind's profile with
   the benchmark's name.  C++11.  Include it behind the framework's own header.

   Owns: what a benchmark does under Valgrind.  It runs once to warm up, then once
   measured.  Natively the framework does what it always does.
   Relies on Google Benchmark 1.5 and later, with its MemoryManager, or on Catch2 2.9 and
   later, with benchmarks enabled.

   Google Benchmark: CALLGRIND_BENCHMARK_MAIN(); in place of BENCHMARK_MAIN();, or in a
   main() of one's own

      callgrind_benchmark::run_specified_benchmarks();

   in place of benchmark::RunSpecifiedBenchmarks().  All that the benchmark's function
   does is measured; what its loop does, alone, with

      for (auto _ : callgrind_benchmark::loop(state))

   Catch2: include it in each file that has benchmarks.  */

#ifndef CALLGRIND_BENCHMARK_H
#define CALLGRIND_BENCHMARK_H

#include <ostream>
#include <string>
#include <vector>

#include "callgrind.h"

namespace callgrind_benchmark
{

inline bool is_measured() { return RUNNING_ON_VALGRIND != 0; }

/* From here on is counted; what was counted before is not. */
inline void begin()
{
   CALLGRIND_ZERO_STATS;
   CALLGRIND_START_INSTRUMENTATION;
}

inline void end() { CALLGRIND_STOP_INSTRUMENTATION; }

/* What was counted becomes a part of this name; of a benchmark that failed it is lost. */
inline void keep(const std::string& name) { CALLGRIND_DUMP_STATS_AT(name.c_str()); }

inline void drop() { CALLGRIND_ZERO_STATS; }

} // namespace callgrind_benchmark

/* ---- Google Benchmark -------------------------------------------------------------- */

#ifdef BENCHMARK_BENCHMARK_H_

namespace callgrind_benchmark
{

/* Whether the run under way is the one that is measured. */
inline bool& is_armed()
{
   static bool armed = false;
   return armed;
}

/* Whether there is one whose part is not written. */
inline bool& is_counted()
{
   static bool counted = false;
   return counted;
}

/* What the library runs each benchmark once more for. */
class Manager : public benchmark::MemoryManager
{
 public:
   void Start() override
   {
      is_armed() = true;
      begin();
   }

   /* The one or the other, or both, are virtual. */
   void Stop(Result*) { stop(); }
   void Stop(Result&) { stop(); }

 private:
   static void stop()
   {
      end();
      is_armed() = false;
      is_counted() = true;
   }
};

/* Which member tells that a run has failed depends on the version. */
template <class Run> auto has_failed(const Run& run, int) -> decltype(bool(run.skipped))
{
   return bool(run.skipped);
}

template <class Run> auto has_failed(const Run& run, long) -> decltype(run.error_occurred)
{
   return run.error_occurred;
}

/* Writes the part, for it is told the name; times under Valgrind say nothing. */
class Reporter : public benchmark::BenchmarkReporter
{
 public:
   bool ReportContext(const Context&) override { return true; }

   void ReportRuns(const std::vector<Run>& runs) override
   {
      /* Means and the like of repetitions, of which the last was kept, come by
         themselves. */
      if (runs.empty() || !is_counted())
         return;
      is_counted() = false;
      const std::string name = runs.front().run_name.str();
      bool failed = false;
      for (const Run& run : runs)
         failed = failed || has_failed(run, 0);
      if (failed)
         drop();
      else
         keep(name);
      GetOutputStream() << (failed ? "failed   " : "measured ") << name << std::endl;
   }
};

/* As benchmark::RunSpecifiedBenchmarks(); under Valgrind, each benchmark measured.
   Returns how many there were. */
inline size_t run_specified_benchmarks()
{
   if (!is_measured())
      return benchmark::RunSpecifiedBenchmarks();
   /* After the shortest time there is, each has run once. */
   char program[] = "benchmark", shortest[] = "--benchmark_min_time=1e-9";
   char* words[] = {program, shortest, nullptr};
   int count = 2;
   benchmark::Initialize(&count, words);
   Manager manager;
   Reporter reporter;
   benchmark::RegisterMemoryManager(&manager);
   const size_t ran = benchmark::RunSpecifiedBenchmarks(&reporter);
   benchmark::RegisterMemoryManager(nullptr);
   return ran;
}

/* The loop of a benchmark, of which alone the costs are kept. */
class Loop
{
 public:
   class Iterator
   {
    public:
      explicit Iterator(benchmark::State::StateIterator it) : it(it) {}
      benchmark::State::StateIterator::Value operator*() const { return *it; }
      Iterator& operator++()
      {
         ++it;
         return *this;
      }
      bool operator!=(const Iterator& last) const
      {
         if (it != last.it)
            return true;
         if (is_armed())
            callgrind_benchmark::end();
         return false;
      }

    private:
      benchmark::State::StateIterator it;
   };

   explicit Loop(benchmark::State& state) : state(state) {}
   Iterator begin() { return Iterator(state.begin()); }
   Iterator end()
   {
      Iterator last(state.end());
      if (is_armed())
         callgrind_benchmark::begin();
      return last;
   }

 private:
   benchmark::State& state;
};

inline Loop loop(benchmark::State& state) { return Loop(state); }

} // namespace callgrind_benchmark

#define CALLGRIND_BENCHMARK_MAIN()                                                       \
   int main(int argc, char** argv)                                                       \
   {                                                                                     \
      ::benchmark::Initialize(&argc, argv);                                              \
      if (::benchmark::ReportUnrecognizedArguments(argc, argv))                          \
         return 1;                                                                       \
      ::callgrind_benchmark::run_specified_benchmarks();                                 \
      return 0;                                                                          \
   }                                                                                     \
   int main(int, char**)

#endif

/* ---- Catch2 ------------------------------------------------------------------------ */

#if defined(BENCHMARK_ADVANCED) || defined(CATCH_BENCHMARK_ADVANCED)

namespace callgrind_benchmark
{

/* As Catch's own; of another type, so that its measurements have another name. */
struct Clock : Catch::Benchmark::default_clock {
};

/* What Catch asks at the beginning and the end of a measurement. */
struct Meter : Catch::Benchmark::Detail::ChronometerConcept {
   void start() override { begin(); }
   void finish() override { end(); }
};

struct NoMeter : Catch::Benchmark::Detail::ChronometerConcept {
   void start() override {}
   void finish() override {}
};

/* Runs it once to warm up and once measured. */
inline void run_measured(const Catch::Benchmark::Detail::BenchmarkFunction& function,
                         const std::string& name)
{
   NoMeter none;
   Meter meter;
   const std::string test = Catch::getResultCapture().getCurrentTestName();
   function(Catch::Benchmark::Chronometer(none, 1));
   drop();
   try {
      function(Catch::Benchmark::Chronometer(meter, 1));
   } catch (...) {
      end();
      drop();
      throw;
   }
   keep(test.empty() ? name : test + "::" + name);
}

} // namespace callgrind_benchmark

namespace Catch
{
namespace Benchmark
{

/* What BENCHMARK() calls. */
template <> inline void Benchmark::run<default_clock>()
{
   if (callgrind_benchmark::is_measured())
      callgrind_benchmark::run_measured(fun, name);
   else
      run<callgrind_benchmark::Clock>();
}

} // namespace Benchmark
} // namespace Catch

#endif

#endif

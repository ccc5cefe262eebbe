// SPDX-License-Identifier: GPL-2.0-or-later
//
// What C++ programs are made of: containers, streams, virtual destructors, exceptions that
// run destructors on their way and are thrown again, callbacks, a thread, a signal handler.

#include <algorithm>
#include <csignal>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace
{

struct Shape {
   explicit Shape(int size) : name(std::to_string(size)), size(size) {}
   virtual ~Shape();
   virtual int area() const = 0;
   std::string name;
   int size;
};

// On its own, and called by the destructors of what is derived from it.
__attribute__((noinline)) Shape::~Shape() { name.clear(); }

struct Square : Shape {
   using Shape::Shape;
   ~Square() override;
   int area() const override { return size * size; }
};

struct Line : Shape {
   using Shape::Shape;
   int area() const override { return 0; }
};

// Virtual: there are two functions of this name, and one of them calls the other.
__attribute__((noinline)) Square::~Square() { size = 0; }

int area_of_one(int size)
{
   Square on_the_stack(size);
   return on_the_stack.area();
}

int sum_of_areas(int count)
{
   const int start = area_of_one(count);
   std::vector<std::unique_ptr<Shape>> shapes;
   for (int i = 0; i < count; i++)
      if (i % 3 == 0)
         shapes.push_back(std::make_unique<Line>(i));
      else
         shapes.push_back(std::make_unique<Square>(i));
   return std::accumulate(shapes.begin(), shapes.end(), start,
                          [](int sum, const auto& shape) { return sum + shape->area(); });
}

__attribute__((noinline)) int descend(int depth, const std::string& text)
{
   std::string copy = text + std::to_string(depth);
   if (depth == 0)
      throw std::runtime_error(copy);
   return descend(depth - 1, copy) + static_cast<int>(copy.size());
}

__attribute__((noinline)) int pass_on(int depth)
{
   try {
      return descend(depth, "x");
   } catch (const std::logic_error&) {
      return -1;
   } catch (...) {
      throw;
   }
}

int count_thrown(int times)
{
   std::size_t letters = 0;
   for (int i = 0; i < times; i++)
      try {
         pass_on(i);
      } catch (const std::exception& error) {
         letters += std::string(error.what()).size();
      }
   return static_cast<int>(letters);
}

int count_words(int words)
{
   std::ostringstream out;
   for (int i = 0; i < words; i++)
      out << "word" << i % 17 << ' ' << i * 0.25 << ' ';
   std::istringstream in(out.str());
   std::unordered_map<std::string, int> counts;
   for (std::string word; in >> word;)
      counts[word]++;
   std::map<int, std::string> sorted;
   for (const auto& [word, count] : counts)
      sorted.emplace(count * 1000 + static_cast<int>(word.size()), word);
   return sorted.rbegin()->first;
}

std::function<int(int)> fibonacci;

int sort_with_callback(int count)
{
   std::vector<int> numbers(static_cast<std::size_t>(count));
   std::iota(numbers.begin(), numbers.end(), 0);
   std::function<bool(int, int)> before = [](int a, int b) { return a % 7 < b % 7; };
   std::stable_sort(numbers.begin(), numbers.end(), before);
   return numbers[1];
}

volatile std::sig_atomic_t signals_seen;

int twice(int n) { return 2 * n; }

extern "C" void on_signal(int) { signals_seen = twice(signals_seen + 1); }

} // namespace

int main()
{
   fibonacci = [](int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); };
   std::signal(SIGUSR1, on_signal);
   std::cout << sum_of_areas(60) << ' ' << count_words(200) << '\n';
   int in_thread = 0;
   std::thread thread([&in_thread] { in_thread = count_thrown(10) + fibonacci(8); });
   thread.join();
   std::raise(SIGUSR1);
   std::cout << count_thrown(20) << ' ' << sort_with_callback(300) << ' ' << fibonacci(12)
             << ' ' << in_thread << ' ' << signals_seen << std::endl;
}

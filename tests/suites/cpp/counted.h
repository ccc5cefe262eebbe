// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the benchmarks of C++ do: tests/suites/checked.py says what that is.

#ifndef COUNTED_H
#define COUNTED_H

#include <atomic>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

// Called, and known by its name, whatever the compiler optimises.
#define KNOWN __attribute__((noinline, noclone))

namespace counted {

using Numbers = std::vector<int>;

using Counts = std::map<std::string, int>;

struct Node {
   std::unique_ptr<Node> after;
};

KNOWN inline int digits(const std::string& text)
{
   int number = 0;
   for (char digit : text)
      number = number * 10 + digit - '0';
   return number;
}

KNOWN inline int parse(const std::string& text)
{
   std::istringstream words(text);
   std::string word;
   int sum = 0;
   while (std::getline(words, word, ','))
      sum += digits(word);
   return sum;
}

inline std::string numbers_as_text()
{
   std::string text;
   for (int number = 0; number < 40; number++)
      text += (number ? "," : "") + std::to_string(number);
   return text;
}

KNOWN inline Numbers merge(const Numbers& left, const Numbers& right)
{
   Numbers merged;
   size_t i = 0, j = 0;
   while (i < left.size() || j < right.size()) {
      const bool takes_left =
         j == right.size() || (i < left.size() && left[i] <= right[j]);
      merged.push_back(takes_left ? left[i++] : right[j++]);
   }
   return merged;
}

KNOWN inline Numbers sort(const Numbers& numbers)
{
   if (numbers.size() < 2)
      return numbers;
   const auto half = numbers.begin() + numbers.size() / 2;
   return merge(sort(Numbers(numbers.begin(), half)), sort(Numbers(half, numbers.end())));
}

inline Numbers unsorted()
{
   Numbers numbers;
   for (int i = 0; i < 64; i++)
      numbers.push_back((i * 7919) % 64);
   return numbers;
}

KNOWN inline std::unique_ptr<Node> make_node(std::unique_ptr<Node> after)
{
   return std::unique_ptr<Node>(new Node{std::move(after)});
}

KNOWN inline std::unique_ptr<Node> allocate()
{
   std::unique_ptr<Node> node;
   for (int i = 0; i < 100; i++)
      node = make_node(std::move(node));
   return node;
}

KNOWN inline void count_word(Counts& counts, const std::string& word)
{
   counts[word]++;
}

KNOWN inline size_t strings()
{
   Counts counts;
   for (int i = 0; i < 40; i++)
      for (const char* word : {"the", "quick", "brown", "fox"})
         count_word(counts, word);
   return counts.size();
}

KNOWN inline int task(int number)
{
   return digits(std::to_string(number));
}

KNOWN inline int pool()
{
   std::atomic<int> next(0), sum(0);
   std::vector<std::thread> threads;
   for (int i = 0; i < 3; i++)
      threads.emplace_back([&] {
         for (int number; (number = next++) < 9;)
            sum += task(number);
      });
   for (std::thread& thread : threads)
      thread.join();
   return sum;
}

} // namespace counted

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Containers, streams, exceptions and random numbers of the C++ library.

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

struct Shape {
   virtual ~Shape() = default;
   virtual double area() const = 0;
};

struct Square : Shape {
   explicit Square(double side) : side(side) {}
   double area() const override { return side * side; }
   double side;
};

struct Box : Shape {
   Box(double a, double b) : a(a), b(b) {}
   double area() const override { return a * b; }
   double a, b;
};

double checked(const Shape& shape)
{
   if (shape.area() > 90)
      throw std::string("too large");
   return shape.area();
}

}

int main()
{
   std::random_device device;
   std::mt19937 numbers(device());
   std::vector<std::unique_ptr<Shape>> shapes;
   std::unordered_map<std::string, double> sums;
   std::map<double, int> sorted;
   unsigned processors = std::thread::hardware_concurrency();
   for (unsigned i = 0; i < 1500 + 10 * processors; i++) {
      if (numbers() & 1)
         shapes.push_back(std::make_unique<Square>(numbers() % 10));
      else
         shapes.push_back(std::make_unique<Box>(numbers() % 10, i % 10));
   }
   for (const auto& shape : shapes) {
      std::ostringstream name;
      try {
         name << "area " << checked(*shape);
      } catch (const std::string& what) {
         name << what;
      }
      sums[name.str()] += shape->area();
      sorted[shape->area()]++;
   }
   std::sort(shapes.begin(), shapes.end(), [](const auto& a, const auto& b) {
      return a->area() < b->area();
   });
   return sums.empty() || sorted.empty();
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each function allocates what its name says with new, in all its forms, and frees it with
// delete; or new and what it is for throw an exception.

#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "known_cost.h"

struct alignas(64) Wide {
   char bytes[128];
};

struct Thrower {
   char bytes[24];
   OPAQUE Thrower() { throw 1; }
};

static void* volatile kept;
static volatile std::size_t too_much = PTRDIFF_MAX - 100;

// 4 + 40 + 4 + 40 bytes
OPAQUE void plain()
{
   int* one = new int;
   int* ten = new int[10];
   kept = one;
   kept = ten;
   delete one;
   delete[] ten;
   one = new (std::nothrow) int;
   ten = new (std::nothrow) int[10];
   kept = one;
   kept = ten;
   delete one;
   delete[] ten;
}

// 128 + 256 bytes
OPAQUE void aligned()
{
   Wide* one = new Wide;
   Wide* two = new Wide[2];
   kept = one;
   kept = two;
   delete one;
   delete[] two;
}

// 5 blocks of 24 bytes, which are freed when the constructor throws
OPAQUE void thrown()
{
   for (int i = 0; i < 5; i++)
      try {
         kept = new Thrower;
      } catch (int) {
      }
}

// nothing: 3 times in vain; then 16 bytes at the same place on the stack
OPAQUE void* of_size(std::size_t size) { return ::operator new(size); }

OPAQUE void too_large()
{
   for (int i = 0; i < 3; i++)
      try {
         kept = of_size(too_much);
      } catch (const std::bad_alloc&) {
      }
   kept = of_size(16);
   ::operator delete(kept);
}

// what the handler frees, 1,000 bytes, is freed, though operator new() has called it
static void* reserve;
OPAQUE void give_back()
{
   std::free(reserve);
   std::set_new_handler(nullptr);
   NO_TAIL_CALL;
}

OPAQUE void handled()
{
   reserve = std::malloc(1000);
   std::set_new_handler(give_back);
   try {
      kept = ::operator new(too_much);
   } catch (const std::bad_alloc&) {
   }
}

// no allocation: placement
OPAQUE void* placed()
{
   static char room[16];
   return new (room) int(3);
}

// 8 + 16 + 32 + 64 bytes, by the standard library
OPAQUE void grow()
{
   std::vector<std::uint64_t> numbers;
   for (std::uint64_t i = 0; i < 8; i++)
      numbers.push_back(i);
   kept = numbers.data();
}

int main()
{
   plain();
   aligned();
   thrown();
   too_large();
   handled();
   kept = placed();
   grow();
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two functions of one name: the destructor that deletes its object (`delete`) calls the one that
// does not, which alone runs at the end of a scope, and has run first.

struct Owner {
   int* owned = nullptr;
   virtual ~Owner();
};

__attribute__((noinline)) Owner::~Owner()
{
   delete owned;
   owned = nullptr;
}

int main()
{
   {
      Owner owner;
   }
   for (int i = 0; i < 10; i++)
      delete new Owner;
}

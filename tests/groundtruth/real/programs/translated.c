/* SPDX-License-Identifier: GPL-2.0-or-later

   What the compiler proper is given: preprocessed already, as it includes nothing.  */

struct list {
   struct list* next;
   int value;
};

static int sum(const struct list* list)
{
   int total = 0;
   for (; list != 0; list = list->next)
      total += list->value;
   return total;
}

static unsigned hash(const char* text)
{
   unsigned value = 5381;
   while (*text != 0)
      value = value * 33 + (unsigned char)*text++;
   return value;
}

int main(int argc, char** argv)
{
   struct list second = {0, argc}, first = {&second, 40};
   switch (hash(argv[0]) % 5) {
   case 0: return sum(&first);
   case 1: return sum(&second);
   case 3: return -1;
   default: return 0;
   }
}

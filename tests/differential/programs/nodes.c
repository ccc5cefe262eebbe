/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   What the compiler compiles under both callgrinds.  Nothing is included: it would spend
   half of its time in declarations, with the same few instructions.
*/

struct node {
   struct node* next;
   long value;
};

static long sum(const struct node* node)
{
   long total = 0;
   for (; node; node = node->next)
      total += node->value > 3 ? node->value : -1;
   return total;
}

int main(void)
{
   struct node last = {0, 5}, first = {&last, 1};
   return (int)sum(&first);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
   A calculator with variables, which reads lines from stdin; each call among its own
   functions is compared with that on another machine (compared_arm64.py).

   It has a tokenizer, a recursive parser, a hash table, nested loops, a switch, function
   pointers, doubles. */

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 64

typedef enum { END, NUMBER, NAME, OPERATOR, OPEN, CLOSE, COMMA, BAD } Kind;

typedef struct {
   Kind   kind;
   char   operator;
   double number;
   char   name[32];
} Token;

typedef struct Variable {
   struct Variable* next;
   double           value;
   unsigned int     uses;
   char             name[32];
} Variable;

typedef struct {
   const char* text;
   Token       token;
   Variable*   buckets[BUCKETS];
   const char* error;
} Calculator;

typedef struct {
   const char* name;
   double (*function)(double, double);
   int arguments;
} Function;

static unsigned int hash_of(const char* name)
{
   unsigned int hash = 2166136261u;
   while (*name != '\0')
      hash = (hash ^ (unsigned char)*name++) * 16777619u;
   return hash % BUCKETS;
}

static Variable* variable(Calculator* calculator, const char* name)
{
   Variable** bucket = &calculator->buckets[hash_of(name)];
   for (Variable* v = *bucket; v != NULL; v = v->next) {
      if (strcmp(v->name, name) == 0) {
         v->uses++;
         return v;
      }
   }
   Variable* fresh = calloc(1, sizeof *fresh);
   if (fresh == NULL)
      abort();
   strncpy(fresh->name, name, sizeof fresh->name - 1);
   fresh->next = *bucket;
   *bucket     = fresh;
   return fresh;
}

static void read_name(Calculator* calculator, Token* token)
{
   size_t length = 0;
   while (isalnum((unsigned char)*calculator->text) || *calculator->text == '_') {
      if (length < sizeof token->name - 1)
         token->name[length++] = *calculator->text;
      calculator->text++;
   }
   token->name[length] = '\0';
   token->kind         = NAME;
}

static void advance(Calculator* calculator)
{
   Token* token = &calculator->token;
   while (isspace((unsigned char)*calculator->text))
      calculator->text++;
   char c = *calculator->text;
   if (isdigit((unsigned char)c)) {
      char* end;
      token->number    = strtod(calculator->text, &end);
      token->kind      = NUMBER;
      calculator->text = end;
      return;
   }
   if (isalpha((unsigned char)c)) {
      read_name(calculator, token);
      return;
   }
   token->operator = c;
   switch (c) {
   case '\0':
      token->kind = END;
      return;
   case '(':
      token->kind = OPEN;
      break;
   case ')':
      token->kind = CLOSE;
      break;
   case ',':
      token->kind = COMMA;
      break;
   case '+':
   case '-':
   case '*':
   case '/':
   case '%':
   case '^':
   case '=':
      token->kind = OPERATOR;
      break;
   default:
      token->kind       = BAD;
      calculator->error = "unexpected character";
   }
   calculator->text++;
}

static double larger(double a, double b)
{
   return a > b ? a : b;
}

static double smaller(double a, double b)
{
   return a < b ? a : b;
}

static double root(double a, double unused)
{
   (void)unused;
   return sqrt(a);
}

static const Function functions[] = {
   {"max", larger, 2}, {"min", smaller, 2}, {"pow", pow, 2}, {"sqrt", root, 1}};

static double expression(Calculator* calculator, int level);

static double call(Calculator* calculator, const char* name)
{
   double arguments[2] = {0.0, 0.0};
   int    count        = 0;
   do {
      advance(calculator);
      double value = expression(calculator, 0);
      if (count < 2)
         arguments[count] = value;
      count++;
   } while (calculator->token.kind == COMMA);
   if (calculator->token.kind == CLOSE)
      advance(calculator);
   else
      calculator->error = "missing )";
   for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
      if (strcmp(functions[i].name, name) == 0 && functions[i].arguments == count)
         return functions[i].function(arguments[0], arguments[1]);
   }
   calculator->error = "no such function";
   return 0.0;
}

static double operand(Calculator* calculator)
{
   Token token = calculator->token;
   advance(calculator);
   switch (token.kind) {
   case NUMBER:
      return token.number;
   case NAME:
      if (calculator->token.kind == OPEN)
         return call(calculator, token.name);
      if (calculator->token.kind == OPERATOR && calculator->token.operator == '=') {
         advance(calculator);
         return variable(calculator, token.name)->value = expression(calculator, 0);
      }
      return variable(calculator, token.name)->value;
   case OPEN: {
      double value = expression(calculator, 0);
      if (calculator->token.kind != CLOSE)
         calculator->error = "missing )";
      advance(calculator);
      return value;
   }
   case OPERATOR:
      if (token.operator == '-')
         return -operand(calculator);
      /* fall through */
   default:
      calculator->error = "operand expected";
      return 0.0;
   }
}

static int level_of(char operator)
{
   switch (operator) {
   case '+':
   case '-':
      return 1;
   case '*':
   case '/':
   case '%':
      return 2;
   case '^':
      return 3;
   default:
      return -1;
   }
}

static double apply(Calculator* calculator, char operator, double left, double right)
{
   switch (operator) {
   case '+':
      return left + right;
   case '-':
      return left - right;
   case '*':
      return left * right;
   case '^':
      return pow(left, right);
   default:
      if (right == 0.0) {
         calculator->error = "division by zero";
         return 0.0;
      }
      return operator == '/' ? left / right : fmod(left, right);
   }
}

static double expression(Calculator* calculator, int level)
{
   double left = operand(calculator);
   while (calculator->token.kind == OPERATOR && calculator->error == NULL) {
      char operator = calculator->token.operator;
      int  binding  = level_of(operator);
      if (binding < level || binding < 0)
         break;
      advance(calculator);
      double right = expression(calculator, operator == '^' ? binding : binding + 1);
      left         = apply(calculator, operator, left, right);
   }
   return left;
}

static int by_uses(const void* left, const void* right)
{
   const Variable* a = *(Variable* const*)left;
   const Variable* b = *(Variable* const*)right;
   if (a->uses != b->uses)
      return a->uses > b->uses ? -1 : 1;
   return strcmp(a->name, b->name);
}

static void print_variables(const Calculator* calculator)
{
   size_t count = 0;
   for (size_t i = 0; i < BUCKETS; i++) {
      for (Variable* v = calculator->buckets[i]; v != NULL; v = v->next)
         count++;
   }
   Variable** all = malloc((count + 1) * sizeof *all);
   if (all == NULL)
      abort();
   size_t next = 0;
   for (size_t i = 0; i < BUCKETS; i++) {
      for (Variable* v = calculator->buckets[i]; v != NULL; v = v->next)
         all[next++] = v;
   }
   qsort(all, count, sizeof *all, by_uses);
   for (size_t i = 0; i < count; i++)
      printf("%-12s %12.6g (%u uses)\n", all[i]->name, all[i]->value, all[i]->uses);
   free(all);
}

int main(void)
{
   static Calculator calculator;
   char              line[512];
   while (fgets(line, sizeof line, stdin) != NULL) {
      calculator.text  = line;
      calculator.error = NULL;
      advance(&calculator);
      double value = expression(&calculator, 0);
      if (calculator.error == NULL && calculator.token.kind != END)
         calculator.error = "end of line expected";
      if (calculator.error != NULL)
         printf("error: %s\n", calculator.error);
      else
         printf("%.10g\n", value);
   }
   print_variables(&calculator);
   return 0;
}

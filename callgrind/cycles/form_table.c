/* SPDX-License-Identifier: GPL-2.0-or-later

   See form_table.h.  Owns the keys, once they have been looked at, and which model is
   in use.  */

#include "cycles/form_table.h"

/* What may be left out of a key if the form is not listed with it: the same costs are
   listed once.  x86_forms.py does the same in needed().  */
#if defined(VGA_amd64)
static const UInt optional_bits[] = {1u << 20, 1u << 13, 1u << 14, 3u << 10};
#else
static const UInt optional_bits[] = {0}; /* nothing: a form has no operands */
#endif
#define OPTIONAL (sizeof optional_bits / sizeof optional_bits[0])

static UInt keys[FORM_MAX];

static void make_keys(void)
{
   UInt key = 0;
   for (UInt i = 0; i < form_count; i++)
      keys[i] = key += form_key_steps[i];
}

/* The index of a key; form_count if it is not listed.  */
static UInt index_of(UInt key)
{
   UInt low = 0, high = form_count;
   while (low < high) {
      UInt middle = (low + high) / 2;
      if (keys[middle] < key)
         low = middle + 1;
      else
         high = middle;
   }
   return low < form_count && keys[low] == key ? low : form_count;
}

const FormClass* form_cost(const FormModel* model, UInt form)
{
   if (keys[form_count - 1] == 0)
      make_keys();
   for (UInt left_out = 0; left_out < 1u << OPTIONAL; left_out++) {
      UInt key = form;
      for (UInt i = 0; i < OPTIONAL; i++)
         if (left_out >> i & 1)
            key &= ~optional_bits[i];
      UInt i = index_of(key);
      if (i < form_count)
         return model->class_of_form[i] != 0 ? &model->classes[model->class_of_form[i]]
                                             : NULL;
   }
   return NULL;
}

static const FormModel* const models[] = {
#if defined(VGA_amd64)
   &form_model_haswell,
   &form_model_skylake,
   &form_model_icelake_server,
   &form_model_sapphirerapids,
   &form_model_graniterapids,
   &form_model_znver3,
   &form_model_znver4,
#elif defined(VGA_arm64)
   &form_model_neoverse_n1,
   &form_model_neoverse_v1,
#endif
   NULL,
};

const FormModel* form_model(UInt number)
{
   return number < sizeof models / sizeof models[0] ? models[number] : NULL;
}

static UInt chosen;

const FormModel* form_model_in_use(void) { return models[chosen]; }

void form_model_choose(UInt number) { chosen = number; }

# SPDX-License-Identifier: GPL-2.0-or-later
# Vectors, a model and strings, so many times over.

times <- as.integer(commandArgs(trailingOnly = TRUE)[1])
set.seed(1)
total <- 0
for (time in seq_len(times)) {
   x <- runif(2000)
   y <- 3 * x + rnorm(2000)
   total <- total + coef(lm(y ~ x))[[2]]
   words <- paste0("w", as.integer(x * 500))
   total <- total + max(table(words)) + sum(nchar(toupper(sort(words))))
   for (each in x) total <- total + each * each
}
cat(format(total, digits = 10), "\n")

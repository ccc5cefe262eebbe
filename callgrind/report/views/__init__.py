# SPDX-License-Identifier: GPL-2.0-or-later
"""How callgrind_report shows what `analysis` has found.

Text tables, annotated source, JSON and CSV: one file each, and the command's options.
Imports `analysis` and what is below it; never `export`.
"""

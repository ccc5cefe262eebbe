# SPDX-License-Identifier: GPL-2.0-or-later
"""The formats that callgrind_export writes: one file each, and the command's options.

What the page for the browser is made of lies in page/.  Imports `tree_file` and what is
below it; never `views`.
"""

# SPDX-License-Identifier: GPL-2.0-or-later
"""Tree files (docs/tree-format.md): their data classes, and the reader.

`model` is what everybody works on; `reader.read_forest()` makes it of files.  `escape` is
how texts are written in a tree file.  Imports `console` alone.
"""

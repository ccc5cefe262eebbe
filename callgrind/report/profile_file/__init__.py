# SPDX-License-Identifier: GPL-2.0-or-later
"""Callgrind profiles: their data classes, and the reader that fills these in.

`model` is what everybody works on; `reader.read_profile()` makes it of a file.  `lexer`,
`header` and `body` are the reader's parts.  `input_files` finds and reads the profiles of
a command line.  Imports `console` alone.
"""

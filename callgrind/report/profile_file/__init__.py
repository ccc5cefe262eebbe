# SPDX-License-Identifier: GPL-2.0-or-later
"""Callgrind profiles: their data classes, and the reader that fills these in.

`model` is what everybody works on; `reader.read_profile()` makes it of a file.  `lexer`,
`header` and `body` are the reader's parts.  Bodies of large files are read by a program
in C, where there is one: `native` starts it, and `packed` has what it found.
`input_files` finds and reads the profiles of a command line.  Imports `console` alone.
"""

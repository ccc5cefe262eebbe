# SPDX-License-Identifier: GPL-2.0-or-later
"""What profiles say: numbers, and which of them are shown.

Costs of functions, of calls and of source lines; what has changed between two profiles,
and whether it is more than allowed.  No layout and no formats: those are in `views`.
Imports `profile_file` and what is below it.
"""

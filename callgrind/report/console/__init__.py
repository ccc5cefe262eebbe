# SPDX-License-Identifier: GPL-2.0-or-later
"""What a command on a terminal needs: options, exit status, tables, safe text.

Knows nothing of profiles and trees.  Imports no other package.
"""

# SPDX-License-Identifier: GPL-2.0-or-later
"""Many benchmarks, judged: settings, measuring, baselines, verdicts and their forms.

What the command callgrind_gate is made of.
"""

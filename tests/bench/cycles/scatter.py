# SPDX-License-Identifier: GPL-2.0-or-later
#
# Draws the scatter plot of docs/cycles.md.  Knows nothing of how it was measured.

"""A scatter plot as SVG, logarithmic on both axes."""

from __future__ import annotations

import math
from typing import Sequence

from tests.bench.cycles.agreement import common_scale

SIZE = 560
MARGIN = 60
COLOURS = ("#1b6ca8", "#c0392b", "#27ae60", "#8e44ad", "#d68910", "#16a085", "#7f8c8d",
           "#2c3e50", "#e67e22", "#c71585", "#556b2f")

Point = tuple[str, str, float, float]


def scatter_plot(points: Sequence[Point]) -> str:
    """Name, family, time and estimate of each point."""
    times = [time for _, _, time, _ in points]
    guesses = [guess for _, _, _, guess in points]
    scale = common_scale(guesses, times)
    all_values = [*times, *(guess * scale for guess in guesses)]
    low = math.floor(math.log10(min(all_values)) * 2) / 2
    high = math.ceil(math.log10(max(all_values)) * 2) / 2

    def place(value: float) -> float:
        share = (math.log10(value) - low) / (high - low)
        return MARGIN + share * (SIZE - 2 * MARGIN)

    families = sorted({family for _, family, _, _ in points})
    colour = dict(zip(families, COLOURS))
    end = SIZE - MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE + 120} {SIZE}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{SIZE + 120}" height="{SIZE}" fill="white"/>',
        f'<path d="M{MARGIN} {end}L{end} {MARGIN}" stroke="#bbb"/>',
        f'<path d="M{MARGIN} {MARGIN}V{end}H{end}" fill="none" stroke="black"/>',
        f'<text x="{SIZE / 2}" y="{SIZE - 20}" text-anchor="middle">'
        "time of a turn, s</text>",
        f'<text x="20" y="{SIZE / 2}" text-anchor="middle" '
        f'transform="rotate(-90 20 {SIZE / 2})">Cy after one common scale, s</text>',
    ]
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = place(10.0**power)
        lines.append(f'<text x="{at:.0f}" y="{end + 18}" text-anchor="middle">'
                     f"{10.0**power:g}</text>")
        lines.append(f'<text x="{MARGIN - 8}" y="{SIZE - at + 4:.0f}" text-anchor="end">'
                     f"{10.0**power:g}</text>")
    for name, family, time, guess in points:
        x, y = place(time), SIZE - place(guess * scale)
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" '
                     f'fill="{colour[family]}" fill-opacity="0.75">'
                     f"<title>{name}</title></circle>")
    for i, family in enumerate(families):
        row = MARGIN + 18 * i
        lines.append(
            f'<circle cx="{SIZE - 30}" cy="{row}" r="5" fill="{colour[family]}"/>')
        lines.append(f'<text x="{SIZE - 20}" y="{row + 4}">{family}</text>')
    return "\n".join([*lines, "</svg>", ""])

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the quadratic program of one control cycle: rows, slacks, active constraints."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from impact_analysis.picture import save
from impact_qp.program.program import QuadraticProgram, Solution


def draw(program: QuadraticProgram, solution: Solution, path: Path) -> None:
    """Draw a program: its rows, each scaled to 1, beside their slacks at the solution.

    Args:
        program: to draw.
        solution: of it.
        path: of the picture.

    Raises:
        AnalysisError: the picture cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    count, size = program.G.shape
    largest = np.abs(program.G).max(axis=1, initial=0.0, keepdims=True)
    rows = program.G / np.where(largest > 0.0, largest, 1.0)
    room = program.h - program.G @ solution.x
    share = room / np.maximum(np.abs(program.h), np.abs(program.G @ solution.x) + 1e-12)
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9.0, 1.2 + 0.22 * count), layout="constrained", width_ratios=(2, 3)
    )
    if count:
        left.imshow(rows, cmap="RdBu", vmin=-1.0, vmax=1.0, aspect="auto")
    left.set_xticks(range(size), [str(k + 1) for k in range(size)], fontsize=8)
    left.set_xlabel("variable", fontsize=8)
    left.set_yticks(range(count), program.names, fontsize=8)
    left.set_title("rows of G, each over its largest entry", fontsize=9)
    binding = [k in solution.rows for k in range(count)]
    colours = ["#d55e00" if each else "#0072b2" for each in binding]
    right.barh(range(count), np.clip(share, 0.0, 1.0), color=colours)
    right.set_ylim(max(count, 1) - 0.5, -0.5)
    right.set_yticks([])
    right.set_xlim(0.0, 1.0)
    for k, each in enumerate(binding):
        if each:
            right.text(0.01, k, "binds", va="center", fontsize=8, color="#d55e00")
    right.set_title("slack over the bound (1: far from it)", fontsize=9)
    save(figure, path, 110)

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impacts of a falling box, simulated here without a model of the project, and their file."""

import numpy as np

from impact_analysis.planar.planar_impact_file import COLUMNS

HALF_SIDES = (0.05, 0.03)
INERTIA, FRICTION, RESTITUTION = 9e-4, 0.35, 0.45
NOISE = np.array([0.02, 0.02, 1.0])
SIGNS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


def after(before, r, friction=FRICTION):
    """Velocities after a frictional impact at r from the centre, in 2000 little normal impulses.

    The velocity of the point is v + w x r, w counterclockwise; friction opposes its slip.
    """
    v, compression, done = np.array(before), None, 0.0
    step = 4.0 * abs(v[1] + r[0] * v[2]) / 2000
    while compression is None or done < (1 + RESTITUTION) * compression:
        slip, approach = v[0] - r[1] * v[2], v[1] + r[0] * v[2]
        if compression is None and approach >= 0.0:
            compression = done
        push = np.array([-friction * step * np.tanh(slip / 0.02), step])
        v += [*push, (r[0] * push[1] - r[1] * push[0]) / INERTIA]
        done += step
    return v


def box(count=120, friction=FRICTION, half_sides=HALF_SIDES, seed=0):
    """Rows of a box that falls on its corners, levers in the sign of the velocity."""
    rng = np.random.default_rng(seed)
    rows = []
    while len(rows) < count:
        angle = rng.uniform(-0.6, 0.6) + rng.integers(4) * np.pi / 2
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        corners = [turn @ (np.array(half_sides) * s) for s in SIGNS]
        r = min(corners, key=lambda corner: corner[1])
        before = rng.normal([0.5, -1.5, 0.0], [0.5, 0.3, 6.0])
        if before[1] + r[0] * before[2] < -0.3:
            v = after(before, r, friction) + rng.normal(size=3) * NOISE
            rows.append([0.3, -r[1], *before, *v, 0, 1, r[0], 1, 0, -r[1]])
    return np.array(rows)


def write(path, rows, normal=1, tangent=1):
    """Write rows, the signs of their levers turned."""
    rows = rows.copy()
    rows[:, 10] *= normal
    rows[:, 13] *= tangent
    np.savetxt(path, rows, delimiter=",", header=",".join(COLUMNS), comments="", fmt="%.10g")
    return path

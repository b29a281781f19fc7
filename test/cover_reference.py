# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Small motion of an arm whose tool has a cover, by SciPy, with events where it bottoms out."""

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp


class Covered(NamedTuple):
    loads: np.ndarray  # largest changes of the springs' torques, shape (n,) [N.m]
    peak_force: float  # [N]
    compression: float  # largest of the cover [m]
    impulse: float  # [N.s]
    bottoms_out: bool


def covered_impact(arm, j, law, cover, speed, duration):
    """Return the frictionless impact at a speed [m/s] of an arm with ideal motors.

    States are q, theta, their rates and the compression s of the cover; ``j`` is the normal's row
    of the Jacobian, shape (n,). Each piece, with a free cover and one that has bottomed out, is
    integrated by itself.
    """
    n, K, D, B = len(j), arm.stiffness, arm.damping, arm.motor_inertia
    k, d, most = cover.stiffness, cover.damping, cover.thickness
    wall, loss = law.stiffness, law.damping / law.stiffness

    def force(t, y, bottomed):
        depth, rate, s = speed * t - j @ y[:n], speed - j @ y[2 * n : 3 * n], y[-1]
        if bottomed:
            return max(0.0, wall * (depth - most) * (1.0 + loss * rate)), 0.0
        if depth <= s:
            return 0.0, -k * s / d
        elastic = wall * (depth - s)
        back = (elastic * (1.0 + loss * rate) - k * s) / (d + elastic * loss)
        pushed = k * s + d * back
        return (pushed, back) if pushed > 0.0 else (0.0, -k * s / d)

    def derivative(t, y, bottomed):
        q, theta, v, w = np.split(y[:-1], 4)
        pushed, back = force(t, y, bottomed)
        passed = K * (theta - q) + D * (w - v)
        return np.concatenate([v, w, arm.M_inverse @ (passed + j * pushed), -passed / B, [back]])

    def reaches(_t, y, _bottomed):
        return most - y[-1]

    def leaves(t, y, bottomed):
        return force(t, y, bottomed)[0] - k * most

    for event in (reaches, leaves):
        event.terminal, event.direction = True, -1
    t, y, bottomed, states = 0.0, np.zeros(4 * n + 1), False, []
    loads, peak, impulse = np.zeros(n), 0.0, 0.0
    while t < duration:
        piece = solve_ivp(
            derivative,
            (t, duration),
            y,
            "LSODA",
            args=(bottomed,),
            events=[leaves if bottomed else reaches],
            rtol=1e-8,
            atol=1e-12,
            max_step=2e-5,
        )
        forces = np.array(
            [force(*each, bottomed)[0] for each in zip(piece.t, piece.y.T, strict=True)]
        )
        load = K[:, None] * (piece.y[n : 2 * n] - piece.y[:n])
        loads = np.maximum(loads, np.abs(load).max(axis=1))
        peak, impulse = max(peak, forces.max()), impulse + np.trapezoid(forces, piece.t)
        states.append(piece.y[-1].max())
        t, y = piece.t[-1], piece.y[:, -1]
        bottomed = not bottomed
    return Covered(loads, peak, min(max(states), most), impulse, len(states) > 1)

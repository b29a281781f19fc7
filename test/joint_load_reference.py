# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Small motion of the flexible arm after contact by its equations, in small explicit steps."""

import numpy as np

TICK = 250e-6
SLIP = 1e-4  # regularisation of Coulomb's friction, slow against what slips here [m/s]


def reference_load(robot, M, contacts, duration, step=2e-6, loop=True):
    """Return highest and lowest change of the spring torques, (2, n) [N.m], and impulses (c, 3).

    ``contacts``: tuples of J (3, n), velocity (3,), law, friction and gap.
    """
    K, D, B = robot.joint_stiffness, robot.joint_damping, robot.reflected_motor_inertia
    ratio = B / robot.apparent_motor_inertia
    share = 1.0 - np.exp(-2.0 * np.pi * 300.0 * TICK)
    n, M_inverse = robot.dof, np.linalg.inv(M)
    q, theta, v, w, filtered, act = (np.zeros(n) for _ in range(6))
    loads, impulses = np.zeros((2, n)), np.zeros((len(contacts), 3))
    if not loop:
        B = robot.apparent_motor_inertia
    per_tick = round(TICK / step)
    for i in range(round(duration / step)):
        load = K * (theta - q)
        if loop and i % per_tick == 0:
            change = share * (load - filtered)
            filtered = filtered + change
            act = (1.0 - ratio) * (filtered + D / K * change / TICK)
        passed, pushed = load + D * (w - v), np.zeros(n)
        for c, (J, start, law, friction, gap, *_) in enumerate(contacts):
            x, speed = J @ q + start * i * step, J @ v + start
            if x[2] + gap < 0.0:
                normal = law.force(-x[2] - gap, -speed[2])
                slip = np.linalg.norm(speed[:2])
                share_of = friction * np.tanh(slip / SLIP) / max(slip, 1e-12)
                force = np.append(-share_of * normal * speed[:2], normal)
                impulses[c] += step * force
                pushed += J.T @ force
        v = v + step * M_inverse @ (passed + pushed)
        w = w + step * (act - passed) / B
        q, theta = q + step * v, theta + step * w
        loads[0], loads[1] = np.maximum(loads[0], load), np.minimum(loads[1], load)
    return loads, impulses

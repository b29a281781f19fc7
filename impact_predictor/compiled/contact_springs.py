# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Several contacts pressed at once, compiled: springs along the normal and along the surface.

Every contact is the planar law `tangential_compliance` in space: a bilinear normal spring, k in
compression and k/e^2 in restitution, so that e^2 of its work comes back, and a tangential spring
r k whose force is limited by Coulomb's friction of the normal force of the instant. So friction
follows the path of the slip (`laws.slip_path`, which a large r comes to), at every contact, and a
contact that is a gap away takes part as soon as its gap has closed. The configuration does not
change. Without gaps only r and e matter, not k (Liu, Zhao, Brogliato, Proc. R. Soc. A 464, 2008).
"""

from __future__ import annotations

from math import hypot, pi, sqrt
from typing import NamedTuple

import numpy as np

from impact_robots.compiling.compiled import cached, part

LEAST_RESTITUTION = 0.03  # restitution stiffens the spring by 1/e^2; smaller e count as this one
STEPS = 40  # of a compression
_TANGENTIAL_STEP = 0.3  # of the fastest tangential oscillation, in radians
_LONGEST = 400  # compressions after which an impact is cut off


class Springs(NamedTuple):
    """What every contact is made of."""

    friction: float  # mu [-]
    restitution: float  # energetic e, at least LEAST_RESTITUTION [-]
    ratio: float  # tangential over normal stiffness r [-]
    stiffness: float  # k [N/m]


@part
def pressed(depth: float, rate: float, top: float, e: float) -> tuple[float, float]:
    """Return a bilinear spring's force over k [m], and the depth at which compression ended [m].

    Args:
        depth: penetration, above 0.
        rate: normal velocity, positive out of the surface.
        top: depth at which compression ended, 0 while it goes on.
        e: restitution.
    """
    if depth > top:
        top = 0.0  # compressed anew
    if top == 0.0 and rate >= 0.0:
        top = depth
    if top == 0.0:
        return depth, top
    return max((depth - top * (1.0 - e * e)) / (e * e), 0.0), top


@cached()
def spring_impulses(
    G: np.ndarray, velocity: np.ndarray, gaps: np.ndarray, springs: Springs, steps: int
) -> np.ndarray:
    """Return the impulses at k contacts, each in its own axes p, shape (3k,) [N.s].

    Args:
        G: Delassus matrix, shape (3k, 3k) [1/kg].
        velocity: of the contacts before, shape (3k,) [m/s].
        gaps: of the contacts, at least one of them 0, shape (k,) [m].
        springs: of all contacts.
        steps: of a compression.
    """
    mu, e, r, stiffness = springs
    k = len(gaps)
    v, depth, top = velocity.copy(), -gaps, np.zeros(k)
    stretch, force, impulses = np.zeros((k, 2)), np.zeros(3 * k), np.zeros(3 * k)
    normal, tangential = 0.0, 0.0
    for i in range(k):
        normal = max(normal, G[3 * i + 2, 3 * i + 2])
        tangential = max(tangential, r * (G[3 * i, 3 * i] + G[3 * i + 1, 3 * i + 1]))
    longest = min(
        pi / 2 / sqrt(stiffness * normal) / steps, _TANGENTIAL_STEP / sqrt(stiffness * tangential)
    )
    for _ in range(_LONGEST * steps):
        dt, over = longest, True
        for i in range(k):
            n, push = 3 * i + 2, 0.0
            if depth[i] > 0.0:
                push, top[i] = pressed(depth[i], v[n], top[i], e)
                if top[i] > 0.0 and push > 0.0:
                    dt = longest * e
            if push > 0.0 or (v[n] < 0.0 and top[i] == 0.0):
                over = False
            force[n] = stiffness * push
        if over:
            break
        for i in range(k):
            a, b, n = 3 * i, 3 * i + 1, 3 * i + 2
            pull = 0.0
            if force[n] > 0.0:
                stretch[i, 0] += v[a] * dt
                stretch[i, 1] += v[b] * dt
                pull = r * stiffness * hypot(stretch[i, 0], stretch[i, 1])
            if pull > mu * force[n]:  # what slips does not stretch
                stretch[i] *= mu * force[n] / pull
            force[a], force[b] = 0.0, 0.0
            if force[n] > 0.0:
                force[a] = -r * stiffness * stretch[i, 0]
                force[b] = -r * stiffness * stretch[i, 1]
        for i in range(3 * k):
            impulses[i] += force[i] * dt
            for j in range(3 * k):
                v[i] += G[i, j] * force[j] * dt
        for i in range(k):
            depth[i] -= v[3 * i + 2] * dt
            if depth[i] <= 0.0:
                top[i], stretch[i] = 0.0, 0.0
    return impulses

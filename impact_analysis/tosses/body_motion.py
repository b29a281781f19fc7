# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How a body falls on a plane and comes to rest, compiled: on springs, or by rigid impacts.

Axes are the contact's: the plane is z = 0. The body has mass 1.
"""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

import numpy as np

from impact_analysis.tosses.corner_laws import (
    BodyShape,
    CornerLaw,
    delassus,
    law_impulses,
    low_corners,
)
from impact_predictor.compiled.contact_springs import Springs, pressed
from impact_robots.compiling.compiled import cached, part

STEP = 2e-5  # of springs in contact [s]
FREE_STEP = 1e-3  # in the air, at most [s]
RIGID_STEP = 5e-4  # of rigid impacts [s]


class Start(NamedTuple):
    """A state, and the gravity that acts from then on."""

    position: np.ndarray  # of the centre of mass, shape (3,) [m]
    velocity: np.ndarray  # of it, shape (3,) [m/s]
    rotation: np.ndarray  # from the body's axes, shape (3, 3)
    angular: np.ndarray  # angular velocity, shape (3,) [rad/s]
    gravity: np.ndarray  # shape (3,) [m/s^2]


@part
def _spun(R: np.ndarray, w: np.ndarray, torque: np.ndarray, inertia: np.ndarray, h: float) -> None:
    """Turn a body a step on (Euler's equations); R and w, in contact axes, are written."""
    x = R[0, 0] * w[0] + R[1, 0] * w[1] + R[2, 0] * w[2]
    y = R[0, 1] * w[0] + R[1, 1] * w[1] + R[2, 1] * w[2]
    z = R[0, 2] * w[0] + R[1, 2] * w[1] + R[2, 2] * w[2]
    p = R[0, 0] * torque[0] + R[1, 0] * torque[1] + R[2, 0] * torque[2]
    q = R[0, 1] * torque[0] + R[1, 1] * torque[1] + R[2, 1] * torque[2]
    r = R[0, 2] * torque[0] + R[1, 2] * torque[1] + R[2, 2] * torque[2]
    a, b, c = inertia[0], inertia[1], inertia[2]
    x, y, z = (
        x + h * (p - (c - b) * y * z) / a,
        y + h * (q - (a - c) * z * x) / b,
        z + h * (r - (b - a) * x * y) / c,
    )
    rate = x * x + y * y + z * z
    s, t = h * (1.0 - rate * h * h / 6.0), h * h * (0.5 - rate * h * h / 24.0)
    for i in range(3):
        p, q, r = R[i, 0], R[i, 1], R[i, 2]
        along = p * x + q * y + r * z
        R[i, 0] = p + s * (q * z - r * y) + t * (x * along - p * rate)
        R[i, 1] = q + s * (r * x - p * z) + t * (y * along - q * rate)
        R[i, 2] = r + s * (p * y - q * x) + t * (z * along - r * rate)
        w[i] = R[i, 0] * x + R[i, 1] * y + R[i, 2] * z


@cached()
def spring_motion(
    shape: BodyShape, springs: Springs, start: Start, frames: int, period: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return positions of the tracked origin (k, 3) [m] and rotations (k, 3, 3) at k frames.

    Args:
        shape: of the body.
        springs: of its corners, for mass 1.
        start: the state at the first frame.
        frames: k.
        period: of the frames [s].
    """
    mu, e, ratio, stiffness = springs
    K, radius = len(shape.corners), shape.rounding
    at = shape.corners + radius * shape.insets - shape.centre
    reach = 2.0 * np.abs(at).max()
    x, v = start.position.copy(), start.velocity.copy()
    R, w = start.rotation.copy(), start.angular.copy()
    top, stretch = np.zeros(K), np.zeros((K, 2))
    force, torque, lever, u = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    positions, rotations = np.empty((frames, 3)), np.empty((frames, 3, 3))
    for k in range(frames):
        positions[k], rotations[k] = x - R @ shape.centre, R
        left = period
        while left > 1e-9:
            low, touching = 1e9, False
            for a in range(3):
                force[a], torque[a] = start.gravity[a], 0.0
            for i in range(K):
                gap = x[2] + R[2, 0] * at[i, 0] + R[2, 1] * at[i, 1] + R[2, 2] * at[i, 2] - radius
                low = min(low, gap)
                if gap >= 0.0:
                    top[i], stretch[i, 0], stretch[i, 1] = 0.0, 0.0, 0.0
                    continue
                touching = True
                for a in range(3):
                    lever[a] = R[a, 0] * at[i, 0] + R[a, 1] * at[i, 1] + R[a, 2] * at[i, 2]
                lever[2] -= radius
                u[0] = v[0] + w[1] * lever[2] - w[2] * lever[1]
                u[1] = v[1] + w[2] * lever[0] - w[0] * lever[2]
                u[2] = v[2] + w[0] * lever[1] - w[1] * lever[0]
                push, top[i] = pressed(-gap, u[2], top[i], e)
                if push <= 0.0:
                    stretch[i, 0], stretch[i, 1] = 0.0, 0.0
                    continue
                stretch[i, 0] += u[0] * STEP
                stretch[i, 1] += u[1] * STEP
                pull = ratio * hypot(stretch[i, 0], stretch[i, 1])
                if pull > mu * push:
                    stretch[i, 0] *= mu * push / pull
                    stretch[i, 1] *= mu * push / pull
                fx, fy = -ratio * stiffness * stretch[i, 0], -ratio * stiffness * stretch[i, 1]
                fz = stiffness * push
                force[0] += fx
                force[1] += fy
                force[2] += fz
                torque[0] += lever[1] * fz - lever[2] * fy
                torque[1] += lever[2] * fx - lever[0] * fz
                torque[2] += lever[0] * fy - lever[1] * fx
            h = STEP
            if not touching:  # until the lowest corner may be there
                speed = hypot(hypot(v[0], v[1]), v[2]) + 0.05
                speed += reach * hypot(hypot(w[0], w[1]), w[2])
                h = max(STEP, min(0.8 * low / speed, FREE_STEP))
            h = min(h, left)
            for a in range(3):
                v[a] += h * force[a]
            _spun(R, w, torque, shape.inertia, h)
            for a in range(3):
                x[a] += h * v[a]
            left -= h
    return positions, rotations


@cached()
def rigid_motion(
    shape: BodyShape, law: CornerLaw, start: Start, frames: int, period: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return positions (k, 3) [m] and rotations (k, 3, 3), as ``spring_motion`` does.

    By time stepping (Moreau): a corner that is at the plane and approaches makes an impact of all
    corners that are there.

    Args:
        shape: of the body.
        law: of its corners.
        start: the state at the first frame.
        frames: k.
        period: of the frames [s].
    """
    x, v = start.position.copy(), start.velocity.copy()
    R, w, none = start.rotation.copy(), start.angular.copy(), np.zeros(3)
    positions, rotations = np.empty((frames, 3)), np.empty((frames, 3, 3))
    at = shape.corners + shape.rounding * shape.insets - shape.centre
    steps = round(period / RIGID_STEP)
    h = period / steps
    velocity = np.empty(6)
    for k in range(frames):
        positions[k], rotations[k] = x - R @ shape.centre, R
        for _ in range(steps):
            v += h * start.gravity
            _spun(R, w, none, shape.inertia, h)
            depth = -1e9
            for i in range(len(at)):
                low = x[2] + R[2, 0] * at[i, 0] + R[2, 1] * at[i, 1] + R[2, 2] * at[i, 2]
                depth = max(depth, shape.rounding - low)
            if depth >= 0.0:
                levers, gaps = low_corners(shape, R, depth)
                turning = (R / shape.inertia) @ np.ascontiguousarray(R.T)
                J, effect, G = delassus(levers, turning)
                velocity[:3], velocity[3:] = v, w
                u = J @ velocity
                if u[2::3].min() < 0.0:
                    velocity += effect @ law_impulses(law, G, u, gaps)
                    v[:], w[:] = velocity[:3], velocity[3:]
            x += h * v
    return positions, rotations

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impacts and tosses of a body, made by an independent formula or a simulation, and their files."""

import numpy as np
from scipy.spatial.transform import Rotation

from impact_analysis.tosses.body_motion import Start
from impact_analysis.tosses.convex_body import read_body
from impact_analysis.tosses.toss_impacts import TossImpacts

CENTRE, INERTIA, ROUNDING = (
    np.array([0.001, -0.002, 0.005]),
    np.array([2.6e-3, 2.5e-3, 2.3e-3]),
    0.004,
)
FRICTION, RESTITUTION = 0.2, 0.3
NOISE = np.array([0.004] * 3 + [0.05] * 3)


def thrown(count, seed=0):
    """Impacts of the cube at one corner, sliding throughout, and their noise; SI units."""
    body, random = read_body(), np.random.default_rng(seed)
    rows = []
    while len(rows) < count:
        R = Rotation.random(rng=random).as_matrix()
        v, w = random.normal([0.9, 0.0, -1.2], 0.2), random.normal(size=3) * 4.0
        after = slid(body, R, v, w)
        if after is not None:
            rows.append((R, np.append(v, w), after + NOISE * random.normal(size=6)))
    rotation, before, after = map(np.array, zip(*rows, strict=True))
    ones = np.ones(count, dtype=int)
    return TossImpacts(2 * np.arange(count), rotation, before, after, ones)


def slid(body, R, v, w):
    """Velocities after an impact whose friction is that of a slip of fixed direction, or None.

    By momentum: m dv = P, I dw = r x P, with P = p (-mu s, 1) and s the slip before. Only impacts
    whose slip hardly turns are taken, so that every law of friction agrees.
    """
    corners = body.length_scale * body.corners + ROUNDING * body.insets
    height = np.sort((corners @ R.T)[:, 2])
    if height[1] - height[0] < 0.012:
        return None
    r = R @ (corners[np.argmin((corners @ R.T)[:, 2])] - CENTRE) - [0.0, 0.0, ROUNDING]
    inverse = R @ np.diag(1.0 / INERTIA) @ R.T
    centre = v + np.cross(w, R @ CENTRE)
    u = centre + np.cross(w, r)
    if u[2] > -0.5 or np.hypot(u[0], u[1]) < 0.3:
        return None
    direction = np.append(-FRICTION * u[:2] / np.hypot(u[0], u[1]), 1.0)
    per_impulse = direction + np.cross(inverse @ np.cross(r, direction), r)
    p = -(1.0 + RESTITUTION) * u[2] / per_impulse[2]
    slip = u + p * per_impulse
    turned = np.arctan2(u[0] * slip[1] - u[1] * slip[0], u[:2] @ slip[:2])
    if abs(turned) > 0.05 or p < 0.0:
        return None
    spin = w + p * (inverse @ np.cross(r, direction))
    return np.append(centre + p * direction - np.cross(spin, R @ CENTRE), spin)


def write_impacts(path, impacts, **other):
    """Write impacts to a file; ``other`` arrays replace some, None leaves one out."""
    quaternion = Rotation.from_matrix(impacts.rotation).as_quat()[:, [3, 0, 1, 2]]
    arrays = {
        "toss": impacts.toss,
        "corners": impacts.corners,
        "quaternion": quaternion,
        "velocity_before": impacts.before[:, :3],
        "angular_velocity_before": impacts.before[:, 3:],
        "velocity_after": impacts.after[:, :3],
        "angular_velocity_after": impacts.after[:, 3:],
    } | other
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def released(seed=0, height=0.15):
    """A state of the cube in the air, its gravity level."""
    random = np.random.default_rng(seed)
    return Start(
        np.array([0.0, 0.0, height]),
        random.normal([0.8, 0.0, -0.6], 0.2),
        Rotation.random(rng=random).as_matrix(),
        random.normal(size=3) * 5.0,
        np.array([0.0, 0.0, -9.614]),
    )


def write_tosses(path, tosses, **other):
    """Write tosses, pairs of positions (k, 3) and rotations (k, 3, 3), to a file."""
    positions, rotations = map(np.concatenate, zip(*tosses, strict=True))
    arrays = {
        "toss": 2 * np.arange(len(tosses)),
        "length": np.array([len(position) for position, _ in tosses]),
        "position": positions,
        "quaternion": Rotation.from_matrix(rotations).as_quat()[:, [3, 0, 1, 2]],
    } | other
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path

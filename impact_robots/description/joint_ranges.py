# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Ranges of stiffness, damping and motor inertia of an arm's joints, as ratios to nominal."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from impact_robots.entries import Entries, is_number

ANNOUNCED, NOMINAL = "announced", "nominal"  # anywhere in the ranges, or as in the YAML
JOINT_RANGES = (ANNOUNCED, NOMINAL)
KNOWN = (1.0, 1.0)
ASSUMED = {  # ratios for values without a source
    "joint_stiffness_range": (0.7, 1.3),
    "joint_damping_range": (0.5, 1.5),
    "motor_inertia_range": (0.9, 1.1),
}
_OF = {
    "joint_stiffness_range": "joint_stiffness",
    "joint_damping_range": "joint_damping",
    "motor_inertia_range": "apparent_motor_inertia",
}


@dataclass(frozen=True, eq=False)
class JointRanges:
    """Lowest and highest value over the nominal one, of every joint; each of shape (2, n) [-].

    Shape (2, 1) stands for the same range of all joints.
    Motor inertia stands for the reflected and the apparent one: a torque loop keeps their ratio.
    """

    stiffness: np.ndarray
    damping: np.ndarray
    motor_inertia: np.ndarray

    def __post_init__(self) -> None:
        """Store read-only copies."""
        for field in fields(self):
            array = np.array(getattr(self, field.name), dtype=float)
            array.setflags(write=False)
            object.__setattr__(self, field.name, array)


KNOWN_JOINTS = JointRanges(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)))


def read_joint_ranges(entries: Entries, n: int, assumed: tuple[str, ...]) -> JointRanges:
    """Return the ranges of a robot's YAML.

    Args:
        entries: of the YAML.
        n: number of joints.
        assumed: keys of values without a source: without an entry their range is wide, see
            ``ASSUMED``; that of all others is [1, 1].

    Raises:
        RobotError: an entry is not two ratios with 0 < low <= high, one number or n each.
    """
    ranges = [_range(entries, key, n, of in assumed) for key, of in _OF.items()]
    return JointRanges(*ranges)


def _range(entries: Entries, key: str, n: int, is_assumed: bool) -> np.ndarray:
    """Return one range, shape (2, n)."""
    if key not in entries:
        return np.repeat(np.array(ASSUMED[key] if is_assumed else KNOWN)[:, None], n, axis=1)
    value = entries.value(key)
    expected = f"[low, high], each a number or {n}, with 0 < low <= high"
    if not (isinstance(value, list) and len(value) == 2):
        raise entries.error(key, expected, value)
    bounds = [each if isinstance(each, list) else [each] * n for each in value]
    if not all(len(bound) == n and all(map(is_number, bound)) for bound in bounds):
        raise entries.error(key, expected, value)
    low, high = np.array(bounds, dtype=float)
    if np.any(low <= 0.0) or np.any(low > high):
        raise entries.error(key, expected, value)
    return np.array([low, high])

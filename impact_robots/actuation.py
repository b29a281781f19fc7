# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What acts on each joint by a robot's YAML: a motor or none, and a spring beside it."""

from __future__ import annotations

import numpy as np

from impact_robots.entries import Entries

_MOTORS = ("reflected_motor_inertia", "apparent_motor_inertia")


def read_passive(entries: Entries, prefix: str, joints: tuple[str, ...]) -> tuple[str, ...]:
    """Return the joints without a motor.

    Raises:
        RobotError: one is none of ``joints``.
    """
    passive = tuple(prefix + joint for joint in entries.texts("passive", ()))
    if any(joint not in joints for joint in passive):
        raise entries.error("passive", f"some of {', '.join(joints)}", list(passive))
    return passive


def read_motors(entries: Entries, n: int, *, zero: bool) -> dict[str, np.ndarray]:
    """Return the motor inertias by key, each of shape (n,) [kg.m^2]; NaN is unknown.

    Args:
        entries: of the YAML.
        n: number of joints.
        zero: they may be 0: nothing divides by them.

    Raises:
        RobotError: a wrong entry.
    """
    read, unknown = entries.not_negative if zero else entries.positive, np.full(n, np.nan)
    return {key: read(key, n, unknown) for key in _MOTORS}


def read_springs(entries: Entries, prefix: str, joints: tuple[str, ...]) -> np.ndarray:
    """Return the stiffness of the spring beside each joint, 0 without one, (n,) [N.m/rad].

    Raises:
        RobotError: a wrong entry, or one of no joint.
    """
    if "springs" not in entries:
        return np.zeros(len(joints))
    names = [joint.removeprefix(prefix) for joint in joints]
    springs = entries.section("springs", names)
    return np.array([springs.scale(name, 0.0) for name in names])

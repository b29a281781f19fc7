# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks whether measured states of a humanoid are usable, and whether it is at its start."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_qp.guards.plausibility import Finding, StateGate
from impact_robots.robot import Robot
from impact_ros.messages import UNIT

NEAR = 0.05  # largest distance of each joint from the start of the grab [rad]
STANDING = 0.05  # largest distance of the base from its start [m]
STILL = 0.2  # highest joint speed at the start [rad/s]
SUNK, TILTED = 0.3, 0.7  # of the base; beyond, the robot is falling [m], [rad]
STRONGEST = 5000.0  # largest plausible force on a palm or a sole [N]


class HumanoidState(NamedTuple):
    """Measured state at one time."""

    q: np.ndarray  # base's position [m] and quaternion x, y, z, w, joints [rad], shape (7 + n,)
    v: np.ndarray  # base's velocity in its own axes, joints, shape (6 + n,) [m/s, rad/s]
    palm_forces: np.ndarray  # on the palms, world axes, shape (2, 3) [N]
    sole_forces: np.ndarray  # of the floor on the soles, world axes, shape (k, 3) [N]


class HumanoidStateCheck:
    """Checks each state by itself, and its joints against the states before."""

    def __init__(self, robot: Robot, start: np.ndarray) -> None:
        """Check states of a robot whose grab starts at ``start``, shape (7 + n,)."""
        self._robot, self._start, self._gate = robot, start, StateGate(robot)

    def reset(self) -> None:
        """Forget the states before."""
        self._gate.reset()

    def finding(self, stamp: int, state: HumanoidState) -> Finding:
        """Return the finding for a state, and whether the joints must no longer be trusted.

        Args:
            stamp: of the measurement [ns].
            state: that was measured.
        """
        problem = self._unreadable(state)
        if problem:
            return Finding(problem, fault=False)
        finding = self._gate.check(stamp, state.q[7:], state.v[6:], impact=True)
        return finding._replace(problem=finding.problem and f"joint_states: {finding.problem}")

    def _unreadable(self, state: HumanoidState) -> str:
        for name, values in (
            ("odom", state.q[:7]),
            ("odom's twist", state.v[:6]),
            ("wrench of a palm", state.palm_forces),
            ("wrench of a sole", state.sole_forces),
        ):
            if not np.isfinite(values).all():
                return f"{name}: expected finite numbers, got {values.ravel().tolist()}"
        norm = float(np.linalg.norm(state.q[3:7]))
        if abs(norm - 1.0) > UNIT:
            return f"odom: expected a unit quaternion, got one of norm {norm:.4g}"
        largest = max(np.abs(each).max() for each in (state.palm_forces, state.sole_forces))
        if largest > STRONGEST:
            return f"wrench: expected forces up to {STRONGEST:g} N, got {largest:.4g}"
        return ""

    def fall(self, state: HumanoidState) -> str:
        """Return how far the robot has fallen, "" if it stands."""
        sunk = float(self._start[2] - state.q[2])
        up = 1.0 - 2.0 * float(state.q[3:5] @ state.q[3:5])  # of the base's z axis
        tilt = float(np.arccos(np.clip(up, -1.0, 1.0)))
        if sunk < SUNK and tilt < TILTED:
            return ""
        return f"it falls: the base is {sunk:.2f} m lower than at the start, tilted by {tilt:.2f}"

    def not_at_start(self, state: HumanoidState) -> str:
        """Return what is not at rest at the start of the grab, "" if everything is."""
        names = self._robot.joint_names
        off = np.abs(state.q[7:] - self._start[7:])
        joint, base = int(np.argmax(off)), np.linalg.norm(state.q[:3] - self._start[:3])
        if off[joint] > NEAR:
            return (
                f"{names[joint]} is {off[joint]:.3g} rad from where the grab starts,"
                f" at most {NEAR:g}"
            )
        if base > STANDING:
            return f"the base is {base:.3g} m from where the grab starts, at most {STANDING:g}"
        fast = np.abs(state.v[6:])
        if fast[joint := int(np.argmax(fast))] > STILL:
            return f"{names[joint]} moves at {fast[joint]:.3g} rad/s, at most {STILL:g}"
        return ""

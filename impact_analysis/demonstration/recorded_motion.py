# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The motion of an arm's contact point in a recording, about one time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_bags.exceptions import AnalysisError
from impact_bags.reading.recording import Recording
from impact_bags.series import series
from impact_detector.signals.sample import JointSample, from_seconds
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot

AROUND = 10.0  # of a recording that is read before and after the impact [s]


class ShownMotion(NamedTuple):
    """Of [p; xi]: the contact point in base axes [m], the first joint [rad]; times increase."""

    time: np.ndarray  # since the impact, shape (N,) [s]
    place: np.ndarray  # shape (N, 4)
    velocity: np.ndarray  # by the measured joint velocities, shape (N, 4) [m/s; rad/s]
    rotation: np.ndarray  # contact frame's axes in base axes, shape (N, 3, 3)
    q: np.ndarray  # shape (N, n) [rad]

    def within(self, start: float, end: float) -> ShownMotion:
        """Return the rows from a time to another one, both included [s]."""
        chosen = (self.time >= start) & (self.time <= end)
        return ShownMotion(*(each[chosen] for each in self))

    def turns(self, rotation: np.ndarray) -> np.ndarray:
        """Return the angles of the contact frame to a rotation (3, 3), shape (N,) [rad]."""
        return np.array([np.linalg.norm(pin.log3(rotation.T @ each)) for each in self.rotation])


def recorded_motion(recording: Recording, robot: Robot, impact: int) -> ShownMotion:
    """Return the motion within ``AROUND`` of an impact; states that are not finite are left out.

    Args:
        recording: that is open.
        robot: that was recorded.
        impact: stamp of the first contact [ns].

    Raises:
        AnalysisError: there is no joint state.
        RecordingError: the file turns out to be damaged.
    """
    near, n = from_seconds(AROUND), robot.dof
    samples = [
        item
        for item in recording.items(references=False)
        if isinstance(item, JointSample) and abs(item.time - impact) <= near
    ]
    rows = [np.append(each.q, each.dq) for each in samples]
    states = series([each.time for each in samples], rows, 2 * n)
    if not len(states.time):
        raise AnalysisError(f"{recording.name}: no joint state within {AROUND:g} s of the impact")
    dynamics = ArmDynamics(robot)
    points = [dynamics(row[:n], row[n:]) for row in states.values]
    return ShownMotion(
        states.since(impact),
        np.array([np.append(each.position, each.q[0]) for each in points]),
        np.array([np.append(each.velocity, each.dq[0]) for each in points]),
        np.array([each.rotation for each in points]),
        states.values[:, :n],
    )

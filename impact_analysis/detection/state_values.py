# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the values of recorded joint states say about the recording: another robot, degrees."""

from __future__ import annotations

import numpy as np

from impact_bags.bag_recording import BagRecording
from impact_bags.reading.recording import Recording
from impact_detector.signals.sample import JointSample
from impact_robots import Robot
from impact_robots.robot import FAR

STEP = 10  # only each 10th joint state is looked at
RARE = 0.01  # fraction of joint states far beyond limits that may be errors of sensors
_LISTED = 8  # names in a line


class StateValues:
    """Watches the values of joint states."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._taken = self._seen = 0
        self._positions = self._velocities = False  # there were some
        self._far, self._example = 0, ""

    def take(self, sample: JointSample) -> None:
        """Take the next joint state."""
        self._taken += 1
        if self._taken % STEP != 1:
            return
        self._seen += 1
        self._positions |= bool(np.isfinite(sample.q).all())
        self._velocities |= bool(np.isfinite(sample.dq).all())
        limits = self._robot.limits
        for values, far, unit in (
            (sample.q, limits.far_outside(sample.q), "rad"),
            (sample.dq, np.abs(sample.dq) > FAR * limits.velocity, "rad/s"),
        ):
            if far.any():
                self._far += 1
                joint = int(np.argmax(far))
                text = f"{self._robot.joint_names[joint]} at {values[joint]:.4g} {unit}"
                self._example = self._example or text
                return

    @property
    def beyond(self) -> str:
        """A joint and its value, if it and many are far beyond the limits; else empty."""
        return self._example if self._far > 1 + RARE * self._seen else ""

    def unusable(self, recording: Recording) -> str:
        """Return why no joint state of a recording can be used; empty if that is not known.

        Args:
            recording: whose joint states were taken.
        """
        names = recording.recorded_joints() if isinstance(recording, BagRecording) else ()
        if names and not set(self._robot.joint_names) <= set(names):
            return (
                f"no usable joint state of robot {self._robot.name!r}: expected joints"
                f" {_listed(self._robot.joint_names)}, got {_listed(names)}; is it another robot,"
                " or another --joint-prefix?"
            )
        if not self._taken:
            return "holds no joint state"
        missing = [
            *([] if self._positions else ["positions"]),
            *([] if self._velocities else ["velocities"]),
        ]
        return f"{' and '.join(missing)} missing" if missing else ""


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")

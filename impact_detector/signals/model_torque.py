# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reference torque from the robot's model, where no desired torque was recorded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
import pinocchio as pin

from impact_detector.exceptions import DetectorError
from impact_robots import Robot

Friction = Callable[[np.ndarray], np.ndarray]


class ModelTorque:
    """Inverse dynamics M(q) qddot + h(q, qdot), plus friction, from measured motion alone.

    The acceleration is causal: the slope of the least-squares line through the last ``samples``
    velocities over their own, not necessarily uniform, time stamps. With 31 samples at 1 kHz and
    velocity noise of 4e-3 rad/s its standard deviation is 0.08 rad/s^2 and its delay 15 ms, which
    has little effect for joints of small inertia. An impact's torque is external to this model,
    so it remains in the difference between measured and model torque.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        samples: int = 31,
        friction: Friction | None = None,
        tool: bool = True,
    ) -> None:
        """Set up.

        Args:
            robot: whose model is used.
            samples: length of the differentiation window, at least 3.
            friction: friction torque as a function of joint velocity, None for none.
            tool: False leaves out the tool of the robot's YAML (the URDF alone).

        Raises:
            DetectorError: the window is too short.
        """
        if samples < 3:
            raise DetectorError(f"samples: expected at least 3, got {samples}")
        self._model = robot.model if tool else _model_without_tool(robot)
        self._data = self._model.createData()
        self._friction = friction
        self._samples = samples
        self.reset()

    def reset(self) -> None:
        """Clear the window."""
        self._times: deque[int] = deque(maxlen=self._samples)
        self._velocities: deque[np.ndarray] = deque(maxlen=self._samples)

    def update(self, time: int, q: np.ndarray, dq: np.ndarray) -> np.ndarray | None:
        """Return the model's torque at one measurement, shape (n,) [N.m].

        Args:
            time: of the measurement [ns]; an earlier one clears the window.
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].

        Returns:
            None until the window is full, and for values that are not finite.
        """
        if self._times and time < self._times[-1]:
            self.reset()
        if not (np.isfinite(q).all() and np.isfinite(dq).all()):
            return None
        if not self._times or time > self._times[-1]:
            self._times.append(time)
            self._velocities.append(dq)
        if len(self._times) < self._samples:
            return None
        torque = pin.rnea(self._model, self._data, q, dq, self._acceleration())
        return torque if self._friction is None else torque + self._friction(dq)

    def gravity(self, q: np.ndarray) -> np.ndarray:
        """Return the gravity torque at positions ``q`` [rad], shape (n,) [N.m]."""
        return pin.computeGeneralizedGravity(self._model, self._data, q).copy()

    def _acceleration(self) -> np.ndarray:
        """Return the slope of the line through the window's velocities, shape (n,) [rad/s^2]."""
        newest = self._times[-1]
        seconds = np.array([time - newest for time in self._times]) * 1e-9
        seconds -= seconds.mean()
        return seconds @ np.array(self._velocities) / (seconds @ seconds)


def _model_without_tool(robot: Robot) -> pin.Model:
    """Return the model of the robot's URDF alone, with the robot's joints only."""
    full = pin.buildModelFromXML(robot.urdf)
    locked = [
        joint
        for joint, name in enumerate(full.names)
        if joint > 0 and name not in robot.joint_names
    ]
    return pin.buildReducedModel(full, locked, pin.neutral(full))

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Configurations with the contact point at a target and the tool facing the surface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from impact_qp.compiled.records import Allowed, Newton
from impact_qp.exceptions import ControlError
from impact_robots import Robot
from impact_robots.compiling.direct_call import direct
from impact_robots.state.axis_chain import axis_chain

RESERVE = 0.05  # to the position limits [rad]
_TURN = np.pi  # a joint without limits is searched one turn around the middle
_NEWTON = Newton(iterations=30, reached=1e-8, damping=1e-6)


class Reach:
    """Moves a contact frame to points, within the joints' limits and a tilt of the tool.

    Its steps are compiled, see :mod:`~impact_qp.compiled.reach_steps`.

    Attributes:
        low: lowest joint positions, shape (n,) [rad].
        high: highest joint positions, shape (n,) [rad].
        least: cosine of the largest tilt.
    """

    def __init__(
        self,
        robot: Robot,
        frame: str | None,
        *,
        facing: np.ndarray,
        normal: np.ndarray,
        tilt: float,
        around: np.ndarray,
    ) -> None:
        """Set up.

        Args:
            robot: the arm.
            frame: that hits; none: the robot's contact frame.
            facing: direction of the tool that points along the normal, in axes of the frame,
                shape (3,), of length 1.
            normal: outward normal of the surface, base axes, shape (3,), of length 1.
            tilt: largest rotation from the normal, >= 0; rotation about the normal is free
                [rad].
            around: joint positions that are always allowed, shape (n,) [rad].

        Raises:
            ControlError: no joint moves the frame, or one that does has not one axis.
        """
        self._model, self._data = robot.model, robot.model.createData()
        self._frame = robot.model.getFrameId(frame or robot.contact_frame)
        limits = robot.limits
        self.low = np.minimum(np.maximum(limits.position_lower + RESERVE, around - _TURN), around)
        self.high = np.maximum(np.minimum(limits.position_upper - RESERVE, around + _TURN), around)
        self._normal, self._facing = _floats(normal), _floats(facing)
        self.least = float(np.cos(tilt))
        chain = axis_chain(robot.model, self._frame)
        if chain is None:
            name = frame or robot.contact_frame
            raise ControlError(f"contact frame: expected one that the joints move, got {name!r}")
        self._chain, self._steps = chain, _compiled()

    def to(self, point: np.ndarray, q: np.ndarray) -> np.ndarray | None:
        """Return the allowed configuration at a point that is nearest to ``q``, or None.

        Args:
            point: base axes, shape (3,) [m].
            q: start, shape (n,) [rad].
        """
        return self._found(*self._steps.to_point(*self._asked(point, q)))

    def bring(self, point: np.ndarray, q: np.ndarray) -> np.ndarray | None:
        """Return an allowed configuration at a point, from farther away than :meth:`to`, or None.

        The tool is rotated, too, and joints stay within their limits.

        Args:
            point: base axes, shape (3,) [m].
            q: start, shape (n,) [rad].
        """
        return self._found(*self._steps.bring_to_point(*self._asked(point, q)))

    def around(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return q after a step that hardly moves the contact frame, shape (n,) [rad]."""
        return self._steps.step_around(self._chain, _NEWTON, _floats(q), _floats(step))

    def _asked(self, point: np.ndarray, q: np.ndarray) -> tuple[Any, ...]:
        """Return the arguments of the compiled functions for a point."""
        allowed = Allowed(self.low, self.high, self._normal, self._facing, self.least)
        return self._chain, allowed, _NEWTON, _floats(point), _floats(q)

    @staticmethod
    def _found(allowed: bool, q: np.ndarray) -> np.ndarray | None:
        return q if allowed else None

    def place(self, q: np.ndarray) -> pin.SE3:
        """Return the pose of the contact frame."""
        pin.forwardKinematics(self._model, self._data, q)
        return pin.updateFramePlacement(self._model, self._data, self._frame)

    def cosine(self, place: pin.SE3) -> float:
        """Return the cosine of the rotation of the tool from the surface normal."""
        return float(self._normal @ place.rotation @ self._facing)


class _Steps(NamedTuple):
    """The compiled functions."""

    to_point: Callable[..., tuple[bool, np.ndarray]]
    bring_to_point: Callable[..., tuple[bool, np.ndarray]]
    step_around: Callable[..., np.ndarray]


def _compiled() -> _Steps:
    """Return the compiled functions."""
    from impact_qp.compiled import reach_steps as steps  # loads slowly

    return _Steps(direct(steps.to_point), direct(steps.bring_to_point), direct(steps.step_around))


def _floats(values: np.ndarray) -> np.ndarray:
    """Return values as arguments of the compiled functions, shape (k,)."""
    return np.asarray(values, dtype=float).reshape(-1)

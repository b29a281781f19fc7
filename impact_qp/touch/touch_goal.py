# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a touch is asked to do: where to move, which force to stay below, what follows contact."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np

from impact_qp.exceptions import ControlError
from impact_qp.goals.goal_reader import LONGEST, given
from impact_robots import PointState, Robot

HOLD, RETRACT, RELEASE = "hold", "retract", "release"
THENS = (HOLD, RETRACT, RELEASE)  # by the constants of the action from 1 on
SENSORS, CURRENTS, NONE = "sensors", "currents", "none"
EFFORTS = (SENSORS, CURRENTS, NONE)  # the same
FARTHEST = 1.0  # distance limit of a goal [m]


@dataclass(frozen=True)
class TouchNoise:
    """Standard deviations of measurements; the defaults as measured on a real Panda."""

    position: float = 1e-5  # [rad]
    velocity: float = 4e-3  # [rad/s]
    torque: float = 0.08  # [N.m]


@dataclass(frozen=True)
class TouchGoal:
    """Move along a direction until contact.

    Raises:
        ControlError: names the field, the expected and the received value.
    """

    direction: tuple[float, ...]  # of the motion, base axes, any length but zero, shape (3,)
    force: float  # that the contact stays below [N]
    stiffness: float  # highest of what may be touched [N/m]
    speed: float = nan  # NaN: as fast as the promise allows [m/s]
    distance: float = 0.1  # limit of the motion [m]
    timeout: float = nan  # NaN: from distance and speed [s]
    then: str = HOLD  # after contact
    retract: float = 0.0  # from the contact, of "retract" [m]
    effort: str = SENSORS  # what the measured efforts are
    torque_errors: tuple[float, ...] = ()  # of the model, per joint; empty: of the limits [N.m]
    reflex: tuple[float, ...] = ()  # thresholds of the arm's own reflex; empty: unknown [N.m]
    noise: TouchNoise = TouchNoise()

    def __post_init__(self) -> None:
        """Check the fields that need no robot."""
        direction = np.asarray(self.direction, dtype=float)
        usable = direction.shape == (3,) and np.isfinite(direction).all()
        if not (usable and np.linalg.norm(direction) > 1e-9):
            raise ControlError(f"direction: expected three numbers, not all 0, got {direction}")
        for name, most, unit in (
            ("force", 1e4, "N"),
            ("stiffness", 1e12, "N/m"),
            ("distance", FARTHEST, "m"),
        ):
            value = getattr(self, name)
            if not 0.0 < value <= most:
                raise ControlError(f"{name}: expected above 0 up to {most:g} {unit}, got {value:g}")
        for name, most, unit in (("speed", 10.0, "m/s"), ("timeout", LONGEST, "s")):
            value = getattr(self, name)
            if given(value) and not 0.0 < value <= most:
                raise ControlError(f"{name}: expected above 0 up to {most:g} {unit}, got {value:g}")
        for name, choices in (("then", THENS), ("effort", EFFORTS)):
            value = getattr(self, name)
            if value not in choices:
                raise ControlError(f"{name}: expected one of {', '.join(choices)}, got {value!r}")
        if self.then == RETRACT and not 0.0 < self.retract <= FARTHEST:
            raise ControlError(
                f"retract_distance: expected above 0 up to {FARTHEST:g} m, got {self.retract:g}"
            )

    @property
    def unit(self) -> np.ndarray:
        """Unit direction, base axes, shape (3,)."""
        direction = np.array(self.direction, dtype=float)
        return direction / np.linalg.norm(direction)


def joint_values(name: str, values: tuple[float, ...], robot: Robot) -> np.ndarray | None:
    """Return a number above 0 for each joint, shape (n,); None: not given.

    Raises:
        ControlError: another number of numbers, or one out of its range.
    """
    array = np.array(values, dtype=float)
    if array.size == 0:
        return None
    if array.shape != (robot.dof,) or not ((array > 0.0) & (array < inf)).all():
        raise ControlError(f"{name}: expected {robot.dof} numbers above 0, got {list(values)}")
    return array


def touch_goal(message: Any, robot: Robot, state: PointState, stiffness: float) -> TouchGoal:
    """Return the goal of an impact_msgs/Touch message.

    Args:
        message: of the action.
        robot: the arm.
        state: of it, now.
        stiffness: highest that the node's parameters allow; used if the goal leaves it open [N/m].

    Raises:
        ControlError: names the field, the expected and the received value.
    """
    frame, base = message.direction.header.frame_id, robot.base_frame
    if frame not in ("", base, robot.contact_frame):
        raise ControlError(
            f"direction: expected axes of {base} or {robot.contact_frame}, got {frame!r}"
        )
    said = message.direction.vector
    direction = np.array([said.x, said.y, said.z])
    if frame == robot.contact_frame != base:
        direction = state.rotation @ direction
    asked = message.stiffness if given(message.stiffness) else stiffness
    if asked == inf:
        raise ControlError(
            "stiffness: expected the highest stiffness of what may be touched, got none, and the"
            " node's parameter has no upper end"
        )
    return TouchGoal(
        tuple(direction),
        message.force,
        asked,
        message.speed if given(message.speed) else nan,
        message.distance,
        message.timeout if given(message.timeout) else nan,
        _named("then", THENS, message.then),
        message.retract_distance,
        _named("effort", EFFORTS, message.effort),
        tuple(message.torque_errors),
        tuple(message.reflex_torques),
    )


def _named(name: str, choices: tuple[str, ...], value: int) -> str:
    """Return a choice by its constant; 0: the first one."""
    if not 0 <= value <= len(choices):
        raise ControlError(f"{name}: expected 0 to {len(choices)}, got {value}")
    return choices[max(0, value - 1)]

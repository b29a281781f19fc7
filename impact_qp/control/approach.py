# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The tasks of an approach and of pressing, and their references in each phase."""

from __future__ import annotations

from math import cos, inf
from typing import TYPE_CHECKING

import numpy as np

from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_qp.tasks import OrientationTask, PostureTask, Task, VelocityTask
from impact_robots.compiling.direct_call import direct
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

RAMP = 0.2  # duration up to the full force [s]
USABLE = 0.98  # of the limits; the rest keeps the tool in place
PREVIEW = 0.5  # fraction of T_p that the impact row looks ahead while pressing, see below


def press_acceleration(robot: Robot, point: PointState, normal: np.ndarray) -> np.ndarray:
    r"""Return the accelerations (n,) [rad/s^2] of a free arm that presses with 1 N.

    :math:`-(M + B_\theta)^{-1} J_n^T`: the torques :math:`u = (M + B_\theta)\ddot q + h` with them
    balance a force of 1 N along the normal while the surface holds the arm. As a part of
    :math:`\ddot q` they are under all the limits of the motion that would follow, were the surface
    to vanish.

    Args:
        robot: the arm.
        point: of it that presses.
        normal: of the surface, towards the robot, base axes, shape (3,).
    """
    inertia = point.robot_state.inertia(robot.apparent_motor_inertia)
    return -np.linalg.solve(inertia, normal.dot(point.J[:3]))


def highest_press_force(
    robot: Robot, again: float, point: PointState, normal: np.ndarray, preview: float
) -> tuple[float, str]:
    """Return the highest force [N] that the limits allow at rest, and what sets it.

    Args:
        robot: the arm.
        again: speed at which an arm that loses the surface may hit it again; infinite: any [m/s].
        point: of the arm that presses, at rest.
        normal: of the surface, towards the robot, base axes, shape (3,).
        preview: T_p of the impact limit [s].
    """
    per_newton, limits = press_acceleration(robot, point, normal), robot.limits
    torque = -normal.dot(point.J[:3])
    choices = [(inf, "nothing")]
    with np.errstate(divide="ignore", invalid="ignore"):
        fast = limits.acceleration / np.abs(per_newton)
        room = np.where(torque > 0.0, limits.torque - point.g, limits.torque + point.g)
        strong = np.where(torque == 0.0, inf, np.maximum(room, 0.0) / np.abs(torque))
    for values, what in ((fast, "acceleration"), (strong, "torque")):
        joint = int(np.argmin(values))
        choices.append((float(values[joint]), f"{robot.joint_names[joint]} {what}"))
    if again < inf:
        towards = -float(normal.dot(point.J[:3]).dot(per_newton))
        choices.append((max(0.0, again) / (towards * PREVIEW * preview), "a second impact"))
    limit, what = min(choices)
    return USABLE * limit, what


POSTURE_DAMPING, BRAKING_RATE = 6.3, 20.0  # of the joints, that of a braking arm [1/s]
HOLDING = 5.0  # speed back to the held position, over the distance to it [1/s]
PUSHED = 0.3  # displacement of a joint beyond which it was pushed away [rad; m]
TURNED = 0.15  # the same for the tool's orientation [rad]
RETURN = 0.025  # highest speed back there [m/s]


class ApproachTasks:
    """Moves the contact point along the normal, keeps the tool's orientation and the posture.

    Attributes:
        speed: reference along the normal, away from the surface [m/s].
        coasting: torques beyond gravity of a coasting arm, shape (n,) [N.m]; none: gravity alone.
    """

    coasting: np.ndarray | None = None

    def __init__(
        self,
        robot: Robot,
        plan: Plan,
        period: float,
        *,
        velocity: VelocityTask | None = None,
    ) -> None:
        """Set up for a control period [s]; without a velocity task that of the suite's gains."""
        from impact_qp.compiled.motion_step import along  # loads slowly

        self._along, self._moving = direct(along), np.zeros(3)  # reference of a moving arm [m/s]
        self._plan, self._period = plan, period
        self._normal, self._into = plan.contact.normal, -min(plan.speed, plan.speed_cap)
        self.velocity = VelocityTask() if velocity is None else velocity
        self.orientation, self.posture = OrientationTask(), PostureTask(robot.dof)
        self.reset()

    @property
    def tasks(self) -> tuple[Task, ...]:
        """What the program weighs, in the order of its rows."""
        return self.velocity, self.orientation, self.posture

    def reset(self) -> None:
        """Restart."""
        self.speed = 0.0
        self._step: float | None = None  # of the reference in the last cycle of this phase [m/s]
        self._held: np.ndarray | None = None  # contact point in HOLD, base axes [m]

    def enter(self, phase: Phase, point: PointState) -> None:
        """Begin a phase where the contact ``point`` is."""
        self.speed, self._step = 0.0, None
        self._held = point.position if phase is Phase.HOLD else None
        self.posture.damping = BRAKING_RATE if phase is Phase.BRAKE else POSTURE_DAMPING
        self._stay_at(point)

    def _stay_at(self, point: PointState) -> None:
        """Set the references of orientation and posture to the present ones."""
        self.orientation.reference = point.rotation
        self.posture.reference = point.q

    def pushed(self, point: PointState) -> bool:
        """Tell whether the arm was pushed from its held position: it then holds the new one."""
        if self._held is None:
            return False
        away, moved = point.position - self._held, np.abs(point.q - self.posture.reference)
        turn = 0.5 * (float(np.vdot(self.orientation.reference, point.rotation)) - 1.0)
        return bool(
            away.dot(away) > self._plan.hold_distance**2
            or moved.max() > PUSHED
            or turn < cos(TURNED)
        )

    def update(self, phase: Phase, state: PackedState, ready: bool) -> None:
        """Ramp the reference velocity towards the phase's speed along the normal, or hold.

        Args:
            phase: of this cycle.
            state: now.
            ready: an impact would be seen; without it the arm does not approach.
        """
        plan, task = self._plan, self.velocity
        if self._held is not None:
            back = HOLDING * (self._held - state.position)
            task.reference = back * (RETURN / max(float(np.sqrt(back.dot(back))), RETURN))
            task.feedforward = np.zeros(3)
            return
        if phase.brakes:  # wherever it is: no return while it brakes
            self._stay_at(state.point)
        change, limit = self._target(phase, ready) - self.speed, plan.ramp * self._period
        if change == 0.0 == self._step:
            return
        step = min(max(change, -limit), limit)
        self.speed += step
        if self._step is None:
            task.reference = self._moving
        if step or self._step is None:
            self._along(self._normal, self.speed, self._moving)
        if step != self._step:
            task.feedforward = step / self._period * self._normal
            self._step = step

    def _target(self, phase: Phase, ready: bool) -> float:
        """Return the target speed of a phase along the normal [m/s]."""
        if phase.approaches:
            return self._into if ready else 0.0
        if phase is Phase.RETRACT:
            return min(self._plan.retract_speed, self._plan.speed_cap)
        return 0.0

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Stop of one arm of several: it brakes for a bounded time, and then holds its position."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from impact_qp.control.estimate import VelocityFilter
from impact_qp.guards.unexplained import UnexplainedLoad
from impact_qp.references import Knot, Quintics, ReferenceState
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

HOLD_DISTANCE = 0.05  # displacement of the contact point beyond which its new position is held [m]
HOLD_TURN = 0.3  # of the contact frame or the first joint, the same [rad]
RETURNS = 0.1  # highest return speed to the held position [m/s; rad/s]


class ArmStop:
    """Target of an arm that stops; it counts cycles, independent of any clock.

    Attributes:
        begun: the arm stops.
        held: braking is over; the arm is held where it was then.
        note: the largest torque that the model does not explain, "" while all are small.
    """

    def __init__(
        self, robot: Robot, period: float, *, cap: float = inf, distance: float = HOLD_DISTANCE
    ) -> None:
        """Prepare for an arm.

        Args:
            robot: the arm.
            period: of control [s].
            cap: on the speed with which braking begins [m/s].
            distance: displacement of the contact point beyond which its new position is held [m].
        """
        self._robot, self._period, self._cap, self._distance = robot, period, cap, distance
        self._filter, self._load = VelocityFilter(period), UnexplainedLoad(robot)
        self._filter.alert = True
        self.reset()

    def reset(self) -> None:
        """Restart at the position of the next state."""
        self._motion: Quintics | None = None
        self._anchor, self._rotation = np.zeros(4), np.eye(3)
        self._time, self._ddq = 0.0, np.zeros(self._robot.dof)
        self._filter.reset()
        self.held, self.note = False, ""

    @property
    def begun(self) -> bool:
        """Whether the arm stops."""
        return self._motion is not None

    def wanted(
        self, point: PointState, within: float, stiffness: np.ndarray, periods: int = 1
    ) -> tuple[ReferenceState, np.ndarray]:
        """Return motion of [p; xi] and rotation (3, 3) for one cycle.

        Args:
            point: of the arm, base axes.
            within: braking time, which includes the first cycle [s].
            stiffness: of position, orientation and first joint, shape (3,) [1/s^2].
            periods: since the last call.
        """
        if self._motion is None:
            self._begin(point, within)
        assert self._motion is not None
        self._time += periods * self._period
        if not self.held and self._time > self._motion.end:
            self.hold(point)
        if not self.held:
            return self._motion(self._time), self._rotation
        if self._is_pushed(point):
            self._filter.reset()  # a push is no payload
            self.hold(point)
        return self._near(point, stiffness), self._rotation

    def hold(self, point: PointState) -> None:
        """Hold the present position of the arm from now on, without further braking."""
        if self._motion is None:
            self._begin(point, self._period)
        self._anchor, self._rotation = _place(point), np.array(point.rotation, order="C")
        self.held = True

    def _begin(self, point: PointState, within: float) -> None:
        """Begin to brake: from the arm's position, at its speed but below the cap."""
        place, still = _place(point), np.zeros(4)
        speed = float(np.linalg.norm(point.velocity))
        linear = point.velocity * min(1.0, self._cap / max(speed, 1e-9))
        limit = float(self._robot.limits.velocity[0])
        velocity = np.append(linear, min(max(float(point.dq[0]), -limit), limit))
        rest = place + velocity * within / 2
        self._motion = Quintics(
            [Knot(0.0, place, velocity, still), Knot(within, rest, still, still)]
        )
        self._rotation = np.array(point.rotation, order="C")

    def _is_pushed(self, point: PointState) -> bool:
        """Tell whether the arm was moved away from its held position."""
        away = _place(point) - self._anchor
        turn = 0.5 * (float(np.trace(self._rotation.T @ point.rotation)) - 1.0)
        return (
            float(np.linalg.norm(away[:3])) > self._distance
            or abs(away[3]) > HOLD_TURN
            or turn < np.cos(HOLD_TURN)
        )

    def _near(self, point: PointState, stiffness: np.ndarray) -> ReferenceState:
        """Return a reference towards the anchor, closer if the arm returns fast.

        A push meets the full stiffness; a released arm returns slowly.
        """
        place, still = _place(point), np.zeros(4)
        back = self._anchor - place
        near = 2.0 * RETURNS / np.sqrt(stiffness)  # damping is critical
        back[:3] *= _eased(back[:3], point.velocity, near[0])
        back[3] *= _eased(back[3:], point.dq[:1], near[2])
        return ReferenceState(place + back, still, still)

    # --- what is not announced ----------------------------------------------------------------

    def loaded(self, state: PackedState, periods: int = 1) -> PackedState:
        """Return the state with an unannounced payload in its bias forces.

        Called once per cycle, ``periods`` after the last call.
        """
        self._filter.update(state.q, state.dq, self._ddq, periods)
        unexplained = self._filter.unexplained
        assert unexplained is not None
        self._load.look(state.M, state.J[2], unexplained)
        self.note = self._load.note
        return state.opposing(self._load.torque)

    def sent(self, point: PointState, torque: np.ndarray) -> None:
        """Store the torque sent in a state without payload, gravity included, shape (n,) [N.m]."""
        inertia = point.robot_state.inertia(self._robot.apparent_motor_inertia)
        self._ddq = np.linalg.solve(inertia, torque - point.h)


def _place(point: PointState) -> np.ndarray:
    """Return [p; xi], shape (4,)."""
    return np.append(point.position, point.q[0])


def _eased(back: np.ndarray, velocity: np.ndarray, near: float) -> float:
    """Return the fraction of a displacement to follow, by the return speed.

    Args:
        back: displacement, any size [m or rad].
        velocity: of the same size [m/s or rad/s].
        near: displacement at which the arm would be as fast as ``RETURNS`` [m or rad].
    """
    far = float(np.linalg.norm(back))
    if far <= near:
        return 1.0
    fraction = float(back @ velocity) / far / RETURNS
    return 1.0 - (1.0 - near / far) * min(max(fraction, 0.0), 1.0)

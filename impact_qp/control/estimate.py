# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Estimates motion and unexplained load of a torque-controlled arm beyond its measurements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from impact_qp.control.phases import Phase
from impact_qp.guards.unexplained import UnexplainedLoad
from impact_robots.compiling.direct_call import direct
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

SMOOTHING = 0.05  # of the reported accelerations [s]
SAMPLE = 1e-3  # sample period to which the acceleration noise refers [s]
LONGEST = 10  # longest gap between measurements that the filter bridges, in periods
ALERT_SMOOTHING, ALERT_DRIFT = 0.01, 0.1  # the same, and the drift, for a standing arm
CONTRADICTION = 0.1  # largest error of a standing arm's measured velocity [rad/s]


@dataclass(frozen=True)
class FilterNoise:
    """Standard deviations that the filter expects; the first two as measured on a real Panda."""

    position: float = 1e-5  # of the measured position [rad]
    velocity: float = 4e-3  # of the measured velocity [rad/s]
    acceleration: float = 0.2  # of accelerations beyond the command, per sample [rad/s^2]
    drift: float = 0.02  # of their slow part, per sample [rad/s^2]


class VelocityFilter:
    r"""Estimates :math:`\dot q` of each joint from measured q, qdot and the commanded qddot.

    The speed bound of an impact is tracked as tightly as the velocity is known; the measured one
    alone (4e-3 rad/s) moves a Panda's contact speed by about 1 %, all of the bound's margin. The
    state of a joint is :math:`(q, \dot q, a)`, with ``a`` the slowly varying acceleration that the
    command does not explain (friction, errors of the model), so that these leave no bias.

    Attributes:
        alert: ``a`` is followed quickly, with more noise: for an arm that stands, and may be
            loaded.
        unexplained: accelerations that the commands do not explain, shape (n,) [rad/s^2]; None
            after a reset. Friction, errors of the model: smoothed over ``SMOOTHING``, for they
            change slowly. The next :meth:`update` overwrites them.
    """

    def __init__(self, period: float) -> None:
        """Compute the gain for a period [s]; ``reset`` before the first ``update``."""
        from impact_qp.compiled.motion_step import filtered  # loads slowly

        self._filtered, self._period = direct(filtered), period
        noise = FilterNoise()
        alert = replace(noise, drift=ALERT_DRIFT)
        samples = max(1, round(period / SAMPLE))  # per period
        self._gains = tuple(
            [
                (_step(period / samples, each, n * samples), min(1.0, n * period / time))
                for n in range(1, LONGEST + 1)
            ]
            for each, time in ((noise, SMOOTHING), (alert, ALERT_SMOOTHING))
        )
        self.alert = False
        self.reset()

    def reset(self, start: np.ndarray | None = None) -> None:
        """Restart from the next measurement.

        Args:
            start: accelerations that no command explains there, (n,) [rad/s^2]; None: none.
        """
        self._known = np.zeros((3, 0))  # state, shape (3, n)
        self.unexplained: np.ndarray | None = None
        self._start = start

    def update(
        self, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray, periods: int = 1
    ) -> np.ndarray:
        """Return the estimated velocities, shape (n,) [rad/s].

        Args:
            q: measured positions, shape (n,) [rad].
            dq: measured velocities, shape (n,) [rad/s].
            ddq: accelerations commanded since the last call, shape (n,) [rad/s^2].
            periods: since the last call; more than one where measurements were missed, and after
                more than ``LONGEST`` velocities are the measured ones.
        """
        unexplained = self.unexplained
        if unexplained is None:
            start = np.zeros(len(q)) if self._start is None else self._start.copy()
            self.unexplained, self._known = start, np.array([q, dq, start])
            return np.array(dq)
        if periods > LONGEST:
            self._known[:2] = q, dq
            return np.array(dq)
        if self.alert:  # a sensor with wrong velocities must not move a standing arm
            moved = (q - self._known[0]) / (periods * self._period)
            dq = np.clip(dq, moved - CONTRADICTION, moved + CONTRADICTION)
        velocity = np.empty(len(q))
        step, smoothing = self._gains[self.alert][periods - 1]
        self._filtered(step, self._known, unexplained, q, dq, ddq, smoothing, velocity)
        return velocity


@cache  # a new goal creates a controller within a cycle, which has no time for this
def _step(dt: float, noise: FilterNoise, samples: int) -> np.ndarray:
    """Return the filter gain from state and measurement to the new state, shape (3, 6).

    One of every ``samples`` measurements arrives.
    """
    from scipy.linalg import solve_discrete_are  # loads slowly

    A, B = _motion(dt)
    each = np.outer(B, B) * noise.acceleration**2 + np.diag([0.0, 0.0, noise.drift**2])
    Q = each
    for _ in range(samples - 1):
        Q = A @ Q @ A.T + each
    A, B = _motion(samples * dt)
    C = np.eye(3)[:2]
    R = np.diag([noise.position**2, noise.velocity**2])
    P = solve_discrete_are(A.T, C.T, Q, R)
    gain = np.linalg.solve(C @ P @ C.T + R, C @ P).T  # shape (3, 2)
    keep = np.eye(3) - gain @ C
    step = np.hstack([keep @ A, keep @ B[:, None], gain])
    step.setflags(write=False)
    return step


def _motion(dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the state transition of a joint over dt, (3, 3), and its input vector, (3,)."""
    A = np.array([[1.0, dt, dt**2 / 2], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
    return A, np.array([dt**2 / 2, dt, 0.0])


class MotionEstimate:
    """Joint velocities without noise or lag, and the load that the model does not explain.

    Right after an impact, when velocities jump, and while pressing, when the surface carries the
    commanded force, velocities are the measured ones, and the load is that of before.
    """

    def __init__(self, robot: Robot, period: float) -> None:
        """Set up for an arm and a control period [s]."""
        self._filter, self._load = VelocityFilter(period), UnexplainedLoad(robot)
        self._none, self._motor = np.zeros(robot.dof), robot.apparent_motor_inertia
        self._kept = False  # the load is that of before an impact
        self.forget()

    def forget(self) -> None:
        """Forget the motion, not the load."""
        self._filter.reset(self._load.opposed)
        self._ddq = self._opposed = self._none

    def reset(self) -> None:
        """Forget both."""
        self._load.reset()
        self.forget()

    @property
    def borne(self) -> np.ndarray:
        """Torques that bear the load, shape (n,) [N.m]; zero if there is none."""
        return -self._load.torque if self._load.counts else self._none

    @property
    def has_load(self) -> bool:
        """Whether there is a load."""
        return self._load.counts

    def velocity(
        self, q: np.ndarray, dq: np.ndarray, phase: Phase, periods: int, *, impact: bool
    ) -> np.ndarray:
        """Return joint velocities, shape (n,) [rad/s].

        Args:
            q: measured positions, shape (n,) [rad].
            dq: measured velocities, shape (n,) [rad/s].
            phase: of the last cycle.
            periods: since then.
            impact: an impact is detected.
        """
        if impact or phase.follows:
            self._filter.reset()  # friction turns round with the motion
        self._filter.alert = phase.stands
        return self._filter.update(q, dq, self._ddq, periods)

    def loaded(
        self, state: PackedState, phase: Phase, *, look: bool, surface: np.ndarray | None = None
    ) -> tuple[PackedState, str]:
        """Return the state with the load on the arm, and a note on it.

        The load of a moving arm changes slowly, so it is not estimated in every cycle. While only
        the measured motion counts (``phase.follows``), it is that of before.

        Args:
            state: of the contact point.
            phase: of this cycle.
            look: estimate the load of a moving arm.
            surface: outward normal, base axes, shape (3,), of a surface in possible contact.
        """
        unexplained, load = self._filter.unexplained, self._load
        self._opposed = self._none
        if phase.follows:
            if not self._kept:
                load.take_back()
            self._kept = True
            return (state.opposing(load.torque) if load.counts else state), load.note
        self._kept = False
        if unexplained is None:
            load.reset()
            return state, ""
        if look or phase.stands:
            if surface is not None and phase.stands:
                unexplained = self._without_push(state.point, unexplained, surface)
            load.look(state.M, state.J[2], unexplained)
        if not load.counts:
            return state, ""
        self._opposed = load.opposed
        return state.opposing(load.torque), load.note

    def _without_push(
        self, state: PointState, unexplained: np.ndarray, normal: np.ndarray
    ) -> np.ndarray:
        """Return unexplained accelerations (n,) [rad/s^2] without the contact force on the point.

        Compensating that force would increase it.
        """
        J = state.J[:3]
        mobility = np.linalg.solve(state.robot_state.inertia(self._motor), J.T)
        force = np.linalg.pinv(J @ mobility) @ (J @ unexplained)
        return unexplained - mobility @ normal * max(0.0, float(normal @ force))

    @property
    def left_over(self) -> np.ndarray | None:
        """Accelerations (n,) [rad/s^2] that are neither explained nor compensated."""
        unexplained = self._filter.unexplained
        if self._opposed is self._none or unexplained is None:
            return unexplained
        return unexplained - self._opposed

    def remember(self, ddq: np.ndarray) -> None:
        """Store the commanded accelerations, shape (n,) [rad/s^2]."""
        self._ddq = ddq
        if self._opposed is not self._none:
            self._ddq = ddq - self._opposed  # by the model without the compensated load

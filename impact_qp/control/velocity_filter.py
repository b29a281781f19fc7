# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint velocity from noisy positions and velocities, without lag: a steady-state Kalman filter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

SMOOTHING = 0.05  # of the accelerations that are reported [s]
SAMPLE = 1e-3  # to which the noise of accelerations refers [s]
LONGEST = 10  # periods from one measurement to the next that a filter bridges
ALERT_SMOOTHING, ALERT_DRIFT = 0.01, 0.1  # the same, and the drift, of a standing arm
CONTRADICTION = 0.1  # by which a standing arm's velocity may differ from its positions' [rad/s]


@dataclass(frozen=True)
class FilterNoise:
    """Standard deviations that the filter expects; the first two as measured on a real Panda."""

    position: float = 1e-5  # of the measured position [rad]
    velocity: float = 4e-3  # of the measured velocity [rad/s]
    acceleration: float = 0.2  # of what moves the joint beyond the command, per sample [rad/s^2]
    drift: float = 0.02  # of the slow part of it, per sample [rad/s^2]


class VelocityFilter:
    r"""Estimates :math:`\dot q` of each joint from measured q, qdot and the commanded qddot.

    The speed bound of an impact is tracked as tightly as the velocity is known; the measured one
    alone (4e-3 rad/s) moves a Panda's contact speed by about 1 %, all of the bound's margin. The
    state of a joint is :math:`(q, \dot q, a)`, with ``a`` the slowly varying acceleration that the
    command does not explain (friction, errors of the model), so that these leave no bias.

    Attributes:
        alert: ``a`` is followed quickly, at the price of noise: of an arm that is to stand, and may
            be given a load.
    """

    def __init__(self, period: float, noise: FilterNoise | None = None) -> None:
        """Work out the gain for a period [s]; ``reset`` before the first ``update``."""
        from impact_qp.compiled.motion_step import filtered  # loads slowly

        self._filtered, self._period = filtered, period
        noise = FilterNoise() if noise is None else noise
        alert = replace(noise, drift=ALERT_DRIFT)
        share = max(1, round(period / SAMPLE))  # samples in a period
        self._gains = tuple(
            [
                (_step(period / share, each, n * share), min(1.0, n * period / time))
                for n in range(1, LONGEST + 1)
            ]
            for each, time in ((noise, SMOOTHING), (alert, ALERT_SMOOTHING))
        )
        self.alert = False
        self._slow = np.zeros(0)
        self._known: np.ndarray | None = None  # state, shape (3, n)

    def reset(self) -> None:
        """Start over from the next measurement."""
        self._known = None

    @property
    def unexplained(self) -> np.ndarray | None:
        """Accelerations that the commands do not explain, (n,) [rad/s^2]; None after a reset.

        Friction, errors of the model: smoothed over ``SMOOTHING``, for they change slowly. The next
        ``update`` overwrites them.
        """
        return None if self._known is None else self._slow

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
        if self._known is None:
            nothing = np.zeros_like(q)
            self._known = np.array([q, dq, nothing])
            self._slow = nothing
            return np.array(dq)
        if periods > LONGEST:
            self._known[:2] = q, dq
            return np.array(dq)
        if self.alert:  # a sensor that invents velocities must not move an arm that stands
            moved = (q - self._known[0]) / (periods * self._period)
            dq = np.clip(dq, moved - CONTRADICTION, moved + CONTRADICTION)
        velocity = np.empty(len(q))
        step, share = self._gains[self.alert][periods - 1]
        self._filtered(step, self._known, self._slow, q, dq, ddq, share, velocity)
        return velocity


@cache  # a goal makes a controller in a cycle of the arm, which has no time for this
def _step(dt: float, noise: FilterNoise, samples: int) -> np.ndarray:
    """Return what is known before and measured now to what is known now, shape (3, 6).

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
    """Return what a time does to a joint's state, (3, 3), and what an acceleration does, (3,)."""
    A = np.array([[1.0, dt, dt**2 / 2], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
    return A, np.array([dt**2 / 2, dt, 0.0])

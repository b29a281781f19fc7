# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impacts by the external joint torques of the generalized-momentum observer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from impact_detector.detectors.detector_kind import DETECTORS, DetectorKind, Setup
from impact_detector.detectors.error_detector import ErrorDetector
from impact_detector.signals.noise import LEAST
from impact_detector.signals.sample import MOMENTUM, JointSample
from impact_robots import Robot
from impact_robots.state.momentum_observer import LARGEST_GAP, MomentumObserver, residual_noise

OBSERVER_GAIN = 700.0  # of the observer that the node makes [1/s]


def external_force(J: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """Return the force and moment at a point that explain external torques best.

    Args:
        J: of the point, base axes, shape (6, n).
        torque: external, shape (n,) [N.m].

    Returns:
        shape (6,) [N], [N.m]; the smallest, if several explain them.
    """
    return np.asarray(np.linalg.pinv(J.T) @ torque)


class MomentumDetector(ErrorDetector):
    """Declares an impact when the observed external torques exceed a threshold together.

    Needs positions, velocities and torques, no reference. Its statistic is that of
    :class:`~impact_detector.detectors.error_detector.ErrorDetector` with the residual as error.
    """

    largest_gap = LARGEST_GAP

    def __init__(
        self,
        observer: MomentumObserver,
        joints: Sequence[int],
        threshold: float = 5.0,
        *,
        rearm_time: float = 0.5,
        bias_samples: int = 50,
        multiples: bool = False,
        noise: tuple[np.ndarray, float] | None = None,
    ) -> None:
        """Set up.

        Args:
            observer: of the robot, for this detector alone.
            joints: indices from 0 of the joints whose external torques count.
            threshold: of the sum [N.m], or in standard deviations.
            rearm_time: time below the threshold before the next impact is reported [s].
            bias_samples: quiet samples whose mean is removed; 0: none.
            multiples: the threshold is in standard deviations of learnt noise.
            noise: of the sensors, standard deviations: of the momentum, shape (k,), k joints
                [N.m.s], and of a torque [N.m]; none: not known.

        Raises:
            DetectorError: no joints, or a value out of its range.
        """
        super().__init__(
            MOMENTUM,
            joints,
            threshold,
            rearm_time=rearm_time,
            bias_samples=bias_samples,
            multiples=multiples,
        )
        self._observer, self._sensors = observer, noise

    def _forget(self) -> None:
        """Forget what was observed, too."""
        super()._forget()
        self._observer.reset()

    def _error(self, sample: JointSample) -> np.ndarray | None:
        """Return the residual, shape (n,) [N.m]."""
        if sample.tau is None:
            self._observer.reset()
            return None
        observer = self._observer
        if not observer.update(sample.time, sample.q, sample.dq, sample.tau):
            return None
        if self._sensors is not None:
            by_sensors = residual_noise(observer.gain, observer.period, *self._sensors)
            self._least = LEAST * by_sensors**2
        return observer.residual


def _make(setup: Setup) -> MomentumDetector:
    robot = setup.robot
    return MomentumDetector(
        MomentumObserver(robot, OBSERVER_GAIN),
        setup.joints,
        setup.threshold,
        rearm_time=setup.rearm_time,
        bias_samples=setup.bias_samples,
        multiples=setup.noise_multiples,
        noise=_noise(robot, setup.joints) if setup.noise_multiples else None,
    )


def _noise(robot: Robot, joints: Sequence[int]) -> tuple[np.ndarray, float]:
    """Return the standard deviations of k joints' momenta [N.m.s] and of a torque [N.m]."""
    model = robot.model
    q = robot.stance if np.isfinite(robot.stance).all() else pin.neutral(model)
    M = pin.crba(model, model.createData(), q)
    rows = (np.triu(M) + np.triu(M, 1).T)[list(joints)]
    return robot.velocity_noise * np.linalg.norm(rows, axis=1), robot.torque_noise


DETECTORS.register(
    DetectorKind(MOMENTUM, MomentumDetector, _make, "sum of observed external torques", "N.m", 5.0)
)

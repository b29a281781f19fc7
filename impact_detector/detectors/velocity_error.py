# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact detection by the velocity that the contact point has lost against its reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_detector.detectors.detector_kind import DETECTORS, DetectorKind, Setup
from impact_detector.detectors.error_detector import ErrorDetector
from impact_detector.signals.sample import VELOCITY_ERROR, JointSample
from impact_robots import ArmDynamics, Robot, contact_rotation


class VelocityErrorDetector(ErrorDetector):
    r"""Declares an impact when the contact point is not as fast as desired.

    .. math:: e_v = |n^T J(q)(\dot q^{ref} - \dot q) - b| > e_0

    With an unknown normal n the sizes of the three components are summed. b is the mean of quiet
    samples, as of every :class:`~impact_detector.detectors.error_detector.ErrorDetector`. It finds
    light and soft objects, which joint torques hardly show; it needs a controller that follows
    its desired velocity well, and does not distinguish an impact from a push.
    """

    needs_torque = False
    needs_reference_velocity = True

    def __init__(
        self,
        robot: Robot,
        threshold: float = 0.04,
        *,
        normal: Sequence[float] = (),
        rearm_time: float = 0.5,
        bias_samples: int = 50,
    ) -> None:
        """Set up.

        Args:
            robot: the arm.
            threshold: e_0 [m/s].
            normal: of the surface, base axes, shape (3,); empty, or NaN: unknown.
            rearm_time: time below the threshold before the next impact is reported [s].
            bias_samples: N, 0 for no removal of bias.

        Raises:
            DetectorError: a value is out of its range.
            RobotError: the normal is none.
        """
        known = len(normal) > 0 and not np.isnan(normal).any()
        self._rows = contact_rotation(normal)[:, 2:].T if known else np.eye(3)
        super().__init__(
            VELOCITY_ERROR,
            range(len(self._rows)),
            threshold,
            rearm_time=rearm_time,
            bias_samples=bias_samples,
        )
        self._dynamics = ArmDynamics(robot)

    def _looked_at(self, sample: JointSample) -> tuple[np.ndarray | None, ...]:
        return sample.q, sample.dq, sample.dq_ref

    def _error(self, sample: JointSample) -> np.ndarray | None:
        """Return the velocity that is missing along each row, shape (1 or 3,) [m/s]."""
        if sample.dq_ref is None:
            return None
        missing = self._dynamics(sample.q, sample.dq_ref - sample.dq).velocity
        return self._rows @ missing


def _make(setup: Setup) -> VelocityErrorDetector:
    return VelocityErrorDetector(
        setup.robot,
        setup.threshold,
        normal=setup.normal,
        rearm_time=setup.rearm_time,
        bias_samples=setup.bias_samples,
    )


DETECTORS.register(
    DetectorKind(
        VELOCITY_ERROR,
        VelocityErrorDetector,
        _make,
        "velocity that the contact point lacks",
        "m/s",
        0.04,
    )
)

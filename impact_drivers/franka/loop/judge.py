# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The detector in the loop: a detection status on each state, in time for the next command."""

from __future__ import annotations

import numpy as np

from impact_detector.session import DetectorSession, Outcome
from impact_detector.signals.sample import Detection, DetectionStatus, JointSample
from impact_drivers.franka.arm.arm_state import ArmState

STATUS_AGE = 5_000_000  # maximum age of a detection status when a state is processed [ns]


class Judge:
    """Passes states to a detector session, each followed by the torque that answers it.

    Attributes:
        status: last detection status, None before the first; see :meth:`fresh`.
        detection: last detection, None before the first.
        detections: number of detections so far.
    """

    def __init__(self, session: DetectorSession, before: Judge | None = None) -> None:
        """Start with a new session in lockstep; its estimates are not used here.

        Args:
            session: not used before.
            before: of the previous motion, whose number of detections is continued, or None.
        """
        self._session = session
        self.status: DetectionStatus | None = None
        self.detection: Detection | None = None if before is None else before.detection
        self.detections: int = 0 if before is None else before.detections

    def fresh(self, time: int) -> DetectionStatus | None:
        """Return the last detection status if it is recent enough for a state at ``time`` [ns]."""
        status = self.status
        return None if status is None or time - status.time > STATUS_AGE else status

    def add(self, time: int, state: ArmState, reference: np.ndarray | None) -> None:
        """Take a state.

        Args:
            time: of it [ns].
            state: of the arm.
            reference: expected next torque reading, shape (7,) [N.m]; None: unknown.
        """
        self._keep(self._session.add_state(JointSample(time, state.q, state.dq, state.tau)))
        self._keep(self._session.add_reference(time, reference))

    def _keep(self, outcome: Outcome) -> None:
        for status in outcome.statuses:
            self.status = status
        for detection in outcome.detections:
            self.detection = detection
            self.detections += 1

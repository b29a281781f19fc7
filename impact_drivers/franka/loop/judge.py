# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The detector in the loop: a verdict on each state, in time for the next command."""

from __future__ import annotations

import numpy as np

from impact_detector.session import DetectorSession, Outcome
from impact_detector.signals.sample import Detection, JointSample, Verdict
from impact_drivers.franka.arm.arm_state import ArmState

VERDICT_AGE = 5_000_000  # of a verdict, against the state that it is used with [ns]


class Judge:
    """Feeds a session in the order of one process: a state, then the torque that answers it.

    Attributes:
        verdict: the last one, None before the first; see :meth:`fresh`.
        detection: the last one, None before the first.
        detections: how many so far.
    """

    def __init__(self, session: DetectorSession, before: Judge | None = None) -> None:
        """Judge by a session in lockstep, of which estimates are not asked here.

        Args:
            session: fresh.
            before: of the motion before, whose detections are counted on; none: there is none.
        """
        self._session = session
        self.verdict: Verdict | None = None
        self.detection: Detection | None = None if before is None else before.detection
        self.detections: int = 0 if before is None else before.detections

    def fresh(self, time: int) -> Verdict | None:
        """Return the last verdict if it counts for a state of that time [ns], else none."""
        verdict = self.verdict
        return None if verdict is None or time - verdict.time > VERDICT_AGE else verdict

    def add(self, time: int, state: ArmState, reference: np.ndarray | None) -> None:
        """Take a state.

        Args:
            time: of it [ns].
            state: of the arm.
            reference: what the sensors should read next, shape (7,) [N.m]; none: not known.
        """
        self._keep(self._session.add_state(JointSample(time, state.q, state.dq, state.tau)))
        self._keep(self._session.add_reference(time, reference))

    def _keep(self, outcome: Outcome) -> None:
        for verdict in outcome.verdicts:
            self.verdict = verdict
        for detection in outcome.detections:
            self.detection = detection
            self.detections += 1

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The detector in the loop: a verdict on each state, in time for the next command."""

from __future__ import annotations

import numpy as np

from impact_detector.session import DetectorSession, Outcome
from impact_detector.signals.sample import Detection, JointSample, Verdict
from impact_drivers.franka.arm.arm_state import ArmState


class Judge:
    """Feeds a session in the order of one process: a state, then the torque that answers it.

    Attributes:
        verdict: on the newest state, None before the first.
        detection: the last one, None before the first.
        detections: how many so far.
    """

    def __init__(self, session: DetectorSession) -> None:
        """Judge by a session in lockstep, of which estimates are not asked here."""
        self._session = session
        self.verdict: Verdict | None = None
        self.detection: Detection | None = None
        self.detections = 0

    @property
    def impact(self) -> bool:
        """Whether the arm has hit something."""
        return self.verdict is not None and self.verdict.impact

    @property
    def ready(self) -> bool:
        """Whether an impact would be seen."""
        return self.verdict is not None and self.verdict.ready

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

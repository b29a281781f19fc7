# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Notes about a grab on the plant's side, and its outcome."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from impact_qp.body.grab_phases import box_arrivals
from impact_qp.body.progress import GrabProgress
from impact_sim.humanoid.grab_stage import GrabStage
from impact_sim.humanoid.senses import HumanoidMeasurement
from impact_trials.grab.grab_cycle import BoxRecord, GrabCycle, cycle_of
from impact_trials.grab.outcome import GrabOutcome, PalmOutcome, palm_outcome
from impact_trials.grab.palm_truth import PalmTruth, PalmWatch

Record = Callable[[GrabCycle], None]


class GrabNotes:
    """Observes a stage from the first approach on.

    Attributes:
        truths: forces on the palms by box, without the current box.
    """

    def __init__(self, stage: GrabStage, record: Record | None = None) -> None:
        """Observe every step of a stage; ``record`` is called with each cycle."""
        self._stage, self._record, self.robot = stage, record, stage.robot
        self.arrivals = box_arrivals(stage.scenario.task)
        self._watch = stage.watch = PalmWatch(stage.plant)
        self._records, self._palms = list[BoxRecord](), list[tuple[PalmOutcome, ...]]()
        self.truths = list[tuple[PalmTruth | None, ...]]()
        self._unsolved = 0
        self._last: GrabCycle | None = None

    def take(self, box: int) -> None:
        """Begin with a box, which is at its place; finish the one before."""
        if self._records:
            self._palms.append(self._felt())
        self._watch.begin(box)
        self._records.append(BoxRecord(self._stage.plant, box))

    def note(
        self, measured: HumanoidMeasurement, positions: np.ndarray, said: GrabProgress, put: bool
    ) -> None:
        """Note a finished cycle.

        Args:
            measured: at its end.
            positions: commanded joint positions, shape (n,) [rad].
            said: progress that the controller reported with them.
            put: whether the next box was put at its place.
        """
        if put:
            self.take(said.box)
        self._records[-1].note(said)
        self._unsolved += not said.solved
        self._last = cycle_of(self._stage.plant, measured, positions, said)
        if self._record is not None:
            self._record(self._last)

    def outcome(self) -> GrabOutcome:
        """Return the outcome; call it once, at the end, after at least one cycle."""
        assert self._last is not None
        self._palms.append(self._felt())
        pairs = zip(self._records, self._palms, strict=True)
        boxes = tuple(record.outcome(palms) for record, palms in pairs)
        said, fell = self._last.said, self._stage.fell
        return GrabOutcome(
            boxes, fell, said.failure, said.phase, self._unsolved, self._last.measured.time
        )

    def _felt(self) -> tuple[PalmOutcome, ...]:
        """Return the forces of the last box on the palms."""
        known = self._records[-1].touched
        self.truths.append(tuple(self._watch.palms))
        return tuple(
            palm_outcome(self.robot, truth, self.arrivals, k, known[k])
            for k, truth in enumerate(self._watch.palms)
            if truth is not None
        )

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is noted of a grab on the plant's side, and what came of it in the end."""

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
    """Watches a stage from the first approach on.

    Attributes:
        truths: what the palms felt, a box each, without the one that is at hand.
    """

    def __init__(self, stage: GrabStage, record: Record | None = None) -> None:
        """Watch every step of a stage; ``record`` is given each cycle."""
        self._stage, self._record, self.robot = stage, record, stage.robot
        self.arrivals = box_arrivals(stage.scenario.task)
        self._watch = stage.watch = PalmWatch(stage.plant)
        self._records, self._palms = list[BoxRecord](), list[tuple[PalmOutcome, ...]]()
        self.truths = list[tuple[PalmTruth | None, ...]]()
        self._unsolved = 0
        self._last: GrabCycle | None = None

    def take(self, box: int) -> None:
        """Begin with a box, which is in its place; tell of the one before."""
        if self._records:
            self._palms.append(self._felt())
        self._watch.begin(box)
        self._records.append(BoxRecord(self._stage.plant, box))

    def note(
        self, measured: HumanoidMeasurement, positions: np.ndarray, said: GrabProgress, put: bool
    ) -> None:
        """Note a cycle that the stage has done and followed.

        Args:
            measured: at its end.
            positions: that the joints were sent, shape (n,) [rad].
            said: by the controller, with them.
            put: whether the next box was put into its place.
        """
        if put:
            self.take(said.box)
        self._records[-1].note(said)
        self._unsolved += not said.solved
        self._last = cycle_of(self._stage.plant, measured, positions, said)
        if self._record is not None:
            self._record(self._last)

    def outcome(self) -> GrabOutcome:
        """Return what came of it; call it once, at the end, after a cycle at least."""
        assert self._last is not None
        self._palms.append(self._felt())
        pairs = zip(self._records, self._palms, strict=True)
        boxes = tuple(record.outcome(palms) for record, palms in pairs)
        said, fell = self._last.said, self._stage.fell
        return GrabOutcome(
            boxes, fell, said.failure, said.phase, self._unsolved, self._last.measured.time
        )

    def _felt(self) -> tuple[PalmOutcome, ...]:
        """Return what the palms felt of the last box."""
        known = self._records[-1].touched
        self.truths.append(tuple(self._watch.palms))
        return tuple(
            palm_outcome(self.robot, truth, self.arrivals, k, known[k])
            for k, truth in enumerate(self._watch.palms)
            if truth is not None
        )

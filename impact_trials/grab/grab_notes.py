# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Notes about a grab on the plant's side, and its outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from impact_qp.body.grab_phases import box_arrivals
from impact_qp.body.guarded_grab import GrabAnswer
from impact_qp.body.progress import GrabProgress
from impact_robots.task.palm_task import PALMS
from impact_sim.humanoid.grab_stage import GrabStage
from impact_sim.humanoid.senses import HumanoidMeasurement
from impact_trials.grab.grab_cycle import BoxRecord, GrabCycle, cycle_of
from impact_trials.grab.outcome import GrabOutcome, PalmOutcome, palm_outcome
from impact_trials.grab.palm_truth import PalmTruth, PalmWatch
from impact_trials.grab.total_impulse import total_impulse

Record = Callable[[GrabCycle], None]


class GrabNotes:
    """Observes a stage from the first approach on.

    Attributes:
        zero: time of the first state that the controller answers [s].
        watch: of the current box.
        truths: forces on the palms by box, without the current box.
    """

    def __init__(self, stage: GrabStage, record: Record | None = None) -> None:
        """Observe every step of a settled stage; ``record`` is called with each cycle."""
        self._stage, self._record, self.robot = stage, record, stage.robot
        self.zero = stage.plant.time
        self._arrivals = box_arrivals(stage.scenario.task, stage.robot)
        stance = stage.scenario.task.stance(stage.scenario.task.half_width)
        self._places = [stance.contacts[palm].translation for palm in PALMS]
        self.watch = stage.watch = PalmWatch(stage.plant)
        self._records, self._palms = list[BoxRecord](), list[tuple[PalmOutcome, ...]]()
        self.truths = list[tuple[PalmTruth | None, ...]]()
        self._unsolved = 0
        self._last: GrabCycle | None = None
        self._take(0)

    def _take(self, box: int) -> None:
        """Begin with a box, which is at its place; finish the one before."""
        if self._records:
            self._palms.append(self._felt())
        self.watch.begin(box)
        self._records.append(BoxRecord(self._stage.plant, box))

    def note(self, measured: HumanoidMeasurement, answer: GrabAnswer, put: bool) -> None:
        """Note a finished cycle.

        Args:
            measured: at its end.
            answer: of the controller.
            put: whether the next box was put at its place.
        """
        said = answer.said
        if put:
            self._take(said.box)
        self._records[-1].note(said)
        self._unsolved += not (said.solved or said.held)
        self._last = cycle_of(self._stage.plant, measured, answer)
        if self._record is not None:
            self._record(self._last)

    def note_message(
        self, measured: HumanoidMeasurement, sent: np.ndarray, message: Any, put: bool
    ) -> None:
        """Note a finished cycle of the controller's node, whose status is not known here.

        Args:
            measured: at its end.
            sent: commanded joint positions, shape (n,) [rad].
            message: an impact_msgs/GrabStatus.
            put: as of :meth:`note`.
        """
        said = GrabProgress.from_message(message)
        self.note(measured, GrabAnswer(sent, np.full(len(sent), np.nan), (), said, ""), put)

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
        record, truths = self._records[-1], tuple(self.watch.palms)
        self.truths.append(truths)
        mass = self._stage.scenario.box_masses[record.number]
        given = self.robot, truths, self._arrivals
        return tuple(
            palm_outcome(
                self.robot,
                truth,
                self._arrivals,
                k,
                self.zero + record.touched[k],
                total_impulse(*given, k, mass),
                self._places[k],
            )
            for k, truth in enumerate(truths)
            if truth is not None
        )

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One trial of a grab in process: plant, sensors and the guarded controller in lockstep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from impact_bags.exceptions import AnalysisError
from impact_qp.body.guarded_grab import GrabAnswer, GuardedGrab
from impact_qp.body.parameters import GrabParameters
from impact_qp.body.phases import GrabState
from impact_qp.body.state_check import HumanoidState
from impact_robots.task.palm_task import PalmTask
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.grab_stage import GrabStage, sole_wrenches
from impact_sim.humanoid.plant import HumanoidPlant
from impact_sim.humanoid.senses import HumanoidMeasurement, HumanoidNoise
from impact_sim.humanoid.simulation import DELAY
from impact_trials.grab.grab_notes import GrabNotes, Record
from impact_trials.grab.outcome import GrabOutcome
from impact_trials.processes import check_stopped

Disturbance = Callable[[HumanoidPlant, str, float], None]  # of a phase, and the time in it [s]
SETTINGS = GrabParameters()  # defaults of the node


class GrabAnswers(Protocol):
    """Interface of a controller of a trial, see :class:`.GuardedGrab`."""

    @property
    def state(self) -> GrabState:
        """Progress of the grab; its times count from the first state that was answered."""

    def answer(self, stamp: int, state: HumanoidState, timeout: float) -> GrabAnswer | None:
        """Return the answer to a state."""


def guarded_grab(task: PalmTask) -> GuardedGrab:
    """Return the controller of a task between its guards, active, as the node makes it.

    Raises:
        ControlError: the robot cannot stand where the task starts, or the task is too fast.
        RobotError: the start is out of its reach.
    """
    grab = GuardedGrab(task, hold_distance=SETTINGS.hold_distance, speed_cap=SETTINGS.speed_cap)
    grab.activate()
    return grab


class GrabTrial:
    """A humanoid, its boxes and its controller; :meth:`run` does one trial.

    Attributes:
        notes: of the run that has begun last.
    """

    notes: GrabNotes

    def __init__(
        self,
        scenario: GrabScenario,
        *,
        seed: int = 0,
        controller: Callable[[PalmTask], GrabAnswers] = guarded_grab,
        noise: HumanoidNoise | None = None,
        delay: float = DELAY,
        disturb: Disturbance | None = None,
        record: Record | None = None,
        joint_scale: np.ndarray | None = None,
    ) -> None:
        """Prepare.

        Args:
            scenario: of the grab.
            seed: of noise and of varied quantities.
            controller: makes the controller of a task.
            noise: of the sensors; None: the default.
            delay: of the sensors [s].
            disturb: called before each cycle; may push.
            record: called with each cycle from the first approach on.
            joint_scale: of flexible joints, see :class:`.GrabStage`.

        Raises:
            ControlError: see :func:`guarded_grab`.
            SimulationError: an impossible plant.
            RobotError: the robot's start is out of its reach.
        """
        self.stage = GrabStage(
            scenario, seed=seed, noise=noise, delay=delay, joint_scale=joint_scale
        )
        self.plant, self.controller = self.stage.plant, controller(scenario.task)
        self._disturb, self._record = disturb, record

    def run(self) -> GrabOutcome:
        """Return the outcome.

        Raises:
            AnalysisError: the controller sends nothing.
        """
        seen = self.begin()
        while not self.stage.over:
            seen = self.cycle(seen)
        return self.notes.outcome()

    def begin(self) -> HumanoidMeasurement:
        """Hold the start for a while; return the measurement at the end."""
        seen = self.stage.settle()
        self.notes = GrabNotes(self.stage, self._record)
        return seen

    def cycle(self, seen: HumanoidMeasurement) -> HumanoidMeasurement:
        """Run one control cycle with the last measurement; return the new measurement.

        Raises:
            AnalysisError: the controller sends nothing.
        """
        check_stopped()
        if self._disturb is not None:
            state = self.controller.state
            self._disturb(self.plant, state.phase, seen.time - self.notes.zero - state.since)
        soles = sole_wrenches(self.plant)[:, :3]
        measured = HumanoidState(seen.q, seen.v, seen.palm_forces, soles)
        answer = self.controller.answer(self.stage.time_ns, measured, SETTINGS.state_timeout)
        if answer is None:
            raise AnalysisError("the controller sends nothing: its first state cannot be used")
        seen, said = self.stage.step(answer.positions, answer.torques), answer.said
        put = self.stage.follow(said.phase, said.box, said.failure)
        self.notes.note(seen, answer, put)
        return seen


def grab_trial(scenario: GrabScenario, seed: int = 0) -> GrabOutcome:
    """Return the outcome of one trial, see :class:`GrabTrial`."""
    return GrabTrial(scenario, seed=seed).run()

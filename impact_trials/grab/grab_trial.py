# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One trial of a grab in process: plant, sensors, controller and phases in lockstep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from impact_qp.body.grab_phases import GrabPhases
from impact_qp.body.phases import GrabState
from impact_qp.body.progress import GrabProgress
from impact_qp.whole_body import WholeBodyCommand, WholeBodyController, arrival_speed
from impact_robots.task.palm_task import PERIOD
from impact_sim.exceptions import SimulationError
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.grab_stage import GrabStage
from impact_sim.humanoid.plant import HumanoidPlant
from impact_sim.humanoid.senses import HumanoidMeasurement, HumanoidNoise
from impact_sim.humanoid.simulation import DELAY
from impact_trials.grab.follower import FollowerCommand, StanceFollower
from impact_trials.grab.grab_notes import GrabNotes, Record
from impact_trials.grab.outcome import GrabOutcome
from impact_trials.processes import check_stopped

Disturbance = Callable[[HumanoidPlant, GrabState], None]
CONTROLLERS = ("whole_body", "stance")


class GrabController(Protocol):
    """Interface of a controller of a trial."""

    def update(
        self, time: float, q: np.ndarray, v: np.ndarray, palm_forces: np.ndarray
    ) -> WholeBodyCommand | FollowerCommand:
        """Return the command of a cycle, see ``WholeBodyController.update``."""


class GrabTrial:
    """A humanoid, its boxes and its controller; :meth:`run` does one trial."""

    def __init__(
        self,
        scenario: GrabScenario,
        *,
        seed: int = 0,
        controller: str = "whole_body",
        noise: HumanoidNoise | None = None,
        delay: float = DELAY,
        disturb: Disturbance | None = None,
        record: Record | None = None,
    ) -> None:
        """Prepare.

        Args:
            scenario: of the grab.
            seed: of noise and of varied quantities.
            controller: of :data:`CONTROLLERS`.
            noise: of the sensors; None: the default.
            delay: of the sensors [s].
            disturb: called before each cycle; may push.
            record: called with each cycle from the first approach on.

        Raises:
            SimulationError: no such controller, or an impossible plant.
            RobotError: the robot's start is out of its reach.
        """
        if controller not in CONTROLLERS:
            choices = ", ".join(CONTROLLERS)
            raise SimulationError(f"controller: expected one of {choices}, got {controller!r}")
        self.stage = GrabStage(scenario, seed=seed, noise=noise, delay=delay)
        self.scenario, self.robot, self.plant = scenario, self.stage.robot, self.stage.plant
        self.start, self._disturb = self.stage.start, disturb
        self.notes = GrabNotes(self.stage, record)
        self.phases = GrabPhases(scenario.task, PERIOD, self.notes.arrivals)
        self.controller = self._controller(controller)

    def _controller(self, name: str) -> GrabController:
        """Return the controller; the one without limits gets its speed."""
        robot, limits = self.robot, self.scenario.impact_limits
        if name == "whole_body":
            return WholeBodyController(robot, self.start, self.phases, impact_limits=limits)
        if limits != "unaware":
            at_box, arrivals = self.scenario.task.grabbing(robot), self.notes.arrivals
            self.phases.cap = arrival_speed(robot, at_box, arrivals, limits).speed
        return StanceFollower(robot, self.scenario.task.solver(robot), self.start, self.phases)

    def run(self) -> GrabOutcome:
        """Return the outcome."""
        seen = self.begin()
        while not self.stage.over:
            seen = self.cycle(seen)
        return self.notes.outcome()

    def begin(self) -> HumanoidMeasurement:
        """Hold the start for a while; return the commanded position, not the loaded one."""
        seen = self.stage.settle()
        self.phases.begin(seen.time)
        self.notes.take(0)
        return seen._replace(q=self.start, v=np.zeros(self.robot.nv))

    def cycle(self, seen: HumanoidMeasurement) -> HumanoidMeasurement:
        """Run one control cycle with the last measurement; return the new measurement."""
        check_stopped()
        if self._disturb is not None:
            self._disturb(self.plant, self.phases.state)
        command = self.controller.update(seen.time, seen.q, seen.v, seen.palm_forces)
        seen = self.stage.step(command.positions)
        said = GrabProgress.of(self.phases.state, command.bound.speed, command.solved)
        put = self.stage.follow(said.phase, said.box)
        self.notes.note(seen, command.positions, said, put)
        return seen


def grab_trial(
    scenario: GrabScenario, seed: int = 0, controller: str = "whole_body"
) -> GrabOutcome:
    """Return the outcome of one trial, see :class:`GrabTrial`."""
    return GrabTrial(scenario, seed=seed, controller=controller).run()

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One trial of a grab in process: plant, senses, controller and phases in lockstep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from impact_qp.whole_body import WholeBodyCommand, WholeBodyController, arrival_speed
from impact_robots import load_robot
from impact_sim.exceptions import SimulationError
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.plant import HumanoidPlant
from impact_sim.humanoid.senses import HumanoidMeasurement, HumanoidNoise
from impact_sim.humanoid.simulation import DELAY, PERIOD, HumanoidSimulation
from impact_trials.grab.box_record import BoxRecord
from impact_trials.grab.follower import FollowerCommand, StanceFollower
from impact_trials.grab.grab_cycle import GrabCycle, cycle_of
from impact_trials.grab.grab_phases import GrabPhases, announced_arrivals
from impact_trials.grab.outcome import GrabOutcome, PalmOutcome, palm_outcome
from impact_trials.grab.palm_truth import PalmTruth, PalmWatch
from impact_trials.grab.phases import GrabState
from impact_trials.grab.plan import GrabPlan
from impact_trials.processes import check_stopped

Disturbance = Callable[[HumanoidPlant, GrabState], None]
Record = Callable[[GrabCycle], None]
CONTROLLERS = ("whole_body", "stance")
SETTLING = 1.0  # before the approach, for which the start is held [s]
FALLEN = 0.2  # by which the centre of mass is lower than at the start [m]
LONGEST = 15.0  # of one box [s]
AFTER = 0.8  # the end of the phases, so that boxes come to rest [s]


class GrabController(Protocol):
    """What a trial asks every cycle."""

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
            scenario: what stands where.
            seed: of noise and of what varies.
            controller: of :data:`CONTROLLERS`.
            noise: of the sensors; none: the usual one.
            delay: of the sensors [s].
            disturb: is called before each cycle; may push.
            record: is given each cycle from the first approach on.

        Raises:
            SimulationError: no such controller, or a plant that there cannot be.
            RobotError: the robot's start is out of its reach.
        """
        if controller not in CONTROLLERS:
            choices = ", ".join(CONTROLLERS)
            raise SimulationError(f"controller: expected one of {choices}, got {controller!r}")
        self.scenario, self.seed, self.robot = scenario, seed, load_robot(scenario.robot)
        self.plant = HumanoidPlant(scenario.layout(self.robot, seed))
        self.watch, self.unsolved = PalmWatch(self.plant), 0
        self._disturb, self._record = disturb, record
        self._simulation = HumanoidSimulation(
            self.plant, noise=noise or HumanoidNoise(), delay=delay, seed=seed, watch=self.watch
        )
        self.start = scenario.start(self.robot)
        at = scenario.box_position
        self.arrivals = announced_arrivals(
            scenario.half_width, at, scenario.friction, scenario.restitution
        )
        self.phases = GrabPhases(GrabPlan.of(scenario), PERIOD, self.arrivals)
        self.controller = self._controller(controller)
        self._records, self._palms = list[BoxRecord](), list[tuple[PalmOutcome, ...]]()
        self.truths = list[tuple[PalmTruth | None, ...]]()  # of the palms, a box each

    def _controller(self, name: str) -> GrabController:
        """Return the controller; the one without limits is told its speed."""
        robot, limits = self.robot, self.scenario.impact_limits
        if name == "whole_body":
            return WholeBodyController(robot, self.start, self.phases, impact_limits=limits)
        if limits != "unaware":
            at_box = self.scenario.grabbing(robot)
            self.phases.cap = arrival_speed(robot, at_box, self.arrivals, limits).speed
        return StanceFollower(robot, self.scenario.solver(robot), self.start, self.phases)

    def run(self) -> GrabOutcome:
        """Return what came of it."""
        seen = self._settled()
        height, ended = self.plant.com[2] - FALLEN, seen.time
        self.phases.begin(ended)
        self._take(0)
        while self.plant.com[2] > height and seen.time - ended < AFTER:
            seen = self._cycle(seen)
            if self.phases.state.phase != "rest" and seen.time < LONGEST * len(self._records):
                ended = seen.time
        self._palms.append(self._felt())
        pairs = zip(self._records, self._palms, strict=True)
        boxes = tuple(record.outcome(palms) for record, palms in pairs)
        state, fell = self.phases.state, bool(self.plant.com[2] <= height)
        return GrabOutcome(boxes, fell, state.failure, state.phase, self.unsolved, seen.time)

    def _settled(self) -> HumanoidMeasurement:
        """Hold the start for a while; return it as servos were told, not as loads bend it."""
        seen = self._simulation.reset(self.start)
        for _ in range(round(SETTLING / PERIOD)):
            seen = self._simulation.step(self.start[7:])
        return seen._replace(q=self.start, v=np.zeros(self.robot.nv))

    def _cycle(self, seen: HumanoidMeasurement) -> HumanoidMeasurement:
        """Do one cycle of the control."""
        check_stopped()
        if self._disturb is not None:
            self._disturb(self.plant, self.phases.state)
        command = self.controller.update(seen.time, seen.q, seen.v, seen.palm_forces)
        self.unsolved += not command.solved
        seen = self._simulation.step(command.positions)
        if self.phases.state.box == len(self._records):
            self._palms.append(self._felt())
            self._take(self.phases.state.box)
        self._records[-1].note(self.phases.state)
        if self._record is not None:
            done = command.positions, command.bound.speed, self.phases.state
            self._record(cycle_of(self.plant, seen, *done))
        return seen

    def _take(self, box: int) -> None:
        """Begin with a box; all but the first are put onto the pedestal now, by somebody."""
        if box > 0:
            self.plant.put_box(box, *self.scenario.drawn(self.seed))
        self.watch.begin(box)
        self._records.append(BoxRecord(self.plant, box))

    def _felt(self) -> tuple[PalmOutcome, ...]:
        """Return what the palms felt of the last box."""
        known = self._records[-1].touched
        self.truths.append(tuple(self.watch.palms))
        return tuple(
            palm_outcome(self.robot, truth, self.arrivals, k, known[k])
            for k, truth in enumerate(self.watch.palms)
            if truth is not None
        )


def grab_trial(
    scenario: GrabScenario, seed: int = 0, controller: str = "whole_body"
) -> GrabOutcome:
    """Return what came of one trial, see :class:`GrabTrial`."""
    return GrabTrial(scenario, seed=seed, controller=controller).run()

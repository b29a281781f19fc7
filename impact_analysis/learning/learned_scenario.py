# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Repeated hits of a scenario's wall by an arm that learns it, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.contact_force.restitution import exact_restitution
from impact_predictor.joint_load.load_case import LEAST_RESTITUTION
from impact_predictor.learning.learning_box import DEPTH, LearningBox, learning_box
from impact_predictor.learning.next_speed import speed_of_known
from impact_predictor.recorded_hit import RecordedHit
from impact_qp.learning.wall_approach import WallApproach
from impact_robots import ArmDynamics, Robot, Surface, load_robot
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.driver.simulation import Simulation
from impact_sim.exceptions import ScenarioError
from impact_sim.scenarios import Scenario
from impact_trials.in_process.learning_loop import LearningStep, learning_steps
from impact_trials.in_process.wall_hit import wall_hit
from impact_trials.trial import detector_session

STIFFNESS, RESTITUTION, FRICTION = (1e4, 1e7), (0.02, 0.6), (0.0, 0.5)  # of an unknown wall
_ROUNDS = 8  # of the best speed, as restitution depends on it


class WallTruth(NamedTuple):
    """True parameters of a scenario's wall."""

    stiffness: float  # secant at a depth of .1 mm [N/m]
    exponent: float  # of the normal law [-]
    friction: float  # [-]
    best_speed: float  # highest speed within all limits with perfect knowledge [m/s]
    restitution: float  # at that speed [-]


class LearnedScenario:
    """A scenario's wall, and the arm that learns it."""

    def __init__(self, scenario: Scenario, *, wall_unknown: bool = False, seed: int = 0) -> None:
        """Set up without simulating.

        Args:
            scenario: in front of a wall, hit along its normal.
            wall_unknown: ranges of the learner are 1e4 to 1e7 N/m, restitution .02 to .6, friction
                0 to .5; else those that the scenario announces.
            seed: of the sensors' noise.

        Raises:
            ScenarioError: no wall is hit, the arm is passive before it, or the wall's law is not
                one of Hunt and Crossley's.
            PredictionError: the robot's YAML does not define the fields for loads.
        """
        law = None if scenario.motion or scenario.approach else scenario.law
        if not isinstance(law, HuntCrossley) or law.extended:
            raise ScenarioError(
                "learn: expected a scenario that hits a viscoelastic wall along its normal,"
                f" got {scenario.name}"
            )
        self.scenario, self.seed, self._law = scenario, seed, law
        self.robot: Robot = load_robot(scenario.robot)
        surface = scenario.surface(self.robot)
        if wall_unknown:
            surface = Surface(surface.point, surface.normal, FRICTION, RESTITUTION, STIFFNESS)
        self.box: LearningBox = learning_box(self.robot, surface)
        point = ArmDynamics(self.robot)(np.array(scenario.q_impact), np.zeros(self.robot.dof))
        start = scenario.start(self.robot)
        ramp = scenario.reference_ramp
        self.approach = WallApproach(
            self.robot, surface, start, point, run_up=scenario.run_up, ramp=ramp
        )

    def steps(self, hits: int) -> Iterator[LearningStep]:
        """Yield hits, each at the safe speed by those before."""
        yield from learning_steps(self.box, [self.approach] * hits, self.strike)

    def strike(self, number: int, speed: float) -> RecordedHit | None:
        """Let the arm hit the scenario's wall; None if the approach ended before it.

        Args:
            number: of the hit, from 0; it seeds the noise.
            speed: highest along the normal [m/s].
        """
        noise = int(np.random.default_rng([self.seed, number]).integers(2**31))
        plant = LoadedPlant(self.robot, self.scenario.wall(self.robot))
        simulation = Simulation(self.robot, seed=noise, plant=plant)
        return wall_hit(
            self.approach, speed, simulation, detector_session(self.scenario, self.robot)
        )

    def restitution(self, speed: float) -> float:
        """Return the wall's restitution at a speed of approach [m/s]: it falls with it."""
        return max(exact_restitution(self._law, speed), LEAST_RESTITUTION)

    @cached_property
    def truth(self) -> WallTruth:
        """The true wall, and the arm of its YAML."""
        law = self._law
        stiffness = law.force(DEPTH, 0.0) / DEPTH
        figures = np.concatenate([np.zeros(6), np.ones(3 * self.robot.dof)])
        figures[[0, 2, 3]] = np.log(stiffness), self.scenario.friction, law.exponent
        speed = 0.1
        for _ in range(_ROUNDS):
            figures[1] = self.restitution(speed)
            speed = speed_of_known(self.box, self.approach.point, figures)
        return WallTruth(stiffness, law.exponent, self.scenario.friction, speed, float(figures[1]))

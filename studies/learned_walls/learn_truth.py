# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drawn walls and arms, and their differences from the learner's model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.joint_load.load_case import normal_mobility
from impact_predictor.learning.learning_box import USUAL, LearningBox, learning_box
from impact_qp.learning.wall_approach import WallApproach
from impact_robots import Robot, Surface
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.driver.simulation import Simulation
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.motor_friction import MotorFriction
from studies.joint_loads.load_poses import WallPose
from studies.learned_walls.rubbing_simulation import RubbingSimulation
from studies.wall_configurations import NORMAL

STIFFNESS, RESTITUTION, FRICTION = (1e4, 1e7), (0.02, 0.6), (0.0, 0.5)  # announced and drawn
EXCHANGED_BY = 3.0  # factor, at least, between the stiffnesses of two walls
_LOG_STIFFNESS, _EXPONENT, _TILT = 0, 3, 4  # places among the figures


class LearnCase(NamedTuple):
    """A case of the study."""

    name: str
    share: int = 5  # of the truths of the first case one in so many
    known_form: bool = True  # the learner's model can be right
    poses: bool = False  # a new one each hit
    rubbing: tuple[float, float] | None = None  # coulomb [N.m], viscous [N.m.s/rad]
    mass: float = 0.0  # of every link wrong by up to this fraction
    exponent: float = 1.0  # of the walls' law
    tilt: float = 0.0  # of the normal, always the same way [rad]
    oblique: float = 0.0  # angle between approach and normal [rad]
    exchanged: bool = False  # after the third hit, unannounced


KINDS = (
    LearnCase("one pose", share=1),
    LearnCase("new pose each hit", poses=True),
    LearnCase("Hertz' law", exponent=1.5),
    LearnCase("normal 5 degrees off", tilt=np.radians(5.0)),
    LearnCase("20 degrees oblique", oblique=np.radians(20.0)),
    LearnCase("joint friction", known_form=False, rubbing=(0.3, 0.2)),
    LearnCase("links +-5 %", known_form=False, mass=0.05),
    LearnCase("wall exchanged", exchanged=True),
)


@dataclass(frozen=True, eq=False)
class LearnTruth:
    """True and announced values of a run."""

    kind: LearnCase
    box: LearningBox  # as announced to the learner
    figures: np.ndarray  # of the wall and the joints, shape (6 + 3 n,)
    other: np.ndarray  # of the wall after an exchange, else the same
    masses: np.ndarray  # of the links over what is announced, shape (n,) [-]

    def of_hit(self, number: int) -> np.ndarray:
        """Return the figures at a hit, counted from 0."""
        return self.other if self.kind.exchanged and number >= BEFORE_EXCHANGE else self.figures

    def simulation(
        self, approach: WallApproach, speed: float, number: int, seed: Sequence[int]
    ) -> Simulation:
        """Return the arm in front of the wall; its restitution is that at ``speed`` [m/s].

        Args:
            approach: to the wall.
            speed: along the announced normal [m/s].
            number: of the hit.
            seed: of the sensors' noise.
        """
        robot, figures = approach.robot, self.of_hit(number)
        case = self.box.case(figures)
        normal = case.rotation[:, 2]
        law = case.law(speed, normal_mobility(approach.point, normal))
        assert isinstance(law, HuntCrossley)  # none of these walls is stiff enough to be rigid
        wall = CompliantWall(Surface(approach.point.position, normal, case.friction), law)
        plant = LoadedPlant(_heavier(robot, self.masses).with_joints(case.scale), wall)
        noise = int(np.random.default_rng(seed).integers(2**31))
        if self.kind.rubbing is None:
            return Simulation(robot, seed=noise, plant=plant)
        friction = MotorFriction.of(robot.dof, *self.kind.rubbing)
        return RubbingSimulation(robot, plant, friction, seed=noise)

    def approach(self, pose: WallPose, run_up: float) -> WallApproach:
        """Return the way to the wall at a pose, with a run-up [m]."""
        robot, surface, direction = self.box.robot, self.box.surface, None
        if self.kind.oblique:
            turn = np.array([0.0, np.sin(self.kind.oblique), 0.0])
            direction = -np.cos(self.kind.oblique) * surface.normal + turn
        return WallApproach(robot, surface, pose.start, pose.point, run_up, direction=direction)


BEFORE_EXCHANGE = 3  # hits


def draw_truth(robot: Robot, kind: LearnCase, seed: Sequence[int]) -> LearnTruth:
    """Draw a wall and an arm anywhere in what is announced."""
    random = np.random.default_rng(seed)
    surface = Surface(None, NORMAL, FRICTION, RESTITUTION, STIFFNESS)
    unknowns = (*USUAL, "normal") if kind.tilt else USUAL
    box = learning_box(robot, surface, unknowns, tilt=0.1 if kind.tilt else 0.0)
    figures, other = (_drawn(box, kind, random) for _ in range(2))
    while abs(other[_LOG_STIFFNESS] - figures[_LOG_STIFFNESS]) < np.log(EXCHANGED_BY):
        other = _drawn(box, kind, random)
    other[len(other) - 3 * robot.dof :] = figures[len(figures) - 3 * robot.dof :]
    masses = 1.0 + kind.mass * random.uniform(-1.0, 1.0, robot.dof)
    return LearnTruth(kind, box, figures, other, masses)


def _drawn(box: LearningBox, kind: LearnCase, random: np.random.Generator) -> np.ndarray:
    figures = random.uniform(box.low, box.high)
    figures[_EXPONENT] = kind.exponent
    figures[_TILT : _TILT + 2] = kind.tilt, 0.0
    return figures


def _heavier(robot: Robot, shares: np.ndarray) -> Robot:
    """Return an arm whose links have other masses, (n,) over its own; its inertias with them."""
    if np.all(shares == 1.0):
        return robot
    model = robot.model.copy()
    for joint, share in enumerate(shares, 1):
        old = model.inertias[joint]
        model.inertias[joint] = pin.Inertia(share * old.mass, old.lever, share * old.inertia)
    return replace(robot, model=model)

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hits in closed loop at the bound of joint loads, with unannounced arms and walls.

Friction, restitution and stiffness of the wall, stiffness, damping and motor inertia of the joints
are those of a case inside the announced ranges; sensors have noise. The controller knows the ranges
and the nominal robot; the torque loop takes the joints as nominal, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_detector.signals.sample import DetectionStatus
from impact_predictor.joint_load.load_case import LoadCase
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.joint_load.worst_load import LoadSearch
from impact_qp.control.controller import ImpactController
from impact_qp.control.plan import Plan
from impact_qp.limits import Contact, JointLoadLimit
from impact_robots import ArmDynamics, PointState, Robot
from impact_robots.description.joint_ranges import ANNOUNCED
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.driver.simulation import Measurement, Simulation
from impact_sim.scenarios import load_scenario
from impact_trials.lockstep import Answer, lockstep
from impact_trials.trial import detector_session
from studies.joint_loads.load_poses import FRICTION, RESTITUTION, STIFFNESS, WallPose, wall_at
from studies.wall_configurations import NORMAL

ASKED, RAMP = 1.0, 1.0  # reference speed, above most bounds [m/s], and how it grows [m/s^2]
LONGEST = 5.0  # without a touch [s]
SCENARIO = "qp_panda_demo"  # whose detector looks for the impact


class LoadedHit(NamedTuple):
    """One hit."""

    case: LoadCase
    speed: float  # at contact, along the normal [m/s]
    bound: float  # of the controller's limit in that state [m/s]
    tangential: float  # speed at contact along the surface [m/s]
    unexpected: float  # torque at contact beside gravity's, over its range, worst joint [-]
    used: np.ndarray  # of the limits of change and of range, shape (2 n,) [-]

    @property
    def most(self) -> float:
        """What is used of the limit that is used most [-]."""
        return float(self.used.max())


def announced(pose: WallPose) -> Contact:
    """Return the announced wall at a pose."""
    return Contact(pose.point.position, NORMAL, FRICTION, RESTITUTION, stiffness=STIFFNESS)


def load_limit(robot: Robot, contact: Contact, joints: str = ANNOUNCED) -> JointLoadLimit:
    """Return the limit of joint loads, for joints "announced" or "nominal"."""
    return JointLoadLimit(robot, contact, joint_ranges=joints)


def worst_case(robot: Robot, pose: WallPose) -> LoadCase:
    """Return what the search behind the bound holds to be the worst case at a pose."""
    limits = load_limits(robot, pose.point.g)
    return LoadSearch(robot, announced(pose)).worst(pose.point, limits)[0].case


def hit_once(robot: Robot, pose: WallPose, case: LoadCase, seed: int) -> LoadedHit | None:
    """Simulate one approach and its hit; none if it ends before, as after a false alarm.

    Args:
        robot: as the controller knows it.
        pose: at which it is to hit.
        case: wall and joints as they are; restitution: at the bound of the pose.
        seed: of the sensors' noise.
    """
    controller = ImpactController(
        robot, Plan(announced(pose), "joint_load", speed=ASKED, ramp=RAMP)
    )
    bound = load_limit(robot, controller.plan.contact).speed_bound(pose.point).speed
    plant = LoadedPlant(robot.with_joints(case.scale), wall_at(pose, case, bound))

    def answer(measurement: Measurement, status: DetectionStatus) -> Answer:
        command = controller.update(
            measurement.q, measurement.dq, impact=status.impact, ready=status.ready
        )
        return Answer(command.driver_torque, command.velocity, command.reference_torque)

    simulation = Simulation(robot, seed=seed, plant=plant)
    session = detector_session(load_scenario(SCENARIO), robot)
    for cycle in lockstep(simulation, answer, session, pose.start):
        end = LONGEST if plant.contact_start is None else plant.contact_start.time + plant.window
        if cycle.measurement.time >= end:
            break
    if plant.contact_start is None:
        return None
    point = ArmDynamics(robot)(plant.contact_start.q, plant.contact_start.dq)
    return _judged(robot, controller.plan.contact, plant, point, case)


def _judged(
    robot: Robot, contact: Contact, plant: LoadedPlant, point: PointState, case: LoadCase
) -> LoadedHit:
    """Hold a hit at a ``point`` against the limits."""
    before, n = plant.torque_before, robot.dof
    speed = contact.approach_speed(point.velocity)
    return LoadedHit(
        case,
        speed,
        load_limit(robot, contact).speed_bound(point).speed,
        float(np.linalg.norm(point.velocity + speed * NORMAL)),
        float((np.abs(before - point.g) / robot.limits.torque_range).max()),
        load_limits(robot, before).used(plant.load)[: 2 * n],
    )

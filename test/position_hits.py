# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hits of position-controlled arms, at 200 Hz, with controller and detector in the loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from other_arms import ARMS, write_arm

from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.signals.sample import JointSample
from impact_predictor.contact_force.laws import Viscoelastic
from impact_qp import Contact, ImpactController, Phase, Plan
from impact_robots import ArmDynamics, PointState, Robot, Surface, load_robot
from impact_robots.kinematics import inverse_kinematics
from impact_sim import load_scenario
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.driver.position_driver import PositionDriver
from impact_sim.driver.simulation import START_NS
from impact_sim.plant.compliant_wall import CompliantWall
from impact_trials.in_process.touch_trial import servoed

RATE = 200.0  # [Hz]
LONGEST = 8.0  # [s]


class PositionHit(NamedTuple):
    """What happened, by the plant's numbers."""

    state: PointState  # at contact
    speed: float  # then, along the normal [m/s]
    bound: float  # of the controller's limit in that state, its reserve included; NaN: none [m/s]
    compression: float  # normal impulse until the point no longer moves into the wall [N.s]
    compression_time: float  # [s]
    torque_share: np.ndarray  # of the torques in the contact, over the limit, shape (n,)
    velocity_share: np.ndarray  # largest joint velocities over their limits, shape (n,)
    acceleration_share: float  # largest change of the commands' velocity over the limit
    detected_after: float  # [s]
    phases: tuple[Phase, ...]


class PushedPlant(WatchedPlant):
    """A plant that also keeps normal impulse [N.s] and duration [s] of the compression.

    And the joints' torques at contact, and how far they went from there in the contact (n,).
    """

    always_looks = True
    compression: tuple[float, float] | None = None
    before, changes = None, 0.0

    def _watch(self, found):
        duration, impulse = self.contact_duration, self.impulse
        super()._watch(found)
        if self.contact_start is None:
            return
        since = found.time >= self.contact_start.time
        if self.before is None:
            self.before = found.torque[since][0]
        away = np.abs(found.torque[since] - self.before).max(axis=0)
        self.changes = np.maximum(self.changes, away)
        normal = self.wall.surface.normal
        ended = np.flatnonzero(since & (found.velocity @ normal >= 0.0))
        if self.compression is None and ended.size:
            during = found.force[: ended[0] + 1]
            impulse = impulse + during.sum(axis=0) * self.contact_step
            pushed = int(during.any(axis=1).sum())
            self.compression = float(impulse @ normal), duration + pushed * self.contact_step


def position_case(name: str, folder):
    """Return an arm, where it hits, what is announced of that, and the wall's law."""
    if name == "panda":
        robot, scenario = servoed(load_robot("panda")), load_scenario("qp_panda_demo")
        q, normal, law = np.array(scenario.q_impact), scenario.normal, scenario.law
        announced = (scenario.friction, scenario.restitution)
        how = {"stiffness": scenario.stiffness}
    else:
        robot, normal = servoed(load_robot(write_arm(folder, ARMS[name]))), (-1.0, 0.0, 0.0)
        q, law, announced, how = robot.stance, Viscoelastic(1.2e5, 5e6), (0.2, (0.0, 0.3)), {}
    return robot, q, Contact(ArmDynamics(robot).position(q), normal, *announced, **how), law


def effective_masses(robot: Robot, hit: PositionHit, normal) -> dict[str, float]:
    """Return the effective masses along the normal by model of the motors [kg]."""
    along = np.asarray(normal) @ hit.state.J[:3]
    return {
        name: 1.0 / float(along @ np.linalg.solve(hit.state.M + np.diag(motors), along))
        for name, motors in robot.motor_inertias.items()
    }


def position_hit(robot: Robot, q, contact: Contact, law, limits, *, friction=0.0, run_up=0.1):
    """Let the arm hit a wall with its contact point at ``q`` (n,) [rad]; return what happened."""
    wall = CompliantWall(Surface(contact.point, contact.normal, friction), law)
    plant, dynamics = PushedPlant(robot, wall), ArmDynamics(robot)
    driver = PositionDriver(robot, rate=RATE, plant=plant, seed=1)
    plan = Plan(contact, limits, interface="position", speed=0.5)
    controller = ImpactController(robot, plan, period=1.0 / RATE)
    session = session_for(DetectorParameters(detectors=["torque_error"]), robot)
    measured = driver.reset(inverse_kinematics(robot, q, run_up * contact.normal))
    velocities = np.zeros(robot.dof)
    sent, phases, detected = [], [], None
    while not (plant.contact_start and phases[-1] is Phase.HOLD):
        assert measured.time < LONGEST, "it never came to rest behind an impact"
        stamp = START_NS + measured.time_ns
        sample = JointSample(stamp, measured.q, measured.dq, measured.tau)
        (status,) = session.add_state(sample).statuses
        if status.impact and detected is None:
            assert plant.contact_start, f"false alarm at {measured.time} s"
            detected = measured.time
        command = controller.update(
            measured.q, measured.dq, impact=status.impact, ready=status.ready
        )
        session.add_reference(stamp, command.reference_torque)
        sent.append(command.position)
        phases.append(command.phase)
        measured = driver.step(command.position)
        velocities = np.maximum(velocities, np.abs(plant.dq))
    state, limit = dynamics(plant.contact_start.q, plant.contact_start.dq), controller.impact_limit
    changes = np.diff(sent, n=2, axis=0) * RATE**2
    return PositionHit(
        state,
        contact.approach_speed(state.velocity),
        np.nan if limit is None else limit.speed_bound(state).speed,
        *plant.compression,
        plant.changes / robot.limits.impulsive_torque,
        velocities / robot.limits.velocity,
        float(np.abs(changes / robot.limits.acceleration).max()),
        detected - plant.contact_start.time,
        tuple(phases),
    )

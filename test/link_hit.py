# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Simulated hits on any link, announced or not: ground truth of localization."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from impact_detector.attribution.assessment import Assessment
from impact_detector.attribution.expectation import Announcement
from impact_detector.estimators.streaming import Estimate
from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.signals.sample import Detection, DetectionStatus
from impact_robots import ArmDynamics, ContactPoint, contact_rotation, load_robot
from impact_robots.robot import Robot
from impact_robots.surface import Surface
from impact_ros.messages import NANOSECONDS
from impact_sim.arm.computed_torque import ComputedTorque
from impact_sim.arm.free_motion import Move, move_duration
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.driver.simulation import START_NS, Measurement, Simulation
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.scenarios import load_scenario
from impact_trials.lockstep import Answer, lockstep

TOOL = "panda_tool_contact"
PLACES = {  # frame of a Panda, and a point about as far out as its shell, in the frame [m]
    "panda_link2": (0.0, -0.1, 0.06),
    "panda_link3": (0.08, 0.06, 0.0),
    "panda_link4": (-0.08, 0.06, 0.05),
    "panda_link5": (0.0, 0.06, -0.15),
    "panda_link6": (0.09, -0.05, 0.03),
    "panda_link7": (0.05, 0.03, 0.08),
    TOOL: (0.0, 0.0, 0.0),
}
NOBODY = "nobody announces"
NOTHING = "nothing announced"
ANNOUNCED = "announced at the tool"
TILTED = "announced at the tool, 60 degrees off"
CASES = (NOBODY, NOTHING, ANNOUNCED, TILTED)
HOME = np.array([0.0, 0.0, 0.0, -2.094, 0.0, 2.094, 0.0])
SPREAD = 0.6  # of start and end of the move about it [rad]
SHARE = 0.25  # of the velocity and acceleration limits
FRICTION, RESTITUTION = 0.5, 0.3  # largest
TILT = 0.4  # of the surface's normal against the velocity, each axis [-]
GAP = 1e-5  # at which the surface appears [m]
AFTER, WITHOUT = 0.15, 0.5  # contact, and without one [s]


@dataclass
class LinkHit:
    """One hit, as it was and as it was seen."""

    place: str  # of PLACES
    touch: float = float("nan")  # by the stamps' clock; NaN: none [s]
    speed: float = float("nan")  # along the normal when the surface appears, into it [m/s]
    impulse: np.ndarray = field(default_factory=lambda: np.zeros(3))  # on the robot, base axes
    detections: list[Detection] = field(default_factory=list)
    early: Assessment | None = None  # of the first detection
    estimate: Estimate | None = None  # of the first detection

    @property
    def late(self) -> Assessment | None:
        """What the estimate says."""
        return None if self.estimate is None else self.estimate.assessment

    @property
    def link(self) -> str:
        """The link that was hit."""
        return "panda_link7" if self.place == TOOL else self.place


def link_hit(place: str, seed: int, case: str = NOBODY, *, angle: float | None = None) -> LinkHit:
    """Simulate a Panda with measured noise that moves freely until a surface is in its way.

    Args:
        place: of ``PLACES``: which point hits; the detector only knows the tool's.
        seed: draws the move, the instant, the surface and the noise.
        case: of ``CASES``: what is announced when the surface appears.
        angle: of the velocity against the surface's normal, below a right angle [rad]; none: drawn,
            about square to the surface.
    """
    random, robot = np.random.default_rng(seed), load_robot("panda")
    x, y, z = (np.array(PLACES[place]) * random.uniform(0.7, 1.3, 3)).tolist()
    move = _draw_move(robot, random)
    instant = move.start + random.uniform(0.3, 0.7) * move.duration
    plant = WatchedPlant(robot, contact=ContactPoint(place, (x, y, z)))
    law = load_scenario("iim_wall_cfg1").law
    control, news = ComputedTorque(robot), _at_the_start(case)

    def answer(measurement: Measurement, status: DetectionStatus) -> Answer:
        nonlocal news
        announced, news = news, None
        if status.impact:  # gravity compensation
            return Answer(np.zeros(7), np.zeros(7), np.zeros(7), announced)
        command = control(measurement.q, measurement.dq, move(measurement.time))
        return Answer(command.driver_torque, command.velocity, command.reference_torque, announced)

    session = session_for(DetectorParameters(lockstep=True), robot)
    hit = LinkHit(place)
    simulation = Simulation(robot, seed=seed, plant=plant)
    for cycle in lockstep(simulation, answer, session, move.origin):
        hit.detections += cycle.detections
        for detection in cycle.detections[:1]:
            hit.early = hit.early or session.assess(detection)
        for estimate in cycle.estimates[:1]:
            hit.estimate = hit.estimate or estimate
        if plant.wall is None and cycle.measurement.time >= instant:
            normal = _draw_normal(plant.contact_velocity, random, angle)
            friction = random.uniform(0.1, FRICTION)
            surface = Surface(plant.contact_position, normal, friction).moved(-GAP)
            plant.wall = CompliantWall(surface, law)
            hit.speed = surface.approach_speed(plant.contact_velocity)
            news = _when_near(case, cycle.time, robot, plant, normal)
        end = instant + WITHOUT if plant.contact_start is None else plant.contact_start.time + AFTER
        if cycle.measurement.time >= end:
            break
    if plant.contact_start is not None:
        hit.touch, hit.impulse = plant.contact_start.time + START_NS / NANOSECONDS, plant.impulse
    return hit


def _draw_move(robot: Robot, random: np.random.Generator) -> Move:
    """Draw a move about the home configuration."""
    origin, target = HOME + SPREAD * random.uniform(-1.0, 1.0, (2, 7))
    duration = move_duration(target - origin, robot.limits, SHARE)
    return Move(0.2, duration, origin, target)


def _draw_normal(
    velocity: np.ndarray, random: np.random.Generator, angle: float | None
) -> np.ndarray:
    """Draw a surface at an angle [rad] to the velocity (3,); returns its unit normal (3,)."""
    against = -velocity / np.linalg.norm(velocity)
    if angle is None:  # about square to it
        normal = TILT * random.uniform(-1.0, 1.0, 3) + against
        return np.asarray(normal / np.linalg.norm(normal))
    around = random.uniform(-np.pi, np.pi)
    aside = np.sin(angle) * np.array([np.cos(around), np.sin(around)])
    return np.asarray(contact_rotation(against) @ np.append(aside, np.cos(angle)))


def _at_the_start(case: str) -> Announcement | None:
    """Return the announcement of a controller that takes over."""
    return None if case == NOBODY else Announcement(START_NS)


def _when_near(
    case: str, time: int, robot: Robot, plant: WatchedPlant, normal: np.ndarray
) -> Announcement | None:
    """Return the announcement of a controller that approaches with the tool, or thinks so."""
    if case in (NOBODY, NOTHING):
        return None
    if plant.contact.frame != robot.contact_frame:
        normal = -ArmDynamics(robot)(plant.q, plant.dq).velocity[:3]
    if case == TILTED:
        rotation = contact_rotation(normal)
        normal = rotation @ [np.sin(np.pi / 3), 0.0, np.cos(np.pi / 3)]
    surface = Surface(plant.contact_position, normal, (0.0, FRICTION), (0.0, RESTITUTION))
    return Announcement(time, surface, start=time)

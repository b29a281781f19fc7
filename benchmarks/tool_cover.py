# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A soft cover on a Panda's tool: the model beside the full simulation, and hits at the bound.

Drawn poses at a wall, covers and walls. Single impacts of the coasting arm: largest load over its
limit and peak force, predicted over simulated. Then hits of the coasting arm at the highest safe
speed, walls and joints drawn in their ranges, and of the worst case; and how much faster that is.
Run it with ``./impact bench tool_cover``, or with ``--quick`` for a part.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from time import perf_counter
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.covered import reserve
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import joint_load, load_contact, window
from impact_predictor.joint_load.load_case import LoadCase, RatedCase, scale_ends, viscoelastic
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.joint_load.worst_load import LoadSearch
from impact_robots import Robot, load_robot
from impact_robots.description.named_contact import Cover
from impact_sim.arm.direct_run import direct_run
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.arm.passive_impact import gravity_compensation
from studies.joint_loads.load_hits import announced
from studies.joint_loads.load_poses import WallPose, draw_case, draw_poses, moving, wall_at
from studies.wall_configurations import NORMAL

IMPACTS, POSES, HITS = 1000, 20, 4
GAP = 1e-6  # in front of the wall [m]
MARGIN = 0.02  # of the limits
AFTER = 0.06  # contact: no longer than a load counts [s]
COVERS = {"8 mm": Cover(4e4, 60.0, 8e-3), "1 mm": Cover(4e4, 60.0, 1e-3)}


class Compared(NamedTuple):
    """One impact."""

    load: float  # largest over its limit, predicted over simulated [-]
    force: float  # peak, the same [-]
    bottoms: tuple[bool, bool]  # predicted, simulated
    above: bool  # whether the load is above the predicted one and the reserve of the limit


def measure(quick: bool = False) -> dict[str, float]:
    """Return the figures; quick: of a fifth of the impacts and poses."""
    robot, part = load_robot("panda"), 5 if quick else 1
    poses, random = draw_poses(robot, POSES // part, 0), np.random.default_rng(0)
    impacts = [_impact(robot, poses[k % len(poses)], random) for k in range(IMPACTS // part)]
    error, force = (100.0 * (np.array([each[field] for each in impacts]) - 1.0) for field in (0, 1))
    load = np.abs(error)
    figures = {
        "impacts": float(len(impacts)),
        "of these the cover bottoms out in": float(sum(each.bottoms[1] for each in impacts)),
        "otherwise than predicted in": float(sum(a != b for *_, (a, b), _ in impacts)),
        "error of the load, median [%]": float(np.median(load)),
        "error of the load, 95 in 100 [%]": float(np.percentile(load, 95.0)),
        "error of the load, lowest [%]": float(error.min()),
        "error of the load, highest [%]": float(error.max()),
        "error of the peak force, median [%]": float(np.median(np.abs(force))),
        "error of the peak force, 95 in 100 [%]": float(np.percentile(np.abs(force), 95.0)),
        "error of the peak force, lowest [%]": float(force.min()),
        "error of the peak force, highest [%]": float(force.max()),
        "loads above prediction plus reserve": float(sum(each.above for each in impacts)),
    }
    _worst(robot, poses[0])  # loads what is compiled
    begun = perf_counter()
    bare = np.array([_worst(robot, pose).speed for pose in poses])
    figures["a search without a cover [ms]"] = 1e3 * (perf_counter() - begun) / len(poses)
    for name, cover in COVERS.items():
        figures |= _hits(_covered(robot, cover), name, poses, bare, random)
    return figures


def _covered(robot: Robot, cover: Cover) -> Robot:
    """Return the robot with a cover on its tool."""
    assert robot.tool is not None
    return replace(robot, tool=robot.tool._replace(cover=cover))


def _impact(robot: Robot, pose: WallPose, random: np.random.Generator) -> Compared:
    """Return one impact of a coasting arm, cover, wall and speed drawn."""
    case, speed = draw_case(random, np.ones((2, 3, robot.dof))), random.uniform(0.05, 0.5)
    point, arm = moving(robot, pose, speed), elastic_arm(robot, pose.point.robot_state)
    stiffness, mass = 10.0 ** random.uniform(4.0, 5.3), arm.mass(NORMAL @ pose.point.J[:3])
    damped, depth = random.uniform(0.05, 0.4), speed * sqrt(mass / stiffness)
    damping, thickness = 2.0 * damped * sqrt(stiffness * mass), depth * random.uniform(0.3, 1.3)
    cover, wall = Cover(stiffness, damping, thickness), wall_at(pose, case, speed, GAP)
    plant = LoadedPlant(_covered(robot, cover), wall)
    plant.reset(point.q, point.dq)
    duration = window(mass, stiffness)
    direct_run(plant, gravity_compensation, after_contact=duration)
    law = viscoelastic(case.stiffness, case.restitution, speed)
    contact = load_contact(point, wall.surface.rotation, law, case.friction, cover=cover)
    predicted, limit = joint_load(arm, [contact], duration=duration), robot.limits.impulsive_torque
    ratio = float((predicted.change / limit).max() / (plant.load.change / limit).max())
    return Compared(
        ratio,
        float(predicted.peak_force[0] / plant.load.peak_force[0]),
        (bool(predicted.compression[0] == thickness), bool(plant.cover_compression == thickness)),
        ratio < 1.0 - MARGIN - speed * reserve(cover, mass),
    )


def _worst(robot: Robot, pose: WallPose) -> RatedCase:
    """Return the worst case at a pose, with the margin of `plan`."""
    search, limits = LoadSearch(robot, announced(pose)), load_limits(robot, pose.point.g, MARGIN)
    return search.worst(pose.point, limits)[0]


def _hits(
    robot: Robot,
    name: str,
    poses: list[WallPose],
    bare: np.ndarray,
    random: np.random.Generator,
) -> dict[str, float]:
    """Return the figures of hits at the bound with a cover."""
    drawn, worst, gains, taken = [], [], [], []
    ends = scale_ends(robot.joint_ranges, robot.dof)
    for pose, without in zip(poses, bare, strict=True):
        begun = perf_counter()
        found = _worst(robot, pose)
        taken.append(perf_counter() - begun)
        gains.append(found.speed / without)
        worst.append(_used(robot, pose, found.case, found.speed))
        others = (draw_case(random, ends) for _ in range(HITS))
        drawn += [_used(robot, pose, case, found.speed) for case in others]
    return {
        f"{name}: bound over that without a cover, lowest [-]": float(np.min(gains)),
        f"{name}: the same, median [-]": float(np.median(gains)),
        f"{name}: the same, highest [-]": float(np.max(gains)),
        f"{name}: a search [ms]": 1e3 * float(np.mean(taken)),
        f"{name}: hits at the bound": float(len(drawn) + len(worst)),
        f"{name}: largest fraction of a limit, drawn [-]": float(np.max(drawn)),
        f"{name}: the same, worst cases, lowest [-]": float(np.min(worst)),
        f"{name}: the same, worst cases, highest [-]": float(np.max(worst)),
    }


def _used(robot: Robot, pose: WallPose, case: LoadCase, speed: float) -> float:
    """Return the largest fraction of a limit that a hit of the coasting arm uses [-]."""
    point, wall = moving(robot, pose, speed), wall_at(pose, case, speed, GAP)
    plant = LoadedPlant(robot.with_joints(case.scale), wall)
    plant.reset(point.q, point.dq)
    direct_run(plant, gravity_compensation, after_contact=AFTER)
    return float(load_limits(robot, pose.point.g).used(plant.load).max())

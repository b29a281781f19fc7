# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Accuracy of joints identified from slow hits, and the resulting increase of the safe speed.

Each trial draws an arm in the ranges that the Panda's YAML assumes, joint by joint, while its
torque loop keeps the nominal constants. The plant throws it, coasting, at surfaces of drawn
stiffness, restitution and friction in eight poses; the sensors have the noise of a Panda. Then the
speed bound of the joint load with the assumed ranges, with the identified ones and with the joints
known exactly, at drawn wall poses; and what of the limits the drawn arm uses at the second one, on
drawn surfaces of the announced ranges. Run it with ``./impact bench joint_identification``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from impact_predictor.identification.joint_entries import identified_robot
from impact_predictor.identification.joint_estimate import JointIdentification
from impact_predictor.identification.joint_identification import identify_joints
from impact_predictor.joint_load.load_case import LoadCase, scale_ends, viscoelastic
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.joint_load.worst_load import LoadSearch
from impact_predictor.recorded_hit import RecordedHit
from impact_robots import ArmDynamics, PointState, Robot, Surface, load_robot
from impact_robots.description.joint_ranges import ANNOUNCED, NOMINAL
from studies.wall_configurations import NORMAL, draw

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from coasting_hit import coasting_hit

STANCE = (0.0, 0.0, 0.0, -2.094, 0.0, 2.094, 0.0)
TURNED = (0.3, -0.6, 0.2, -2.2, 0.5, 2.0, 0.3)
LOW = (-0.4, 0.2, -0.3, -1.8, -0.6, 1.6, 0.3)
HIGH = (0.5, 0.0, 0.3, -2.0, 0.9, 2.4, -0.3)
FORWARD, DOWN, ASIDE = (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
HITS = (  # pose and normal of the surface
    *((STANCE, normal) for normal in (FORWARD, DOWN, ASIDE)),
    *((TURNED, normal) for normal in (FORWARD, DOWN)),
    *((LOW, normal) for normal in (ASIDE, DOWN)),
    (HIGH, FORWARD),
)
FIGURES = ("stiffness", "damping", "motor inertia")
ANNOUNCED_SURFACE = Surface(None, NORMAL, (0.0, 0.3), (0.0, 0.3), (1e5, 1e7))
WALL_POSES, DRAWS = 4, 20  # an arm


def measure(arms: int = 50, seed: int = 17, speed: float = 0.1) -> dict[str, float]:
    """Return coverage, errors and widths of the figures, and what they buy."""
    robot = load_robot("panda")
    found, truths, speeds = [], [], []
    for number in range(arms):
        random = np.random.default_rng([seed, number])
        scale = drawn_scale(robot, random)
        one = identify_joints(robot, hits(robot, scale, random, speed))
        found.append(one)
        truths.append(scale)
        speeds += _bounds(robot, scale, one, draw(robot, WALL_POSES, number), random)
    return _accuracy(found, np.array(truths)) | _speeds(np.array(speeds))


def drawn_scale(robot: Robot, random: np.random.Generator) -> np.ndarray:
    """Return stiffness, damping and motor inertia of an arm in the assumed ranges, (3, n) [-]."""
    return random.uniform(*scale_ends(robot.joint_ranges, robot.dof))


def hits(
    robot: Robot, scale: np.ndarray, random: np.random.Generator, speed: float
) -> list[RecordedHit]:
    """Return the recordings of one arm's hits at a speed [m/s]."""
    arm, found = robot.with_joints(scale), []
    for pose, normal in HITS:
        surface = Surface(None, normal, random.uniform(0.0, 0.4))
        law = viscoelastic(10.0 ** random.uniform(5.0, 6.5), random.uniform(0.02, 0.5), speed)
        hit = coasting_hit(
            robot,
            np.array(pose) + random.uniform(-0.05, 0.05, robot.dof),
            surface,
            speed,
            law,
            arm=arm,
            before=0.02 + random.uniform(0.0, 1e-3),
            seed=int(random.integers(2**31)),
        )
        found.append(hit)
    return found


def _bounds(
    robot: Robot,
    scale: np.ndarray,
    found: JointIdentification,
    poses: np.ndarray,
    random: np.random.Generator,
) -> list[tuple[float, ...]]:
    """Return speeds with joints assumed, identified, known [m/s], and what the arm uses, a row."""
    true = robot.with_joints(scale)
    rows = []
    for q in poses:
        point = ArmDynamics(robot)(q, np.zeros(robot.dof))
        bounds = [
            _bound(robot, point, ANNOUNCED),
            _bound(identified_robot(robot, found), point, ANNOUNCED),
            _bound(true, point, NOMINAL),
        ]
        rows.append((*bounds, bounds[1] * _used(true, point, random)))
    return rows


def _bound(robot: Robot, point: PointState, joints: str) -> float:
    search = LoadSearch(robot, ANNOUNCED_SURFACE, joints=joints)
    return search.worst(point, load_limits(robot, point.g))[0].speed


def _used(arm: Robot, point: PointState, random: np.random.Generator) -> float:
    """Return the most of a limit that an arm uses at 1 m/s on drawn surfaces [s/m]."""
    surface, search = ANNOUNCED_SURFACE, LoadSearch(arm, ANNOUNCED_SURFACE, joints=NOMINAL)
    elastic, limits, same = search.arm(point), load_limits(arm, point.g), np.ones((3, arm.dof))
    used = []
    for _ in range(DRAWS):
        stiffness = 10.0 ** random.uniform(*np.log10(surface.stiffness))
        case = LoadCase(
            stiffness, random.uniform(*surface.restitution), random.uniform(*surface.friction), same
        )
        used.append(search.rate(elastic, point, limits, case).used.max())
    return float(max(used))


def _accuracy(found: list[JointIdentification], truths: np.ndarray) -> dict[str, float]:
    """Return coverage, median errors and half widths of what was identified [%]."""
    known = np.array([each.known for each in found])
    low, high, value = (np.array([getattr(f, k) for f in found]) for k in ("low", "high", "scale"))
    figures = {"intervals that were identified": float(known.sum())}
    for k, name in enumerate(FIGURES):
        chosen = known[:, k]
        inside = ((low <= truths) & (truths <= high))[:, k][chosen]
        error = np.abs(value / truths - 1.0)[:, k]
        half = (0.5 * (high - low) / truths)[:, k]
        figures[f"{name}: truth in the 95 % interval [%]"] = 100.0 * float(inside.mean())
        for j in range(truths.shape[2]):
            if (own := chosen[:, j]).any():
                joint = f"{name}, joint {j + 1}"
                figures[f"{joint}: identified [%]"] = 100.0 * float(own.mean())
                figures[f"{joint}: median error [%]"] = 100.0 * float(np.median(error[own, j]))
                figures[f"{joint}: median half width [%]"] = 100.0 * float(np.median(half[own, j]))
    return figures


def _speeds(rows: np.ndarray) -> dict[str, float]:
    """Return what the identification buys."""
    assumed, identified, exact, used = rows.T
    gain = np.percentile(identified / assumed, (5, 50, 95))
    return {
        "median speed bound, joints assumed [m/s]": float(np.median(assumed)),
        "median speed bound, joints identified [m/s]": float(np.median(identified)),
        "median speed bound, joints known [m/s]": float(np.median(exact)),
        "identified over assumed: median [-]": float(gain[1]),
        "identified over assumed: 5 % [-]": float(gain[0]),
        "identified over assumed: 95 % [-]": float(gain[2]),
        "known over identified: median [-]": float(np.median(exact / identified)),
        "most of a limit that an arm uses at the identified bound [-]": float(used.max()),
    }

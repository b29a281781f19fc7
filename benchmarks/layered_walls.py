# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hits of soft skins over hard cores, which the learner models as plain walls; counts, no times.

A mat on steel, all of it inside the announced 1e4 to 1e7 N/m: gentle hits stay in the skin, and a
faster one reaches the core. Each drawn wall is hit five times in the closed loop of
``impact reproduce learn``, by a drawn arm with a Panda's noise; a class of ``bench adversary``.
Run it alone with ``./impact bench layered_walls`` (100 hits with true torque sensors, 100 with
sensors that are 10 to 15 % low), or with ``--quick`` for 40 and 20.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load_case import viscoelastic
from impact_predictor.recorded_hit import RecordedHit
from impact_robots import Robot, Surface, load_robot
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.driver.simulation import Measurement, Simulation
from impact_sim.layered_law import LayeredLaw, drawn_law
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.scenarios import load_scenario
from impact_trials.in_process.learning_loop import learning_steps
from impact_trials.in_process.wall_hit import wall_hit
from impact_trials.trial import detector_session
from studies.joint_loads.load_poses import draw_poses
from studies.learned_walls.learn_run import POSES, ROBOT, RUN_UP, SCENARIO
from studies.learned_walls.learn_truth import KINDS, LearnTruth, draw_truth

HITS = 5  # of a wall
HITS_RUN, HITS_QUICK, HITS_LOW = 100, 40, 20
WORST = 1.3  # of a limit, that no hit may use
RARE, OF = 2, 100  # hits above a limit, of so many
LOW = (0.85, 0.9)  # torque measured over the true one, of each joint
ONE_POSE = 0  # index of KINDS


class Struck(NamedTuple):
    """What the hits of one wall were like."""

    wall: LayeredLaw
    speed: tuple[float, ...]  # at contact [m/s]
    load: tuple[float, ...]  # true fraction of the limit that is closest to it [-]


class LowSensors(Simulation):
    """Torque sensors that show less than there is."""

    gain: np.ndarray | float = 1.0  # measured over true, shape (n,) [-]

    def _measure(self, forces: np.ndarray) -> Measurement:
        found = super()._measure(forces)
        return found._replace(tau=self.gain * found.tau)


def measure(quick: bool = False) -> dict[str, float]:
    """Return the counts; quick: of fewer hits."""
    plain = HITS_QUICK if quick else HITS_RUN
    low = HITS_LOW if quick else HITS_RUN
    found: dict[str, float] = {}
    for name, count, gain in (("", plain, None), (", sensors 10 to 15 % low", low, LOW)):
        struck = strike_walls(count, 0, gain)
        loads = np.concatenate([each.load for each in struck])
        found[f"hits{name}"] = float(len(loads))
        found[f"above a limit{name}"] = float((loads > 1.0).sum())
        found[f"above it again{name}"] = float(_again(struck))
        found[f"highest load{name} [-]"] = float(loads.max())
    return found


def campaign(count: int, seed: int) -> tuple[int, int, list[str]]:
    """Return how many hits there were, what must not have been, and a line for each wall of it.

    Failed are hits above 1.3 of a limit, hits above a limit after the first on the same wall that
    was, and runs of 100 hits with more than two above a limit. Torque sensors are true.

    Args:
        count: hits to make; a series that the learner stops has fewer.
        seed: of all that is drawn.
    """
    struck = strike_walls(count, seed, None)
    loads = np.concatenate([each.load for each in struck])
    failed = int((loads > WORST).sum()) + _again(struck)
    runs = [loads[k : k + OF] for k in range(0, len(loads), OF)]
    failed += sum(int((run > 1.0).sum()) > RARE for run in runs)
    return len(loads), failed, [_line(each) for each in struck if max(each.load) > 1.0]


def strike_walls(count: int, seed: int, gain: tuple[float, float] | None) -> list[Struck]:
    """Return what so many hits were like, five a wall; arguments of :func:`strike_wall`."""
    return [strike_wall((seed, number), gain) for number in range(-(-count // HITS))]


def strike_wall(seed: tuple[int, int], gain: tuple[float, float] | None) -> Struck:
    """Return what the hits of one drawn wall and arm were like.

    Args:
        seed: of all that is drawn, and number of the wall.
        gain: torques measured over the true ones, each joint's drawn from it; none: 1.
    """
    robot, random = load_robot(ROBOT), np.random.default_rng([*seed, 31])
    truth = draw_truth(robot, KINDS[ONE_POSE], seed)
    wall, shown = drawn_law(random, 0.0), random.uniform(*(gain or (1.0, 1.0)), robot.dof)
    pose = draw_poses(robot, POSES, 0, RUN_UP)[seed[1] % POSES]
    approach, speeds, loads = truth.approach(pose, RUN_UP), [], []

    def strike(number: int, speed: float) -> RecordedHit | None:
        simulation = _simulation(truth, wall, approach.point.position, (robot, speed))
        simulation.gain = shown
        session = detector_session(load_scenario(SCENARIO), robot)
        return wall_hit(approach, speed, simulation, session)

    for step in learning_steps(truth.box, [approach] * HITS, strike):
        if step.hit is not None and step.hit.truth is not None:
            speeds.append(step.hit.truth.speed)
            loads.append(step.hit.truth.load)
    return Struck(wall, tuple(speeds), tuple(loads))


def _simulation(
    truth: LearnTruth, wall: LayeredLaw, place: np.ndarray, hit: tuple[Robot, float]
) -> LowSensors:
    """Return the arm in front of a wall whose restitution is the truth's at the hit's speed."""
    robot, speed = hit
    case = truth.box.case(truth.figures)
    loss = viscoelastic(1.0, case.restitution, speed).damping
    surface = Surface(place, case.rotation[:, 2], case.friction)
    law = LayeredLaw(wall.skin, wall.core, wall.thickness, loss)
    plant = LoadedPlant(robot.with_joints(case.scale), CompliantWall(surface, law))
    return LowSensors(robot, seed=round(1e6 * speed), plant=plant)


def _again(struck: list[Struck]) -> int:
    """Return the hits above a limit that were not the first ones of their wall."""
    return sum(max(0, sum(load > 1.0 for load in each.load) - 1) for each in struck)


def _line(struck: Struck) -> str:
    wall = struck.wall
    pairs = zip(struck.speed, struck.load, strict=True)
    hits = ", ".join(f"{speed:.3f} m/s {load:.2f}" for speed, load in pairs)
    what = f"{wall.skin:.2g} N/m, {1e3 * wall.thickness:.1f} mm, over {wall.core:.2g} N/m"
    return f"{what}: share of a limit at {hits}"

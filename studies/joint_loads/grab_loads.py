# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Grabs of two arms in the closed loop at the planned speed, with drawn delays.

The plan counts with joints as they are, boxes in their ranges and any delay. The box is displaced
along the arms' directions, so that one arm is late; controllers know neither that nor its true
mass, friction and stiffness. The plant has flexible joints, a linear damper in its contacts, and
sensor noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load import DURATION
from impact_qp.arms.object_hits import box_hit
from impact_qp.object_speed import object_speeds
from impact_sim.cell.spreading_file import load_spreading
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_trials.in_process.spreading_trial import spread
from impact_trials.truth.cell_truth import LOADED, CellLog
from studies.study_folder import StudyFolder

STUDY = "grabs"
SCENARIOS = tuple(
    f"rs_grab_{box}_{case}" for box in ("parcel", "catfood", "juice") for case in ("case1", "case3")
)
LATEST = 0.02  # of the delays that are drawn, of a box that stands still [s]
DAMPING = (0.55, 1.0)  # ratio of the plant's contacts: from a restitution of some 0.3 [-]
STREAM = 7  # of the random numbers of a seed


class DrawnGrab(NamedTuple):
    """One grab."""

    key: str  # its number
    scenario: str
    planned: float  # normal speed of the plates [m/s]
    asked_delay: float  # of the second arm, had the box stood still [s]
    delay: float | None  # as simulated; none: not both arms were in contact [s]
    used: float  # of the limit that is used most: change and range of each joint's torque [-]
    limit: str  # that one


def run(
    grabs: int,
    seed: int,
    jobs: int,
    progress: Callable[[float, str], None],
    finished: StudyFolder[DrawnGrab],
) -> list[DrawnGrab]:
    """Return the grabs; the number of processes changes nothing.

    Args:
        grabs: how many.
        seed: of everything that is drawn.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.
        finished: grabs that need not be simulated; gets the others.

    Raises:
        ImpactError: a grab failed, or a process died.
    """
    work = {str(k): (seed, k) for k in range(grabs)}
    return finished.completed(drawn_grab, work, jobs, progress, "grabs")


def drawn_grab(seed: int, number: int) -> DrawnGrab:
    """Draw a grab and simulate it."""
    random = np.random.default_rng([seed, STREAM, number])
    name = SCENARIOS[number % len(SCENARIOS)]
    known = planned(name)
    delay = float(random.uniform(-LATEST, LATEST))
    world = _world(known, delay, random)
    run = spread(world, int(random.integers(2**31)), announced=known.task)
    starts = [plate.contact_start for plate in run.log.plant.plates]
    times = [each.time for each in starts if each is not None]
    found = times[1] - times[0] if len(times) == len(starts) else None
    used, limit = _used(world, run.log, times)
    return DrawnGrab(str(number), name, known.reference_speed, delay, found, used, limit)


@cache
def planned(name: str) -> SpreadingScenario:
    """Return a scenario at the highest safe speed, of joints as they are, at most its own speed."""
    nominal = replace(load_spreading(name), variation={}, joint_ranges="nominal")
    scale = min(object_speeds(box_hit(nominal.task), "joint_load", "nominal").safe.scale, 1.0)
    return at_scale(nominal, scale)


def at_scale(scenario: SpreadingScenario, scale: float) -> SpreadingScenario:
    """Return a scenario whose arms hit at a multiple of their speeds."""
    return replace(
        scenario,
        dq_impact=tuple(tuple(scale * np.array(dq)) for dq in scenario.dq_impact),
        v_minus=tuple(tuple(scale * np.array(v)) for v in scenario.v_minus),
        after_contact=LOADED,
    )


def _world(
    known: SpreadingScenario, delay: float, random: np.random.Generator
) -> SpreadingScenario:
    """Return the world of a grab: box and contact in the plan's ranges, one arm late."""
    hit = box_hit(known.task)
    mass, friction = float(random.uniform(*hit.mass)), float(random.uniform(*hit.friction))
    stiffness = float(np.exp(random.uniform(*np.log(hit.stiffness))))
    aside = 0.5 * delay * known.reference_speed * known.direction(1)
    return replace(
        known,
        box_mass=mass,
        plate_friction=friction,
        contact_frequency=float(np.sqrt(stiffness / mass)),
        contact_damping=float(random.uniform(*DAMPING)),
        box_offset=tuple(np.array(known.box_offset) + aside),
    )


def _used(world: SpreadingScenario, log: CellLog, contacts: list[float]) -> tuple[float, str]:
    """Return the largest fraction of a limit, and which: change and range, as sensed."""
    if not contacts:
        return 0.0, "no contact"
    times, torques = np.array(log.times), np.array(log.torques)
    before = torques[max(int(np.searchsorted(times, min(contacts))) - 1, 0)]
    since = times >= min(contacts)
    impact, later = since & (times <= max(contacts) + DURATION), since & (times <= times[-1])
    found = []
    for arm, (name, robot) in enumerate(zip(world.arm_names, world.robots, strict=True)):
        change = np.abs(torques[impact, arm] - before[arm]).max(axis=0)
        largest = np.abs(torques[later, arm]).max(axis=0)
        limits = robot.limits
        for kind, values in (
            ("impulsive torque", change / limits.impulsive_torque),
            ("torque range", largest / limits.torque_range),
        ):
            joint = int(values.argmax())
            found.append((float(values[joint]), f"{name} {robot.joint_names[joint]} {kind}"))
    return max(found)

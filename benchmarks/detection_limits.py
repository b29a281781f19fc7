# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detection on soft walls, with foreign arms, and of shallow hits.

Hits found, delays and false detections, not time: each detector with its defaults on the walls of
``simulate`` and on the arms of ``studies/foreign``, at four stiffnesses of the wall, and ``fused``
on a tool that grazes a surface. Run it with ``./impact bench detection_limits`` (a minute).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.session import DetectorSession, Outcome
from impact_detector.signals.sample import FUSED, MOMENTUM, TORQUE_ERROR, JointSample, from_seconds
from impact_robots import load_robot
from impact_sim.scenarios import load_scenario
from impact_trials.in_process.impact_trial import run_impact
from impact_trials.lockstep import Cycle
from impact_trials.trial import Trial
from studies.foreign import ForeignSetup, draw_setup, simulate_hit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from link_hit import TOOL, link_hit

DETECTORS = (FUSED, MOMENTUM, TORQUE_ERROR)
STIFFNESSES = (2e4, 5e4, 1.2e5, 5e5)  # of the wall [N/m]
WALLS = ("iim_wall_cfg1", "iim_wall_cfg2", "iim_wall_cfg3")  # each at its five speeds
SETUPS, HITS = 15, 2  # foreign arms, and hits of each, at each stiffness
ANGLES, SEEDS = (60.0, 70.0, 80.0, 84.0, 87.0), 12  # against the normal [deg]; hits at each
SOON = 3e-3  # [s]


@dataclass(frozen=True)
class Seen:
    """What one detector made of one hit."""

    group: str  # arm, wall and detector
    speed: float  # of contact, along the normal [m/s]
    delay: float  # of the first detection after contact, NaN: missed [s]
    false: int  # detections before contact
    largest: float = np.nan  # statistic before contact, over the threshold; NaN: not known
    free: float = np.nan  # how long the arm moved before contact [s]


def measure() -> dict[str, float]:
    """Return hits, found ones, delays and false detections of each arm, wall and detector."""
    plant = [(name, k, number) for k in STIFFNESSES for name in WALLS for number in range(5)]
    foreign = [(seed, k, hit) for k in STIFFNESSES for seed in range(SETUPS) for hit in range(HITS)]
    shallow = [(angle, seed) for angle in ANGLES for seed in range(SEEDS)]
    with ProcessPoolExecutor() as pool:
        works = [
            pool.map(_plant_hit, *zip(*plant, strict=True)),
            pool.map(_foreign_hit, *zip(*foreign, strict=True)),
            pool.map(_shallow_hit, *zip(*shallow, strict=True)),
        ]
        seen = [each for work in works for some in work for each in some]
    groups = dict.fromkeys(each.group for each in seen)
    figures: dict[str, float] = {}
    for group in groups:
        figures |= _figures(group, [each for each in seen if each.group == group])
    return figures


def _figures(group: str, seen: Sequence[Seen]) -> dict[str, float]:
    """Return the figures of a group, without those that nothing is known of."""
    delays = 1e3 * np.array([each.delay for each in seen if np.isfinite(each.delay)])
    figures = {
        "hits": len(seen),
        "median speed along the normal [m/s]": np.median([each.speed for each in seen]),
        "found": len(delays),
        "found within 3 ms": np.sum(delays <= 1e3 * SOON),
        "median delay [ms]": np.median(delays) if len(delays) else np.nan,
        "worst delay [ms]": max(delays, default=np.nan),
        "false detections": sum(each.false for each in seen),
        "largest statistic before / threshold": max(each.largest for each in seen),
        "free motion [s]": sum(each.free for each in seen),
    }
    return {f"{group}: {name}": float(x) for name, x in figures.items() if np.isfinite(x)}


def _plant_hit(name: str, stiffness: float, number: int) -> list[Seen]:
    """Return what each detector makes of a hit of the plant on a wall of this stiffness."""
    scenario = load_scenario(name)
    ratio = stiffness / scenario.contact["k"]  # of the damping too: the restitution stays
    contact = scenario.contact | {"k": stiffness, "c": ratio * scenario.contact["c"]}
    trial = Trial(replace(scenario.of_trial(number), contact=contact), number, number)
    cycles: list[Cycle] = []
    row = run_impact(trial, lambda cycle, _: cycles.append(cycle)).row
    parameters = DetectorParameters(detectors=DETECTORS, lockstep=True)
    session = session_for(parameters, load_robot(scenario.robot))
    touch, speed = row["impact_time_s"], row["contact_speed_mps"]
    if not (isinstance(touch, float) and isinstance(speed, float)):
        raise RuntimeError(f"{trial.name}: no touch")
    return _judged(f"plant, {stiffness:g} N/m", _of_cycles(session, cycles), touch, speed)


def _of_cycles(session: DetectorSession, cycles: Iterable[Cycle]) -> list[Outcome]:
    """Return what a session says of a trial."""
    outcomes = []
    for cycle in cycles:
        seen = cycle.measurement
        outcomes.append(session.add_state(JointSample(cycle.time, seen.q, seen.dq, seen.tau)))
        outcomes.append(session.add_reference(cycle.time, cycle.answer.reference_torque))
    return outcomes


def _foreign_hit(seed: int, stiffness: float, number: int) -> list[Seen]:
    """Return what each detector makes of a hit of an arm that is not like its model."""
    robot = load_robot("panda")
    hit = simulate_hit(robot, _at_walls(draw_setup(robot, seed), stiffness), number)
    session = session_for(DetectorParameters(detectors=DETECTORS, reference="model"), robot)
    outcomes = [
        session.add_state(JointSample(from_seconds(t), q, dq, tau))
        for t, q, dq, tau in zip(hit.t, hit.q, hit.dq, hit.tau, strict=True)
    ]
    truth = hit.truth
    return _judged(f"foreign, {stiffness:g} N/m", outcomes, truth.touch, truth.approach_speed)


def _at_walls(setup: ForeignSetup, stiffness: float) -> ForeignSetup:
    """Return the same arm and motions at walls of another stiffness [N/m]."""
    walls = (replace(motion.wall, stiffness=stiffness) for motion in setup.motions)
    pairs = zip(setup.motions, walls, strict=True)
    return replace(setup, motions=tuple(replace(motion, wall=wall) for motion, wall in pairs))


def _shallow_hit(angle: float, seed: int) -> list[Seen]:
    """Return what ``fused`` makes of a surface that the plant's tool meets at an angle [deg]."""
    hit = link_hit(TOOL, seed, angle=np.radians(angle))
    if np.isnan(hit.touch):  # it turned away in time
        return []
    times = [found.detection_time * 1e-9 for found in hit.detections]
    return [_seen(f"plant, {angle:g} degrees, {FUSED}", times, hit.touch, hit.speed)]


def _judged(group: str, outcomes: Sequence[Outcome], touch: float, speed: float) -> list[Seen]:
    """Return what each detector made of a hit, given all that was said of it."""
    statuses = [status for each in outcomes for status in (*each.statuses, *each.others)]
    found = []
    for name in DETECTORS:
        own = [each for each in statuses if each.detector == name]
        times = [each.time * 1e-9 for each in own if each.detection]
        before = [each for each in own if each.time * 1e-9 < touch]
        largest = max(each.statistic / each.threshold for each in before if each.ready)
        free = touch - own[0].time * 1e-9
        seen = _seen(f"{group}, {name}", times, touch, speed)
        found.append(replace(seen, largest=largest, free=free))
    return found


def _seen(group: str, times: Sequence[float], touch: float, speed: float) -> Seen:
    """Return what was seen, given the times of all detections [s]."""
    delays = [time - touch for time in times if time >= touch]
    return Seen(group, speed, min(delays, default=np.nan), len(times) - len(delays))

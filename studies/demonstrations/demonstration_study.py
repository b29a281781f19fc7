# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Pushes that a hand demonstrates, `impact reference` on their bags, and the arm's repetitions."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from impact_cli.command_line import run as impact
from impact_qp.arms.plans import SpreadChoice
from impact_qp.spreading import Variant
from impact_robots.dynamics import ArmDynamics
from impact_sim.cell.spreading_file import load_spreading, spreading_of
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_trials.in_process.spreading_trial import SpreadingRun, spread
from studies.demonstrations.guided_push import TruePath, guided_push
from studies.in_turn import made_in_turn

STUDY = "demonstrations"
SCENARIOS = ("rs_push_parcel_case1", "rs_push_catfood_case2", "rs_push_juice_case1")
SEEDS = 5
MODES = (Variant.RS, Variant.TIME_INVARIANT)
OTHER_NOISE = 1000  # added to the seed of a repetition's noise
REST = 0.3  # after the end of the reference, up to which a repetition goes [s]
FINE = 5e-5  # between points of a path to which distances are taken [m]


class Repetition(NamedTuple):
    """A demonstration repeated by the arm; true motions are compared."""

    mode: str
    stopped: str  # why the arm stopped, "" if it did not
    before: tuple[float, float]  # distance to the demonstrated path up to the impact: rms, max [m]
    after: tuple[float, float]  # the same from the impact to the demonstration's end [m]
    timed: tuple[float, float]  # rms distance at equal times from the contact: before, after [m]
    speed: float  # into the box right before the impact [m/s]
    box: float  # how far the box was moved [m]


class DemonstrationTrial(NamedTuple):
    """One demonstration, and its repetitions."""

    key: str
    scenario: str
    seed: int
    refused: str  # what the command said, "" if it wrote references
    speed: float  # demonstrated, into the box right before the impact [m/s]
    reference_speed: float  # of the ante-impact reference at the impact, the same direction [m/s]
    contact_error: float  # detected first contact less the true one [s]
    fit: tuple[float, float]  # references off the recording, rms: before, after [m]
    box: float  # demonstrated: how far the box was moved [m]
    repetitions: tuple[Repetition, ...]


def run(
    seeds: int, seed: int, jobs: int, progress: Callable[[float, str], None]
) -> list[DemonstrationTrial]:
    """Return the trials; the number of processes changes nothing.

    Args:
        seeds: of each scenario.
        seed: the first one.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.

    Raises:
        ImpactError: a trial failed, or a process died.
    """
    work = [(name, seed + k) for name in SCENARIOS for k in range(seeds)]
    return made_in_turn(
        demonstration_trial, work, jobs, progress, study=STUDY, what="demonstrations"
    )


def demonstration_trial(name: str, seed: int) -> DemonstrationTrial:
    """Record a demonstration, make references of it, and let the arm follow them."""
    scenario = load_spreading(name)
    into = scenario.direction(0)
    with TemporaryDirectory() as folder:
        bag, file = Path(folder) / "bag", Path(folder) / "shown.yaml"
        shown = guided_push(scenario, seed, bag)
        document, refused = _references(bag, file, scenario.cell.robots[0].robot)
        at = int(np.searchsorted(shown.time, shown.contact or 0.0))
        speed, box = float(shown.velocity[at] @ into), _way(shown.box)
        known = f"{name} {seed}", name, seed, refused, speed
        if refused:
            return DemonstrationTrial(*known, np.nan, np.nan, (np.nan, np.nan), box, ())
        own = _repeated(name, seed, document, file)
        made = [spread(own, seed + OTHER_NOISE, SpreadChoice(mode)) for mode in MODES]
    sides = [document[side] for side in ("before", "after")]
    return DemonstrationTrial(
        *known,
        float(np.array(sides[0]["velocity_mps"]) @ into),
        document["impacts_s"][document["impact"] - 1] - (shown.contact or np.nan),
        (sides[0]["position_rms_m"], sides[1]["position_rms_m"]),
        box,
        tuple(
            _compared(mode, own, each, shown, document)
            for mode, each in zip(MODES, made, strict=True)
        ),
    )


def _references(bag: Path, file: Path, robot: str) -> tuple[dict[str, Any], str]:
    """Return what the command says of a bag, and why it refused it, "" if not."""
    said, complaint = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(complaint):
        status = impact(["reference", str(bag), f"--robot={robot}", f"--out={file}", "--json"])
    if status:
        return {}, complaint.getvalue().strip()
    return json.loads(said.getvalue()), ""


def _repeated(name: str, seed: int, document: dict[str, Any], file: Path) -> SpreadingScenario:
    """Return the scenario with these references, and the box where it was demonstrated."""
    entries = {
        "like": name,
        "references": [str(file)],
        "q_start": [document["q_start_rad"]],
        "v_minus": [document["before"]["velocity_mps"]],
    }
    own = spreading_of("shown", entries, str(file))
    offset = np.array(own.box_offset) + own.drawn(seed)
    after = document["reference_end_s"] - document["nominal_time_s"] + REST
    return replace(own, box_offset=tuple(offset.tolist()), variation={}, after_contact=float(after))


def _compared(
    mode: Variant,
    scenario: SpreadingScenario,
    made: SpreadingRun,
    shown: TruePath,
    document: dict[str, Any],
) -> Repetition:
    """Return the comparison of a repetition with what was demonstrated."""
    done = _true_path(scenario, made)
    stop = made.answers[0].controller.stop
    stopped = "" if stop is None else stop.value
    box = _way(done.box)
    if done.contact is None or shown.contact is None:
        nothing = (np.nan, np.nan)
        return Repetition(mode.value, stopped, nothing, nothing, nothing, np.nan, box)
    spans = (
        (-document["contact_time_s"], 0.0),
        (0.0, document["after"]["end_s"] - document["nominal_time_s"]),
    )
    before, after = (_errors(_span(done, *span), _span(shown, *span)) for span in spans)
    at = int(np.searchsorted(done.time, done.contact))
    speed = float(done.velocity[at] @ scenario.direction(0))
    return Repetition(mode.value, stopped, before[:2], after[:2], (before[2], after[2]), speed, box)


def _span(path: TruePath, low: float, high: float) -> TruePath:
    """Return a part of a path, by times from its first contact on [s], which then are its times."""
    since = path.time - (path.contact or 0.0)
    part = (since >= low) & (since <= high)
    position, velocity, box = (each[part] for each in (path.position, path.velocity, path.box))
    return TruePath(since[part], position, velocity, box, path.contact)


def _errors(mine: TruePath, theirs: TruePath) -> tuple[float, float, float]:
    """Return the distance to a path, rms and largest, and the rms one at equal times [m]."""
    away = cKDTree(_fine(theirs.position)).query(mine.position)[0]
    then = np.stack([np.interp(mine.time, theirs.time, axis) for axis in theirs.position.T], axis=1)
    apart = np.linalg.norm(mine.position - then, axis=1)
    rms = (float(np.sqrt(np.mean(each**2))) for each in (away, apart))
    return next(rms), float(away.max()), next(rms)


def _true_path(scenario: SpreadingScenario, made: SpreadingRun) -> TruePath:
    """Return the true motion of a repetition."""
    dynamics, log = ArmDynamics(scenario.robots[0]), made.log
    points = [dynamics(q, dq) for ((q, dq),) in log.links]
    return TruePath(
        np.array(log.times),
        np.array([each.position for each in points]),
        np.array([each.velocity for each in points]),
        np.array([each.position for each in log.boxes]),
        log.plant.first_contact_time,
    )


def _fine(points: np.ndarray) -> np.ndarray:
    """Return points ``FINE`` apart on the path through some, shape (K, 3) [m]."""
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    places = np.append(np.arange(0.0, along[-1], FINE), along[-1])
    return np.stack([np.interp(places, along, axis) for axis in points.T], axis=1)


def _way(box: np.ndarray) -> float:
    """Return how far a box was moved [m]."""
    return float(np.linalg.norm(box[-1] - box[0]))

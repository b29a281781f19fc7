# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One drawn arm at its walls: simulated, recorded, analysed, and compared with the truth."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from impact_analysis.analyze.comparing.identify import Identified
from impact_analysis.analyze.result import Analysis, Judged
from impact_analysis.analyze.run import analyze
from impact_bags.typestore import impact_typestore
from impact_predictor import velocity_interval
from impact_robots import ArmDynamics, Robot, Surface, load_robot
from studies.foreign import ForeignSetup, SimulatedHit, draw_setup, simulate_hit
from studies.foreign.disturbances import PLAIN
from studies.foreign.foreign_recording import write_hit
from studies.foreign.foreign_sentences import MODEL, Case, judged_sentences

ROBOT = "panda"
FOUND = 0.02  # a detection this long after the touch is of this touch [s]
MOTIONS = 2


class Compared(NamedTuple):
    """A quantity's truth beside its estimate and 95 % interval; SI."""

    quantity: str  # one of QUANTITIES of foreign_study.py
    truth: float
    estimate: float
    low: float
    high: float

    @property
    def covered(self) -> bool:
        """Whether the interval holds the truth."""
        return bool(self.low <= self.truth <= self.high)


class SetupResult(NamedTuple):
    """What became of one set-up."""

    seed: int
    family: str  # of what disturbs it
    hits: int
    found: int  # hits that were detected, and nothing else
    delays: list[float]  # from touch to detection [s]
    best_inertia: str  # that explains the velocities best
    compared: list[Compared]
    sentences: int  # of the report, that can be false
    false_sentences: list[str]
    left_out: dict[str, int]  # sentences that cannot be false, by key

    @property
    def key(self) -> str:
        """Name of the set-up, which no other one has."""
        return f"{self.family} {self.seed}, {self.hits} hits"


def run_setup(seed: int, hits: int, family: str = PLAIN) -> SetupResult:
    """Simulate, record and analyse ``hits`` hits of the set-up of a seed in a family."""
    robot = load_robot(ROBOT)
    setup, types = draw_setup(robot, seed, MOTIONS, family), impact_typestore()
    recorded: dict[str, SimulatedHit] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(hits):
            name = f"motion{number % MOTIONS}_{number // MOTIONS}"
            recorded[name] = simulate_hit(robot, setup, number)
            write_hit(Path(folder) / name, robot, recorded[name], types)
        normals = {
            name: tuple(setup.motions[number % MOTIONS].normal.tolist())
            for number, name in enumerate(recorded)
        }
        analysis = analyze(folder, robot=ROBOT, normals=normals)
    return _result(robot, setup, recorded, analysis)


def _result(
    robot: Robot, setup: ForeignSetup, recorded: dict[str, SimulatedHit], analysis: Analysis
) -> SetupResult:
    """Return an analysis beside the truth."""
    pairs = []
    for name, hit in recorded.items():
        of_this = [each for each in analysis.impacts if each.measured.recording == name]
        pairs.append((hit, of_this))
    late = [
        (hit, each, each.measured.detection_time - hit.truth.touch)
        for hit, of_this in pairs
        for each in of_this[:1]
    ]
    known = [(hit, each) for hit, each, delay in late if 0.0 < delay < FOUND]
    single = [hit for hit, of_this in pairs if len(of_this) == 1]
    compared = _coefficients(setup, analysis, [hit for hit, each in known if each.predicted])
    if (found := analysis.payload) is not None:
        truth = setup.disturbance.payload
        compared.append(Compared("payload", truth, found.mass, found.low, found.high))
    for hit, each in known:
        compared += _impact(analysis, hit, each)
    judged = judged_sentences(Case(robot, setup, recorded, analysis))
    return SetupResult(
        seed=setup.seed,
        family=setup.disturbance.family,
        hits=len(recorded),
        found=sum(any(hit is one for one in single) for hit, _ in known),
        delays=[delay for *_, delay in late],
        best_inertia=analysis.best.candidate.inertia if analysis.best else "",
        compared=compared,
        sentences=judged.judged,
        false_sentences=judged.false,
        left_out=judged.left_out,
    )


def _coefficients(
    setup: ForeignSetup, analysis: Analysis, hits: list[SimulatedHit]
) -> list[Compared]:
    """Return friction and restitution as the report states them, where it does.

    The truth of friction is the walls' coefficient; that of restitution is the hits' own, which
    depends on the arm.
    """
    if analysis.best is None or not hits:
        return []
    found = analysis.coefficients[analysis.best.candidate.inertia]
    bounces = float(np.mean([hit.truth.restitution for hit in hits]))
    compared = []
    if found.friction.is_known:
        compared.append(_stated("friction", setup.motions[0].wall.friction, found.friction))
    if np.isfinite([found.restitution.low, found.restitution.high]).all():
        compared.append(_stated("restitution", bounces, found.restitution))
    return compared


def _stated(quantity: str, truth: float, found: Identified) -> Compared:
    return Compared(quantity, truth, found.value, found.low, found.high)


def _impact(analysis: Analysis, hit: SimulatedHit, found: Judged) -> list[Compared]:
    """Return normal impulse, effective mass and joint velocities after one hit."""
    measured, truth = found.measured, hit.truth
    compared = []
    interval = measured.normal_impulse_interval
    if np.isfinite([measured.normal_impulse, *interval]).all():
        compared.append(
            Compared("impulse", truth.normal_impulse, measured.normal_impulse, *interval)
        )
    if not found.predicted:
        return compared
    compared.append(Compared("mass", truth.mass, found.effective_mass, *found.mass_interval))
    coefficients = analysis.coefficients[MODEL]
    mu, e = coefficients.friction, coefficients.restitution
    friction, restitution = (mu.low, min(mu.high, 1.0)), (e.low, e.high)
    if not np.isfinite([*friction, *restitution]).all():
        return compared
    low, high = velocity_interval(
        ArmDynamics(analysis.robot)(measured.q, measured.dq_before),
        Surface(None, measured.normal, friction, restitution),
        analysis.robot,
        inertia=MODEL,
    )
    each_joint = zip(truth.dq_after, 0.5 * (low + high), low, high, strict=True)
    return compared + [Compared("velocity", *map(float, values)) for values in each_joint]

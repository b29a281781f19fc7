# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The whole study: drawn impacts by the map, by MuJoCo and by DART."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from impact_predictor.impact_result import ContactMode
from impact_predictor.multicontact.cone_newton import polish
from impact_predictor.multicontact.friction_cone import project
from impact_predictor.multicontact.mujoco_step import mujoco_step
from impact_predictor.multicontact.object_impact import object_impact, plate_twists
from studies.engines.dart_step import COULOMB, check_dart, dart_step
from studies.engines.drawn_impact import DrawnImpact, drawn_impact
from studies.engines.engine_step import EngineStep, StepFigures, figures, mobility, ordered_impulses
from studies.engines.plate_problem import PlateProblem, plate_problem
from studies.in_turn import made_in_turn

IMPACTS = 500
ENGINES = ("map", "mujoco", "dart", "dart_coulomb")
POLISHED = "dart_polished"


class ComparedImpact(NamedTuple):
    """One push or grab by the map and by the engines."""

    number: int
    kind: str  # push or grab
    supported: bool  # the box stands on something
    slides: bool  # by the map: a contact that carries an impulse slides
    map: StepFigures
    mujoco: StepFigures
    dart: StepFigures  # as it is by default
    dart_coulomb: StepFigures  # with its solver of Coulomb's law
    dart_polished: StepFigures  # the solution of that law next to the one before


def run(
    impacts: int, seed: int, jobs: int, progress: Callable[[float, str], None]
) -> list[ComparedImpact]:
    """Return the impacts; the number of processes changes nothing.

    Args:
        impacts: how many; those of fewer stay as they are with more.
        seed: of everything that is drawn.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.

    Raises:
        UsageError: DART is not installed.
        AnalysisError: a process died.
        UnsolvedImpactError: the map found no solution.
    """
    check_dart()
    work = [(seed, number) for number in range(impacts)]
    return made_in_turn(compared, work, jobs, progress, study="engines", what="impacts")


def compared(seed: int, number: int) -> ComparedImpact:
    """Draw an impact and let everyone compute it.

    Raises:
        RobotError: no pose was found.
        EngineError: MuJoCo has missed a contact.
        SimulationError: an engine has other contacts.
        UnsolvedImpactError: the map found no solution.
    """
    drawn = drawn_impact(seed, number)
    problem = plate_problem(drawn)
    by_map, slides = map_step(drawn)
    coulomb = dart_step(drawn, problem, COULOMB)
    steps = {
        "map": by_map,
        "mujoco": by_mujoco(drawn, problem),
        "dart": dart_step(drawn, problem),
        "dart_coulomb": coulomb,
        POLISHED: polished(problem, coulomb.impulses),
    }
    judged = {name: figures(problem, step, by_map) for name, step in steps.items()}
    return ComparedImpact(number, drawn.task.kind, drawn.support is not None, slides, **judged)


def map_step(drawn: DrawnImpact) -> tuple[EngineStep, bool]:
    """Return what the map makes of an impact, and whether a contact slides.

    Raises:
        UnsolvedImpactError: it found no solution.
    """
    found = object_impact(drawn.plates, drawn.body, drawn.support, kind="points")
    v = np.concatenate([*found.plates.values(), found.body])
    slides = ContactMode.SLIDE in found.impact.modes
    return EngineStep(v, found.impact.impulses), slides


def by_mujoco(drawn: DrawnImpact, problem: PlateProblem) -> EngineStep:
    """Return what MuJoCo makes of an impact in one step.

    Raises:
        EngineError: MuJoCo cannot compile the model, or has missed a contact.
        SimulationError: MuJoCo has found other contacts.
    """
    step = mujoco_step(drawn.plates, drawn.body, drawn.support)
    v = np.concatenate([*plate_twists(drawn.plates, step.joints).values(), step.body])
    return EngineStep(v, ordered_impulses(problem, step.contacts, "MuJoCo"))


def polished(problem: PlateProblem, impulses: np.ndarray) -> EngineStep:
    """Return what Newton's method on Coulomb's law makes of impulses near a solution.

    Args:
        problem: the impact.
        impulses: to begin with, in contact axes, shape (k, 3) [N.s].
    """
    G, mu = problem.delassus, problem.friction
    scale = np.repeat(1.0 / np.sqrt(mobility(G)), 3)
    start, before = impulses.ravel() / scale, scale * (problem.J @ problem.v)
    found = polish(scale[:, None] * G * scale, before, mu, start)
    iota = project(found.reshape(-1, 3), mu) * scale.reshape(-1, 3)
    v = problem.v + np.linalg.solve(problem.inertia, problem.J.T @ iota.ravel())
    return EngineStep(v, iota)

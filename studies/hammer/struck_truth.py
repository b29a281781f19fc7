# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A drawn truth that is struck five times in the closed loop, at speeds planned without it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from itertools import islice
from time import process_time
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.motion_records import TICK
from impact_predictor.strike.effect import FOLLOWED
from impact_predictor.strike.strike_case import NailCase, StopCase, StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.striker import Striker
from impact_qp.strike.strike_planner import SafeStrike
from impact_robots import load_robot
from impact_robots.exceptions import ImpactError
from impact_sim.plant.compliant_wall import CompliantWall
from impact_trials.processes import check_stopped
from impact_trials.strikes.hammer_nail import HammerNail
from impact_trials.strikes.nail_run import NailRun
from impact_trials.strikes.strike_bench import StrikeTruth
from studies.hammer.strike_draw import DEPTH, draw_pose, draw_target, draw_tool, draw_truths

ROBOT = "panda"
STRIKES, BEFORE_KNOT = 5, 3  # of a truth; of these before the nail meets a knot
GROUP = 8  # set-ups in a row: of one the planner learns, two have rigid tools
NAIL, STOP, KNOT = "nail", "stop", "knot"
KINDS = (NAIL, STOP, NAIL, KNOT, NAIL, STOP, NAIL, KNOT)  # of a group
OTHER = 3  # how many set-ups on the kind of the truth at the ends is
LEARNS, RIGID = (0,), (1, 6)  # of a group
LEAST_SPEED = 0.2  # that an arm with a handle reaches on its run-up [m/s]


class DrawnStrike(NamedTuple):
    """One strike in the plant."""

    planned: float  # speed along the strike [m/s]
    promised: float  # largest fraction of a limit in the worst case [-]
    speed: float | None  # at contact, along the surface's normal; none: nothing was hit [m/s]
    used: float | None  # the plant's largest fraction of a limit [-]
    depth: float | None  # of the nail after it [m]
    detected: bool
    predicted: float | None  # fraction by the frozen model of the truth at that speed [-]
    contact: float | None  # time to the end of the last contact, by that model [s]
    stopped: str  # why the controller stopped the arm, "" if it did not


class StruckTruth(NamedTuple):
    """The strikes of one truth."""

    kind: str
    rigid: bool  # the tool
    learns: bool
    ends: bool  # the truth is at the ends of the ranges
    stiffness: float  # of the handle, infinite: rigid [N/m]
    mass: float  # of the head [kg]
    strikes: tuple[DrawnStrike, ...]
    problem: str  # why there were fewer, "" if none


class StruckSetup(NamedTuple):
    """What was announced once, and struck as two truths."""

    redrawn: int  # drawn before it, where the arm does not reach the target, or not as fast
    planner_s: float  # processor time of the first plan, three configurations [s]
    truths: tuple[StruckTruth, ...]  # inside the ranges, and at their ends


def struck_setup(seed: int, number: int) -> StruckSetup:
    """Draw announcements and pose until the arm can strike there, and strike two truths.

    Args:
        seed: of the study.
        number: of the set-up; kinds of surfaces and tools take turns by it.
    """
    robot, redrawn = load_robot(ROBOT), 0
    random = np.random.default_rng([seed, number])
    while True:
        check_stopped()
        tool = draw_tool(random, rigid=number % GROUP in RIGID)
        target, q = draw_target(random), tuple(draw_pose(robot, tool, random).tolist())
        known = HammerNail(ROBOT, q, tool, target)
        try:
            run = NailRun(known, tool, learns=number % GROUP in LEARNS)
            seconds = _planned(run)
        except ImpactError:  # out of reach
            redrawn += 1
            continue
        found = (_struck(run, random, number, ends=ends) for ends in (False, True))
        return StruckSetup(redrawn, seconds, tuple(found))


def _planned(run: NailRun) -> float:
    """Plan the first strike, and return the processor time that it took [s].

    Raises:
        ImpactError: the arm does not reach the target, or not as fast.
    """
    approach, deep = run.approach(0.0), run.approach(DEPTH)
    if run.tool.gives and not approach.fastest > LEAST_SPEED:
        raise ImpactError("drawn strike: the arm is slow there")
    deep.arrives(approach.fastest)  # or it is out of reach
    start = process_time()
    if not run.planner.plan(approach, deep).speed > 0.0:
        raise ImpactError("drawn strike: none is safe")
    return process_time() - start


def _struck(known: NailRun, random: np.random.Generator, number: int, *, ends: bool) -> StruckTruth:
    """Draw a truth, and strike it as planned before anything was struck."""
    tool, kind = known.tool, KINDS[(number + OTHER * ends) % GROUP]
    world = _drawn_world(known.world, random, kind, ends=ends)
    learns = number % GROUP in LEARNS
    run = NailRun(world, tool, learns=learns, q=known.q, seed=2 * number + ends)
    run.planner = copy(known.planner)
    found = list(_strikes(run, world, random, knot=kind == KNOT))
    problem = (found[-1].stopped if found else "") or run.planner.problem
    truth = world.truth(tool)
    figures = truth.stiffness, truth.mass, tuple(found), problem
    return StruckTruth(kind, not tool.gives, learns, ends, *figures)


def _drawn_world(
    known: HammerNail, random: np.random.Generator, kind: str, *, ends: bool
) -> HammerNail:
    surface = StopCase if kind == STOP else NailCase
    announced = known.robot, known.tool, known.target
    truth = next(draw_truths(*announced, random, ends=ends, kind=surface))
    return replace(
        known,
        true_tool=truth.tool,
        true_nail=truth.surface,
        true_friction=truth.friction,
        true_off=truth.off,
        true_joints=truth.scale,
    )


def _strikes(
    run: NailRun, world: HammerNail, random: np.random.Generator, *, knot: bool
) -> Iterator[DrawnStrike]:
    """Strike, and yield what came of it; a stop by the controller ends it."""
    plant, depth, safe = run.simulation.plant, 0.0, _safe(run)
    plant.wall = world.wall(safe.speed)
    strikes = islice(run.strikes(), STRIKES)
    for number in range(1, STRIKES + 1):
        check_stopped()
        stopped, seen = "", False
        try:
            if (each := next(strikes, None)) is None:
                return
            safe, stopped = each.safe, each.strike.fault
            seen = each.strike.contact is not None
        except ImpactError as error:
            safe, stopped = _safe(run), str(error)
        truth = run.bench.truth
        yield _drawn_strike(run, world, truth, depth, safe, (seen, stopped))
        if stopped:
            return
        depth = depth if truth is None else truth.depth
        if knot and number == BEFORE_KNOT:
            world = _with_knot(world, random)
            wall, depth = world.wall(safe.speed), 0.0
            plant.wall = CompliantWall(wall.surface.moved(-plant.wall_motion[0]), wall.law)


def _safe(run: NailRun) -> SafeStrike:
    """Return the speed of a strike from which nothing was learned yet; it is planned already."""
    return run.planner.plan(run.approach(0.0), run.approach(DEPTH))


def _with_knot(world: HammerNail, random: np.random.Generator) -> HammerNail:
    """Return the world with a drawn stop in place of the nail."""
    draws = draw_truths(world.robot, world.tool, world.target, random, ends=False, kind=StopCase)
    return replace(world, true_nail=next(draws).surface)


def _drawn_strike(
    run: NailRun,
    world: HammerNail,
    truth: StrikeTruth | None,
    depth: float,
    safe: SafeStrike,
    seen_stopped: tuple[bool, str],
) -> DrawnStrike:
    """Return a strike on a nail that was at a depth [m] before."""
    (seen, stopped), planned = seen_stopped, (float(safe.speed), float(safe.used))
    if truth is None:
        return DrawnStrike(*planned, None, None, None, seen, None, None, stopped)
    model = _modelled(run, world, truth, depth)
    return DrawnStrike(*planned, truth.speed, truth.used, truth.depth, seen, *model, stopped)


def _modelled(
    run: NailRun, world: HammerNail, truth: StrikeTruth, depth: float
) -> tuple[float, float]:
    """Return what the frozen model of the truth uses of a limit, and when contact ends [s]."""
    surface, window = world.true_nail, run.simulation.plant.window
    if isinstance(surface, NailCase):
        surface = surface._replace(depth=depth)
    errors = world.true_off, world.true_friction, world.true_joints
    case = StrikeCase(world.truth(run.tool), surface, *errors)
    striker, n = Striker(world.robot, run.tool, truth.q), world.robot.dof
    speed = truth.speed / case.off.approach
    model = StrikeLoads(striker).run(case, speed, max(window, FOLLOWED))
    model.go_on(round(window / TICK))
    limits, load = striker.limits(case.tool.mass), striker.joints_of(model.load())
    predicted = float(limits.used(load)[: 2 * n].max())
    model.go_on()
    return predicted, float(model.load().contact_end[0])

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drawn strikes: what is announced of tool and target, the pose, and what is true."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import inf

import numpy as np

from impact_predictor.strike.strike_case import NailCase, StopCase, StrikeCase
from impact_predictor.strike.strike_check import drawn_strikes
from impact_robots import ArmDynamics, Robot
from impact_robots.tools.target import HardStop, Nail, Target, Wish
from impact_robots.tools.tool import Tool, with_tool
from studies.people.person_draw import LEAST_SINGULAR_VALUE, MOST_GRAVITY, ROOM, log_uniform

DEPTH = 0.03  # to drive a nail to [m]
FRICTION = (0.0, 0.279)  # announced; of Wang 2023 [-]
STIFFNESS, RESTITUTION = (1e5, 1e7), (0.02, 0.6)  # announced of a stop [N/m], [-]
DAMPING = (0.02, 0.2)  # announced of handles [-]
OFF_CENTRE, OFF_ANGLE = 5e-3, 0.05  # announced [m], [rad]


def known_tool(stiffness: float, mass: float, head: tuple[float, float, float]) -> Tool:
    """Return a tool as it is announced: handle within 30 %, head within 10 %.

    Args:
        stiffness: middle of the handle's [N/m]; infinite: a rigid tool.
        mass: middle of the head's [kg].
        head: its place, axes of the flange, shape (3,) [m].
    """
    rigid = stiffness == inf
    return Tool(
        head=head,
        axis=(0.0, 0.0, 1.0),
        mass=(0.9 * mass, 1.1 * mass),
        stiffness=(inf, inf) if rigid else (0.7 * stiffness, 1.3 * stiffness),
        damping_ratio=(0.0, 0.0) if rigid else DAMPING,
        adapter_mass=0.1,
        adapter=(0.0, 0.0, 0.03),
        off_centre=OFF_CENTRE,
        off_angle=OFF_ANGLE,
    )


def known_target(resistance: tuple[float, float]) -> Target:
    """Return a nail of some resistance [N] as it is announced; it may turn out to be a stop."""
    stop, nail = HardStop(STIFFNESS, RESTITUTION), Nail(resistance, depth=DEPTH)
    return Target(nail, stop, FRICTION, Wish("work"))


def draw_tool(random: np.random.Generator, *, rigid: bool = False) -> Tool:
    """Draw a tool as it is announced: head of 0.2 to 0.8 kg, handle of 1e4 to 1e5 N/m."""
    stiffness = inf if rigid else log_uniform(random, 1e4, 1e5)
    head = random.uniform(-0.03, 0.03), random.uniform(-0.03, 0.03), random.uniform(0.08, 0.2)
    return known_tool(stiffness, log_uniform(random, 0.2, 0.8), head)


def draw_target(random: np.random.Generator) -> Target:
    """Draw a nail as it is announced: of 100 to 400 N, or up to twice that."""
    lowest = log_uniform(random, 100.0, 400.0)
    return known_target((lowest, 2.0 * lowest))


def draw_pose(robot: Robot, tool: Tool, random: np.random.Generator) -> np.ndarray:
    """Draw joint positions far from limits and singularities, shape (n,) [rad]."""
    arm = with_tool(robot, tool, tool.nominal.mass)
    low, high = robot.limits.position_lower + ROOM, robot.limits.position_upper - ROOM
    while True:
        q = random.uniform(low, high)
        head = ArmDynamics(arm)(q, np.zeros(robot.dof))
        regular = np.linalg.svd(head.J, compute_uv=False)[-1] >= LEAST_SINGULAR_VALUE
        if regular and np.all(np.abs(head.g) < MOST_GRAVITY * robot.limits.torque_range):
            return q


def draw_truths(
    robot: Robot,
    tool: Tool,
    target: Target,
    random: np.random.Generator,
    *,
    ends: bool,
    kind: type[NailCase | StopCase] | None = None,
) -> Iterator[StrikeCase]:
    """Yield truths inside what is announced, without end.

    Args:
        robot: the arm.
        tool: as announced.
        target: as announced.
        random: draws.
        ends: all at the ends of their ranges; else anywhere in them.
        kind: of the surface; none: nails and stops.
    """
    for case in islice(drawn_strikes(robot, tool, target, random), int(ends), None, 2):
        if kind is None or isinstance(case.surface, kind):
            yield case

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --case FILE` with strikes: tool, surface and pose given, computed without a reserve."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from impact_analysis.present.plain import plain
from impact_cli.plans.case_file import Case, Cases, figures, finite, section, vector
from impact_predictor.strike.effect import strike_effect
from impact_predictor.strike.joint_speed import joint_speed
from impact_predictor.strike.strike_case import StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.striker import Striker
from impact_predictor.strike.surface_cases import middle_surface, surface_cases
from impact_robots.exceptions import UsageError
from impact_robots.robot import Robot
from impact_robots.tools.target import HardStop, Nail, Target
from impact_robots.tools.tool import Range, Tool, ToolCase
from impact_robots.validation import positive, restitution_range, stiffness_range

_ALIGNED = 1e-3  # of the direction of a strike and the tool's axis [-]


def strike_cases(cases: Cases, robot: Robot) -> Any:
    """Return the cases with their answers, in the form that they came in.

    Args:
        cases: strikes.
        robot: the arm, whose own tool is replaced.

    Raises:
        UsageError: an entry is missing or does not fit; says which.
        ImpactError: the robot's joints are not known.
    """
    robot.require("plan")
    answers = [_answer(each, f"entry {i + 1}", robot) for i, each in enumerate(cases.entries)]
    return plain(cases.printed(answers))


def _answer(case: Case, where: str, robot: Robot) -> Case:
    """Return the answers to a case."""
    tool, target = _tool(case, where), _target(case, where)
    striker = Striker(robot, tool, vector(case, "q", robot.dof, where))
    direction = vector(case, "direction", 3, where)
    if np.abs(direction - striker.direction).max() > _ALIGNED:
        axis = ", ".join(f"{each:.4f}" for each in striker.direction)
        raise UsageError(f"--case: {where}: direction: expected the tool's axis, {axis}")
    window = positive(case["window_s"], "window_s") if "window_s" in case else None
    loads = StrikeLoads(striker, window)
    surfaces = surface_cases(target)
    critical = loads.lowest(
        StrikeCase(each, surface) for each in tool.corners() for surface in surfaces
    )
    reached = joint_speed(robot, striker.point(tool.nominal.mass), striker.direction).speed
    used = min(critical.speed, reached)
    effect = strike_effect(loads, StrikeCase(_nominal(case), middle_surface(target)), used)
    return {
        "speed_mps": used,
        "load_speed_mps": critical.speed if critical.speed < inf else None,
        "joint_speed_mps": reached,
        "limit": "joint load" if critical.speed < reached else "joint speed",
        "joint": critical.limit % robot.dof + 1,
        "impulse_ns": effect.impulse,
        "impulse_30ms_ns": effect.early_impulse,
        "work_j": effect.work,
        "peak_force_n": effect.peak_force,
        "depth_m": effect.depth,
        "handle_deflection_m": effect.deflection,
    }


def _tool(case: Case, where: str) -> Tool:
    """Return the tool of a case, with its ranges."""
    given, factors = (
        section(case, "tool", where),
        section({"tool_ranges": {}} | case, "tool_ranges", where),
    )
    named = f"{where}: tool"
    damping = finite(given.get("damping_ratio", 0.0), f"{named}: damping_ratio")
    stiffness = given.get("handle_stiffness")
    return Tool(
        _place(given, "head_centre_in_flange", named),
        _place(given, "strike_direction_in_flange", named),
        _scaled(given, "head_mass", factors, named),
        (inf, inf) if stiffness is None else _scaled(given, "handle_stiffness", factors, named),
        (damping, damping),
        finite(given.get("adapter_mass", 0.0), f"{named}: adapter_mass"),
        _place({"adapter_at": [0.0, 0.0, 0.0]} | given, "adapter_at", named),
    )


def _nominal(case: Case) -> ToolCase:
    """Return the tool of a case without its ranges, which need not be centred."""
    given = case["tool"]
    stiffness = given.get("handle_stiffness")
    return ToolCase(
        float(given["head_mass"]),
        inf if stiffness is None else float(stiffness),
        float(given.get("damping_ratio", 0.0)),
    )


def _place(given: Case, key: str, where: str) -> tuple[float, float, float]:
    x, y, z = vector(given, key, 3, where).tolist()
    return x, y, z


def _scaled(given: Case, key: str, factors: Case, where: str) -> Range:
    """Return a figure times its factors, 1 where there are none."""
    (nominal,) = figures(given, key)
    low, high = _range({key: [1.0, 1.0]} | factors, key, f"{where}_ranges")
    return nominal * low, nominal * high


def _target(case: Case, where: str) -> Target:
    """Return the target of a case."""
    surface = section(case, "surface", where)
    nail, stop, named = None, None, f"{where}: surface"
    if surface.get("nail") is not None:
        given = section(surface, "nail", named)
        nail = Nail(_range(given, "resistance", named), _range(given, "contact_stiffness", named))
    if surface.get("stop") is not None:
        given = section(surface, "stop", named)
        restitution = restitution_range(vector(given, "restitution", 2, named).tolist())
        stop = HardStop(stiffness_range(vector(given, "stiffness", 2, named).tolist()), restitution)
    if nail is None and stop is None:
        raise UsageError(f"--case: {named}: expected an entry nail or stop, got {surface!r}")
    return Target(nail, stop)


def _range(given: Case, key: str, where: str) -> Range:
    low, high = vector(given, key, 2, where)
    if not 0.0 < low <= high:
        raise UsageError(f"--case: {where}: {key}: expected 0 < low <= high, got {low}, {high}")
    return float(low), float(high)

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest safe speed of several contacts, or with a floating base: `plan --and`."""

from __future__ import annotations

import argparse
from argparse import ArgumentTypeError
from typing import Any, NamedTuple

import numpy as np

from impact_cli.options.impact_options import GivenImpact
from impact_cli.options.number_options import numbers
from impact_cli.reports.predict_report import coefficients
from impact_predictor.balance.push_limit import StanceMargin, footing_of, stance_margin
from impact_qp.limits import Contact, SpeedBound
from impact_qp.limits.impact_limits.registry import AUTO
from impact_qp.whole_body.arrival import Arrival
from impact_qp.whole_body.planning import READINGS, arrival_speed
from impact_robots.exceptions import UsageError

_OF_ONE_ARM = ("optimize", "yaml", "composite", "joint_ranges", "interface")


class SeveralPlan(NamedTuple):
    """Contacts that arrive together, and the highest safe speed."""

    impact: GivenImpact
    arrivals: tuple[Arrival, ...]
    reading: str  # of ``READINGS``
    bound: SpeedBound
    margin: StanceMargin | None = None  # None: the robot does not stand on level soles


def add_several_options(parser: argparse.ArgumentParser) -> None:
    """Add the option of further contacts."""
    parser.add_argument(
        "--and",
        dest="others",
        action="append",
        default=[],
        type=_arrival,
        metavar="FRAME:X,Y,Z",
        help="another contact that hits at the same time, and its normal; may be repeated",
    )


def concerns_several(arguments: argparse.Namespace, impact: GivenImpact) -> bool:
    """Return whether there are several contacts or a floating base."""
    return bool(arguments.others) or impact.robot.base == "floating"


def several_plan(
    arguments: argparse.Namespace, impact: GivenImpact, parser: argparse.ArgumentParser
) -> SeveralPlan:
    """Return the highest safe speed of the contacts.

    Args:
        arguments: of `plan`.
        impact: of the first contact.
        parser: their parser.

    Raises:
        UsageError: an option that applies to a single arm only, or an unsuitable limit.
        ImpactError: the robot's YAML lacks required fields.
    """
    for name in _OF_ONE_ARM:
        if getattr(arguments, name) != parser.get_default(name):
            option = name.replace("_", "-")
            raise UsageError(f"--{option}: only for one contact of an arm on a fixed base")
    reading = READINGS[0] if arguments.mode == AUTO else arguments.mode
    if reading not in READINGS:
        choices = ", ".join((AUTO, *READINGS))
        raise UsageError(
            f"--impact-limits: for several contacts or a floating base expected one of {choices},"
            f" got {reading}"
        )
    robot, q = impact.robot, impact.state.q
    robot.require_no_loops("plan")
    places = ((impact.state.frame, impact.surface.normal), *arguments.others)
    state = impact.state.robot_state
    arrivals = tuple(
        Arrival(frame, _contact(arguments, impact, state.at(frame).position, normal))
        for frame, normal in places
    )
    bound = arrival_speed(robot, q, arrivals, reading)
    footing = footing_of(robot, state) if robot.base == "floating" else None
    margin = None if footing is None else stance_margin(footing)
    return SeveralPlan(impact, arrivals, reading, bound, margin)


def several_document(plan: SeveralPlan) -> dict[str, Any]:
    """Return the JSON document."""
    surface = plan.impact.surface
    return {
        "robot": plan.impact.robot.name,
        "mode": plan.reading,
        "impact_limits": plan.reading,
        "friction": surface.friction[1],
        "friction_low": surface.friction[0],
        "restitution": surface.restitution,
        "contacts": [
            {
                "frame": each.frame,
                "normal": each.contact.normal,
                "contact_point_m": each.contact.point,
            }
            for each in plan.arrivals
        ],
        "q_rad": plan.impact.state.q,
        "speed_bound_mps": plan.bound.speed,
        "limit": plan.bound.name or None,
        "balance": _balance(plan.margin),
    }


def _balance(margin: StanceMargin | None) -> dict[str, float] | None:
    """Return a margin for programs."""
    if margin is None:
        return None
    return {
        "sustained_push_N": margin.sustained,
        "short_push_Ns": margin.short,
        "height_m": margin.height,
    }


def several_text(plan: SeveralPlan) -> str:
    """Return a few lines."""
    names = ", ".join(each.frame for each in plan.arrivals)
    speed, limit = plan.bound
    bound = f"{speed:.4f} m/s, limited by {limit}" if np.isfinite(speed) else "unlimited"
    together = " together" if len(plan.arrivals) > 1 else ""
    lines = [
        f"{plan.impact.robot.name}, {names}{together}, {plan.reading}",
        f"  {coefficients(plan.impact.surface)}",
        f"  highest safe speed {bound}",
    ]
    if plan.margin is not None:
        sustained, short, height = plan.margin
        lines.append(
            f"  stands sudden pushes up to {sustained:.1f} N sustained, {short:.1f} N.s short,"
            f" from any side at height {height:.2f} m (soles and servos as HRP-4's)"
        )
    return "\n".join(lines)


def _contact(
    arguments: argparse.Namespace,
    impact: GivenImpact,
    point: np.ndarray,
    normal: np.ndarray | tuple[float, ...],
) -> Contact:
    surface = impact.surface
    pulse = arguments.peak_factor, arguments.duration
    return Contact(point, normal, surface.friction, surface.restitution, *pulse)


def _arrival(text: str) -> tuple[str, tuple[float, ...]]:
    """Return frame and normal of ``FRAME:X,Y,Z``."""
    frame, colon, normal = text.partition(":")
    values = numbers(normal) if colon and frame else ()
    if len(values) != 3 or not any(values):
        raise ArgumentTypeError(f"expected FRAME:X,Y,Z, a frame and a normal, got {text!r}")
    return frame, values

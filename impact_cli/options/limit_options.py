# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Options of the impact limits: shared by `plan` and `map`."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from impact_cli.options.impact_options import USUAL
from impact_cli.options.number_options import number
from impact_qp.control.plan import Plan
from impact_qp.exact_friction import exact_friction_warning
from impact_qp.exceptions import ControlError
from impact_qp.interface import INTERFACES
from impact_qp.limits import IMPACT_LIMITS, Contact, ImpactLimit
from impact_qp.limits.impact_limits.registry import AUTO
from impact_robots import Robot, Surface
from impact_robots.description.joint_ranges import JOINT_RANGES
from impact_robots.entry import entries_of
from impact_robots.exceptions import UsageError
from impact_robots.task.hit_task import HitTask

_HIT = entries_of(HitTask)
_ELSE = "; not used by joint_load"


def _modes() -> dict[str, type[ImpactLimit]]:
    """Return the impact limits that bound a speed, by name."""
    return {name: kind.limit for name, kind in IMPACT_LIMITS.items() if kind.limit is not None}


def add_limit_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`read_plan`, after those of the surface."""
    add = parser.add_argument
    parser.set_defaults(unsaid=USUAL)
    add(
        "--impact-limits",
        "--mode",
        dest="mode",
        choices=(AUTO, *_modes()),
        default=AUTO,
        help="impulses that must be safe (default: joint_load if the robot's YAML defines the"
        " required fields, else robust)",
    )
    add(
        "--joint-ranges",
        choices=JOINT_RANGES,
        default=JOINT_RANGES[0],
        help="joint parameters of joint_load: announced (the ranges of the YAML, the default) or"
        " nominal",
    )
    add(
        "--interface",
        choices=tuple(INTERFACES),
        default="torque",
        help="commanded quantity (default: torque); for velocity or position joint_load models the"
        " arm's servo",
    )
    add(
        "--peak-factor",
        type=number,
        default=3.0,
        metavar="A",
        help="peak over mean contact force" + _ELSE,
    )
    add("--duration", type=number, default=0.018, metavar="S", help="contact time [s]" + _ELSE)
    add("--tilt", type=number, default=30.0, metavar="DEG", help="largest rotation of the tool")


def check_limit_options(arguments: argparse.Namespace) -> None:
    """Refuse numbers out of their range.

    Raises:
        UsageError: a number is out of range; names its option.
    """
    for option, name, value in (
        ("--peak-factor", "peak_factor", arguments.peak_factor),
        ("--duration", "impact_duration", arguments.duration),
    ):
        if not _HIT[name].allows(value):
            raise UsageError(f"{option}: {_HIT[name].line('a number', value)}")
    if not 0.0 <= arguments.tilt <= 180.0:
        raise UsageError(f"--tilt: expected 0 to 180 degrees, got {arguments.tilt:g}")


def read_plan(
    arguments: argparse.Namespace, point: np.ndarray, surface: Surface, robot: Robot
) -> Plan:
    """Return the controller's plan for the surface through a point, shape (3,) [m]."""
    contact = Contact(
        point,
        surface.normal,
        surface.friction,
        surface.restitution,
        arguments.peak_factor,
        arguments.duration,
        surface.stiffness,
    )
    plan = Plan(
        contact,
        arguments.mode,
        joint_ranges=arguments.joint_ranges,
        interface=arguments.interface,
    )
    return plan.resolved(robot)


def limit_of(plan: Plan, robot: Robot) -> ImpactLimit:
    """Return the controller's limit.

    Raises:
        UsageError: the robot's YAML lacks fields that the limit needs.
    """
    try:
        limit = plan.impact_limit(robot, period=0.0)
    except ControlError as error:
        raise UsageError(str(error)) from None
    if limit is None:
        raise UsageError(f"--impact-limits: expected a limit, got {plan.impact_limits}")
    return limit


def warn_of_exact_friction(plan: Plan, robot: Robot, q: np.ndarray | None = None) -> None:
    """Print a warning if an exact friction gives a higher bound than a range from 0."""
    if warning := exact_friction_warning(plan, robot, q):
        print(f"impact: {warning}", file=sys.stderr)


def words_of(plan: Plan) -> str:
    """Return the impact limits and their ranges as a short text."""
    if plan.impact_limits != "joint_load":
        return plan.impact_limits
    low, high = plan.contact.stiffness
    return f"joint_load, {plan.joint_ranges} joints, stiffness {low:.3g} to {high:.3g} N/m"

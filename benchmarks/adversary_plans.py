# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms, contacts, plans and start configurations drawn at random."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

import impact_robots
from impact_qp import IMPACT_LIMITS, Contact, Plan
from impact_robots import ArmDynamics, Robot, Surface, load_robot

INTERFACES = ("torque", "velocity", "position")
INSIDE = 0.8  # fraction of the range of positions in which arms begin


@dataclass(frozen=True)
class Task:
    """What one arm is to do, and what is really there."""

    robot: Robot
    plan: Plan
    q: np.ndarray  # where it begins, shape (n,) [rad]
    dq: np.ndarray  # how it moves there, shape (n,) [rad/s]
    wall: Surface | None


@cache
def robots() -> tuple[Robot, ...]:
    """Return the Panda, and an arm with the limits of an FR3 (whose URDF does not ship)."""
    panda = Path(impact_robots.__file__).with_name("panda.urdf")
    return load_robot("panda"), load_robot("fr3", urdf=panda, joint_prefix="panda_")


def draw_task(random: np.random.Generator, interface: str) -> Task:
    """Draw an arm, where it stands, what it shall hit and what it will."""
    robot = robots()[int(random.integers(2))]
    q = _configuration(random, robot)
    normal = random.standard_normal(3)
    normal /= np.linalg.norm(normal)
    point = ArmDynamics(robot).position(q) - random.uniform(0.005, 0.1) * normal
    plan = draw_plan(random, interface, point, normal)
    moves = random.random() < 0.1
    dq = 0.1 * random.standard_normal(robot.dof) if moves else np.zeros(robot.dof)
    return Task(robot, plan, q, dq, _wall(random, point, normal))


def draw_plan(
    random: np.random.Generator, interface: str, point: np.ndarray, normal: np.ndarray
) -> Plan:
    """Draw a plan for a surface."""
    contact = Contact(
        point, normal, float(random.uniform(0.0, 0.6)), (0.0, float(random.uniform(0.0, 0.6)))
    )
    kinds = ["robust", "robust", *(each for each in IMPACT_LIMITS if each != "person")]
    if interface != "torque":
        kinds.remove("joint_load")  # neither arm says how stiff its servos are
    plan = Plan(
        contact,
        impact_limits=str(random.choice(kinds)),
        interface=interface,
        speed=float(random.uniform(0.02, 0.5)),
        preview=float(random.choice([0.01, 0.02, 0.05])),
        generators=int(random.choice([4, 8])),
        activation_distance=float(random.choice([0.1, 0.2])),
        coast_time=float(random.uniform(0.01, 0.15)),
        after=str(random.choice(["retract", "hold"])),
        solver=str(random.choice(["quadprog", "daqp"])),
    )
    if interface == "torque" and random.random() < 0.4:
        force = float(np.exp(random.uniform(np.log(5.0), np.log(100.0))))
        plan = replace(plan, after="press", press_force=force)
    return plan


def _configuration(random: np.random.Generator, robot: Robot) -> np.ndarray:
    """Return positions about the stance, or anywhere well inside the limits, (n,) [rad]."""
    low, high = robot.limits.position_lower, robot.limits.position_upper
    middle, half = 0.5 * (low + high), 0.5 * INSIDE * (high - low)
    if random.random() < 0.5:
        return random.uniform(middle - half, middle + half)
    q = robot.stance + 0.3 * random.standard_normal(robot.dof)
    return np.clip(q, middle - half, middle + half)


def _wall(random: np.random.Generator, point: np.ndarray, normal: np.ndarray) -> Surface | None:
    """Return a wall that is announced, nearer, farther, tilted, or not there."""
    kind = random.random()
    if kind < 0.3:
        return None
    if kind < 0.7:
        return Surface(point, normal)
    tilted = normal + 0.2 * random.standard_normal(3)
    shifted = point + random.uniform(-0.02, 0.02) * normal
    return Surface(shifted, tilted)

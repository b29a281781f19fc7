# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One MJCF of an arm and the wall of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from impact_predictor.contact_force.contact_law import RateLaw
from impact_predictor.contact_force.linear_contact import linear_contact
from impact_predictor.inertia.inverse_inertia import effective_mass, generalized_momentum
from impact_robots.dynamics import ArmDynamics
from impact_sim.exceptions import ScenarioError, SimulationError
from impact_sim.export.arm_mjcf import TIP, ExportedArm, add_arm, numbers
from impact_sim.export.wall_mjcf import (
    FRICTION_RATIO,
    WALL,
    ExportedWall,
    add_contact,
    add_wall,
)
from impact_sim.scenarios import Scenario

if TYPE_CHECKING:
    import mujoco

START = "start"  # the keyframe from which the arm begins
RIGID_STEP, FLEXIBLE_STEP = 1e-4, 5e-5  # [s]


def mjcf_of(arm: ExportedArm, q: np.ndarray, wall: ExportedWall | None = None) -> str:
    """Return the MJCF of an arm at rest, and of a wall that it may hit.

    Args:
        arm: to be written.
        q: link positions of the keyframe ``start``, shape (n,) [rad].
        wall: in front of it.

    Raises:
        SimulationError: MuJoCo cannot compile it, for example for an unphysical inertia.
    """
    root = Element("mujoco", {"model": arm.robot.name})
    SubElement(root, "compiler", {"angle": "radian", "autolimits": "false"})
    SubElement(root, "option", _options(arm, wall))
    add_arm(root, arm)
    if wall is not None:
        add_wall(root, wall)
    model = compiled(root)
    if wall is not None:
        bodies = [model.geom(name).bodyid[0] for name in (TIP, WALL)]
        add_contact(root, wall, float(model.body_invweight0[bodies, 0].sum()))
    keys = SubElement(root, "keyframe")
    SubElement(keys, "key", {"name": START, "qpos": numbers(_qpos(model, arm, q))})
    compiled(root)
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def scenario_wall(arm: ExportedArm, scenario: Scenario, approach_speed: float) -> ExportedWall:
    """Return the wall that reproduces a scenario's contact law at an approach speed [m/s].

    Raises:
        ScenarioError: it is of an arm with another number of joints, or nothing is hit in it.
        OutOfRangeError: the speed is not positive.
    """
    robot, law = arm.robot, scenario.law
    if len(scenario.q_impact) != robot.dof:
        count = len(scenario.q_impact)
        raise ScenarioError(f"{scenario.name}: expected an arm of {count} joints, got {robot.dof}")
    if scenario.motion or not isinstance(law, RateLaw):
        raise ScenarioError(f"{scenario.name}: expected a scenario with a wall")
    surface = scenario.surface(robot)
    state = ArmDynamics(robot)(np.array(scenario.q_impact), np.zeros(robot.dof))
    mass = effective_mass(generalized_momentum(state, surface.rotation, arm.motor_inertia))
    contact = linear_contact(law, mass, approach_speed)
    return ExportedWall(surface, contact, float(np.sqrt(mass / contact.stiffness)))


def compiled(root: Element) -> mujoco.MjModel:
    """Return the model of an MJCF.

    Raises:
        SimulationError: MuJoCo cannot compile it; with MuJoCo's reason.
    """
    import mujoco  # loads slowly

    try:
        return mujoco.MjModel.from_xml_string(tostring(root, encoding="unicode"))
    except ValueError as error:
        text = " ".join(str(error).split())
        raise SimulationError(f"MJCF of {root.get('model')}: {text}") from None


def _options(arm: ExportedArm, wall: ExportedWall | None) -> dict[str, str]:
    """Return MuJoCo's options of time, gravity and contact."""
    step = FLEXIBLE_STEP if arm.flexible else RIGID_STEP
    return {
        "timestep": numbers([step if wall is None else wall.largest_step(step)]),
        "gravity": numbers(arm.robot.model.gravity.linear),
        "integrator": "implicitfast",
        "cone": "elliptic",
        "impratio": numbers([FRICTION_RATIO]),
    }


def _qpos(model: mujoco.MjModel, arm: ExportedArm, q: np.ndarray) -> np.ndarray:
    """Return MuJoCo's positions of link positions (n,) [rad]."""
    qpos = np.zeros(model.nq)
    for name, position in arm.positions(np.asarray(q, dtype=float)).items():
        qpos[model.joint(name).qposadr[0]] = position
    return qpos

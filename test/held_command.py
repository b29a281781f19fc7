# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A driver that holds the last command when the controller dies on its way to the wall."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_qp import Contact, ImpactController, Plan
from impact_robots import ArmDynamics, load_robot
from impact_sim import Interface, Simulation, load_scenario
from impact_sim.arm.watched_plant import WatchedPlant

CYCLE = 1e-3  # [s]


class Held(NamedTuple):
    """What the arm does from there on, by the plant's numbers."""

    contact_speed: float  # NaN: it does not arrive [m/s]
    velocity_share: float  # largest joint velocity over its limit
    too_fast_after: float  # when a joint first exceeds its velocity limit; inf: it does not [s]
    force: float  # largest on the wall [N]


def held_command(interface: Interface, death: float, duration: float = 2.0) -> Held:
    """Approach as the demo's robust run does until a time [s], then hold the last command [s]."""
    scenario, robot = load_scenario("qp_panda_demo"), load_robot("panda")
    plant = WatchedPlant(robot, scenario.wall(robot))
    simulation = Simulation(robot, interface=interface, plant=plant)
    point = scenario.surface_point(robot)
    contact = Contact(point, scenario.normal, scenario.friction, scenario.restitution)
    plan = Plan(contact, "robust", interface=interface.value, speed=scenario.reference_speed)
    controller = ImpactController(robot, plan)
    measured = simulation.reset(scenario.start(robot))
    for _ in range(round(death / CYCLE)):
        command = controller.update(measured.q, measured.dq)
        sent = {
            Interface.TORQUE: command.driver_torque,
            Interface.VELOCITY: command.velocity,
            Interface.POSITION: command.position,
        }[interface]
        measured = simulation.step(sent)
    velocities, forces = [], [np.zeros(3)]
    for _ in range(round(duration / CYCLE)):
        forces.extend(simulation.step(sent).forces)
        velocities.append(float((np.abs(plant.dq) / robot.limits.velocity).max()))
    too_fast = np.flatnonzero(np.array(velocities) > 1.0)
    arrival = np.nan
    if plant.contact_start is not None:
        state = ArmDynamics(robot)(plant.contact_start.q, plant.contact_start.dq)
        arrival = contact.approach_speed(state.velocity)
    return Held(
        arrival,
        max(velocities),
        float(too_fast[0] + 1) * CYCLE if len(too_fast) else np.inf,
        float((np.array(forces) @ contact.normal).max()),
    )

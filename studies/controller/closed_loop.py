# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The experiment of Wang 2023 in closed loop: ten hits per scenario, noise, other surfaces.

The arm has flexible joints and the sensor noise of a real Panda; friction and restitution of the
wall are drawn from the announced ranges, the start is shifted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from impact_analysis.present.table import Column, Table
from impact_detector.signals.sample import DetectionStatus
from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.contact_force.restitution import exact_restitution
from impact_predictor.sets.feasible_sets import impulse_set, unit_impulses
from impact_qp.control.controller import ImpactController
from impact_qp.limits import IMPACT_LIMITS, ImpactLimit, RobustImpactLimit
from impact_qp.parameters import ControllerParameters
from impact_robots import ArmDynamics, Robot
from impact_robots.cell import robot_named
from impact_ros.parameters import from_values
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.driver.arm_driver import Interface
from impact_sim.driver.simulation import Measurement, Simulation
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.scenarios import Scenario, load_scenario, scenario_names
from impact_trials.lockstep import Answer, lockstep
from impact_trials.processes import cores, in_order
from impact_trials.trial import detector_session

SEEDS = 10  # as many hits as Wang 2023
RUNS = (  # interface, impact limits
    ("torque", "unaware"),
    ("torque", "existential"),
    ("torque", "robust"),
    ("velocity", "robust"),
)
LATERAL = 0.005  # largest shift of the start along each tangent [m]
LOWEST = 0.02  # restitution: an impact of none takes no time [-]
AFTER, LONGEST = 0.1, 10.0  # after contact, without one [s]
IMPACT = 0.02  # the contact is over by then [s]
TOLERANCE = 1e-9  # of membership [N.s]


@dataclass(frozen=True)
class ClosedLoopHit:
    """One hit; p are contact axes."""

    scenario: str
    interface: str
    limits: str  # which impact limits
    speed: float  # at the contact, along the normal [m/s]
    bound: float  # of the controller at that configuration, margin included [m/s]
    joint: str  # and what sets it
    strict: bool  # impulse in the announced set
    no_worse: bool  # in the hull of the set and zero
    measured: float  # impulsive torque of the impulse over its limit, worst joint [-]
    admissible: float  # the same of the worst announced impulse at that speed [-]
    velocity: float  # joint velocity after the impact over its limit, worst joint [-]


def hits(
    seed: int, report: Callable[[float, str], None], seeds: int | None = None
) -> list[ClosedLoopHit]:
    """Return the hits of all scenarios, controllers and interfaces."""
    count = SEEDS if seeds is None else seeds
    asked = [
        (load_scenario(name), interface, limits, seed + k)
        for name in scenario_names()
        for interface, limits in RUNS
        for k in range(count)
    ]
    found = []
    for done, hit in enumerate(in_order(hit_once, asked, cores(), "reproduce"), 1):
        found.append(hit)
        report(done / len(asked), f"hit {done} of {len(asked)}")
    return found


def hit_once(scenario: Scenario, interface: str, limits: str, seed: int) -> ClosedLoopHit:
    """Simulate one hit of a scenario."""
    robot = robot_named("panda")
    random = np.random.default_rng([seed, 7])
    values = scenario.controller_parameters(robot)
    values |= {"impact_limits": limits, "interface": interface}
    controller = ImpactController(robot, from_values(ControllerParameters, values).plan())
    plant = WatchedPlant(robot, _wall(scenario, robot, controller, random))
    sideways = LATERAL * random.uniform(-1.0, 1.0, 2)
    mode = Interface.TORQUE if interface == "torque" else Interface.VELOCITY

    def answer(measurement: Measurement, status: DetectionStatus) -> Answer:
        command = controller.update(
            measurement.q, measurement.dq, impact=status.impact, ready=status.ready
        )
        sent = command.driver_torque if interface == "torque" else command.velocity
        return Answer(sent, command.velocity, command.reference_torque)

    simulation = Simulation(robot, seed=seed, plant=plant, interface=mode)
    session = detector_session(scenario, robot)
    start = scenario.start(robot, np.array([*sideways, 0.0]))
    fastest = np.zeros(robot.dof)
    for cycle in lockstep(simulation, answer, session, start):
        touched = plant.contact_start
        if touched is not None and cycle.measurement.time > touched.time:
            fastest = np.maximum(fastest, np.abs(plant.dq))
        if cycle.measurement.time >= (LONGEST if touched is None else touched.time + AFTER):
            break
    velocity = float((fastest / robot.limits.velocity).max())
    return _judged(scenario, interface, limits, controller, plant, velocity)


def _wall(
    scenario: Scenario, robot: Robot, controller: ImpactController, random: np.random.Generator
) -> CompliantWall:
    """Draw a wall within the announced ranges; its restitution is that at the bound."""
    from scipy.optimize import brentq  # loads slowly

    state = ArmDynamics(robot)(np.array(scenario.q_impact), np.zeros(robot.dof))
    speed = min(scenario.reference_speed, limit_of(controller).speed_bound(state).speed)
    low, high = scenario.restitution
    wanted = random.uniform(max(low, LOWEST), high)
    stiffness = float(scenario.contact["k"])

    def excess(logarithm: float) -> float:
        law = Viscoelastic(stiffness, float(np.exp(logarithm)))
        return exact_restitution(law, speed) - wanted

    law = Viscoelastic(stiffness, float(np.exp(brentq(excess, np.log(1e5), np.log(1e10)))))
    return replace(scenario.wall(robot, random.uniform(0.0, scenario.friction)), law=law)


def limit_of(controller: ImpactController) -> ImpactLimit:
    """Return the controller's impact limit; unaware, the robust one, to compare with."""
    if controller.impact_limit is not None:
        return controller.impact_limit
    return RobustImpactLimit(controller.robot, controller.plan.contact)


def _judged(
    scenario: Scenario,
    interface: str,
    limits: str,
    controller: ImpactController,
    plant: WatchedPlant,
    velocity: float,
) -> ClosedLoopHit:
    """Hold a hit against what was announced."""
    robot, contact = controller.robot, controller.plan.contact
    if plant.contact_start is None:
        raise RuntimeError(f"{scenario.name}: the arm never arrived")
    state = ArmDynamics(robot)(plant.contact_start.q, plant.contact_start.dq)
    R = contact.rotation
    W = R.T @ limit_of(controller).inverse_inertia(state) @ R
    speed = contact.approach_speed(state.velocity)
    push = plant.force[: round(IMPACT / plant.contact_step)].sum(axis=0) * plant.contact_step
    impulse = R.T @ push
    known = contact.friction[1], contact.restitution
    announced = impulse_set(W, *known, -speed, circumscribed=True)
    load = contact.peak_factor / contact.impact_duration * (R.T @ state.J[:3]).T
    load = load / robot.limits.impulsive_torque[:, None]
    worst = load @ unit_impulses(W, *known, circumscribed=True) * speed
    bound = limit_of(controller).speed_bound(state)
    return ClosedLoopHit(
        scenario.name,
        interface,
        limits,
        speed,
        bound.speed,
        bound.name,
        announced.contains(impulse, TOLERANCE),
        announced.contains_in_hull_with_zero(impulse, TOLERANCE),
        float(np.abs(load @ impulse).max()),
        float(np.abs(worst).max()),
        velocity,
    )


def study(found: Iterable[ClosedLoopHit]) -> Table:
    """Return the table: one line per scenario, interface and limits."""
    groups: dict[tuple[str, str, str], list[ClosedLoopHit]] = {}
    for hit in found:
        groups.setdefault((hit.scenario, hit.interface, hit.limits), []).append(hit)
    entries = [_entry(*key, of) for key, of in groups.items()]
    return Table(
        "closed_loop",
        "Hits in the closed loop: speed over the bound, impulses in the announced set (in its hull"
        " with zero), impulsive torque and joint velocity over their limits, worst of all hits",
        (
            Column("scenario", "scenario"),
            Column("interface", "sends"),
            Column("impact_limits", "limits"),
            Column("contact_speed_mps", "speed", ".3f"),
            Column("speed_bound_mps", "bound", ".3f"),
            Column(
                title="speed/bound",
                text="{0[lowest_speed_over_bound]:.3f}-{0[highest_speed_over_bound]:.3f}".format,
            ),
            Column(title="in set", text="{0[in_set]}/{0[hits]}".format),
            Column(title="no worse", text="{0[in_hull_with_zero]}/{0[hits]}".format),
            Column("impulsive_torque_over_limit", "torque", ".2f"),
            Column("announced_impulsive_torque_over_limit", "announced", ".2f"),
            Column("joint_velocity_over_limit", "velocity", ".2f"),
            Column("limited_by", "set by"),
        ),
        entries,
        entries,
    )


def _entry(
    scenario: str, interface: str, limits: str, of: list[ClosedLoopHit]
) -> dict[str, object]:
    shares = [hit.speed / hit.bound for hit in of]
    return {
        "scenario": scenario,
        "interface": interface,
        "impact_limits": limits,
        "hits": len(of),
        "contact_speed_mps": float(np.mean([hit.speed for hit in of])),
        "speed_bound_mps": float(np.mean([hit.bound for hit in of])),
        "lowest_speed_over_bound": min(shares),
        "highest_speed_over_bound": max(shares),
        "in_set": sum(hit.strict for hit in of),
        "in_hull_with_zero": sum(hit.no_worse for hit in of),
        "impulsive_torque_over_limit": max(hit.measured for hit in of),
        "announced_impulsive_torque_over_limit": max(hit.admissible for hit in of),
        "joint_velocity_over_limit": max(hit.velocity for hit in of),
        "limited_by": of[0].joint if limits in IMPACT_LIMITS and limits != "unaware" else None,
    }

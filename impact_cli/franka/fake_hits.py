# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`hit` without an address: the fake arm, with thresholds from a gentle hit, and an obstacle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from impact_analysis.present.plain import json_text, plain
from impact_analysis.present.table import aligned
from impact_cli.franka.fci_run import ending
from impact_cli.progress import Progress
from impact_drivers.exceptions import DriverError
from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.fake_fr3.observed import observed_peaks
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.arm.libfranka_arm import libfranka
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.hit_need import planned_speed
from impact_drivers.franka.hit_process import HitJob, run_hit
from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.reflex.thresholds import (
    ObservedHit,
    Thresholds,
    check_range,
    thresholds_by_hits,
)
from impact_qp.control.plan import Plan
from impact_qp.limits.straight_path import contact_state
from impact_qp.parameters import ControllerParameters
from impact_robots.dynamics import ArmDynamics
from impact_robots.surface import Surface
from impact_ros.parameters import from_values
from impact_sim.driver.simulation import START_NS
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.scenarios import load_scenario

LIMITS = "joint_load"
GENTLE, FAST = 0.1, 0.25  # requested speeds [m/s]
FOAM = {"model": "visco", "k": 3e3, "c": 6e3}  # what is hit [N/m], [N.s/m^2]
ANNOUNCED, BOUNCE = (2e3, 5e3), (0.3, 0.9)  # its ranges of stiffness [N/m] and restitution
FOREARM = HuntCrossley(40e3, 20e3, 1.0)  # the obstacle: as stiff as a person's forearm, held
CONTACT_FORCE = 5.0  # force from which on it is contact, above the sensor's noise [N]
AHEAD = 0.03  # of the surface: where the obstacle stands [m]
OBSTACLE = "obstacle"


@dataclass(frozen=True)
class FakeHit:
    """One run."""

    run: str  # gentle, hit or obstacle
    speed_mps: float  # requested
    contact_speed_mps: float
    peak_force_n: float
    reflexes: tuple[str, ...]  # by which the arm has stopped itself
    stopped_by: str
    thresholds: CollisionBehavior  # in force
    observed: CollisionBehavior  # peaks of the arm's observer

    def as_json(self) -> dict[str, Any]:
        """Return the figures."""
        names = "run", "speed_mps", "contact_speed_mps", "peak_force_n", "reflexes"
        return {name: getattr(self, name) for name in names} | {
            "stopped_by": self.stopped_by or None,
            "torque_thresholds_nm": self.thresholds.torque,
            "force_thresholds": self.thresholds.force,
            "observed_torque_nm": self.observed.torque,
            "observed_force": self.observed.force,
        }


def hit_with_the_fake_arm(*, as_json: bool) -> int:
    """Hit foam gently, then faster with thresholds from that hit, then an obstacle before it.

    Returns:
        the exit status: 0 if the hits passed and the arm stopped itself at the obstacle.

    Raises:
        ImpactError: no libfranka, or no contact.
    """
    libfranka()  # raises if it is missing
    gentle = fake_hit("gentle", GENTLE)
    planned = thresholds_from(gentle, FAST)
    runs = [
        gentle,
        fake_hit("hit", FAST, planned),
        fake_hit(OBSTACLE, GENTLE),
        fake_hit(OBSTACLE, FAST, planned),
    ]
    print(json_text(plain({"runs": [each.as_json() for each in runs]})) if as_json else _text(runs))
    return int(any((run.run == OBSTACLE) != bool(run.reflexes) for run in runs))


def thresholds_from(gentle: FakeHit, speed: float) -> CollisionBehavior:
    """Return the thresholds for a hit at a requested speed [m/s], as far as its limits allow it.

    Raises:
        PredictionError: more than four times as fast, or beyond the range of a joint.
    """
    setup = fake_setup("hit", speed)
    robot, plan = setup.load_robot(), fake_plan(setup)
    dynamics = ArmDynamics(robot)
    start = dynamics(setup.start(robot), np.zeros(robot.nv))
    planned = planned_speed(robot, plan, contact_state(dynamics, plan.contact, start))
    low, seen = CollisionBehavior.low(), gentle.observed
    recorded = ObservedHit(gentle.contact_speed_mps, seen.torque, seen.force)
    torque, force = thresholds_by_hits([recorded], planned, Thresholds(low.torque, low.force))
    check_range(torque, low.torque, robot.limits.torque_range - np.abs(start.g))
    return CollisionBehavior(torque, force)


def fake_setup(run: str, speed: float) -> FakeSetup:
    """Return the fake arm before the foam, or before an obstacle in front of it."""
    foam: dict[str, Any] = {"contact": FOAM, "stiffness": ANNOUNCED, "restitution": BOUNCE}
    setup = FakeSetup(replace(load_scenario("qp_panda_demo"), reference_speed=speed, **foam))
    if run != OBSTACLE:
        return setup
    scenario = setup.load_scenario()
    point = scenario.surface_point(setup.load_robot()) + AHEAD * np.array(scenario.normal)
    surface = Surface(point, scenario.normal, scenario.friction)
    return replace(setup, obstacle=CompliantWall(surface, FOREARM))


def fake_plan(setup: FakeSetup) -> Plan:
    """Return the plan to hit the foam."""
    values = setup.load_scenario().controller_parameters(setup.load_robot())
    return from_values(ControllerParameters, values | {"impact_limits": LIMITS}).plan()


def fake_hit(run: str, speed: float, thresholds: CollisionBehavior | None = None) -> FakeHit:
    """Hit with a new fake arm; thresholds are raised only for it.

    Args:
        run: its name; "obstacle": with one in front of the surface.
        speed: requested [m/s].
        thresholds: for the hit; None: they stay low.

    Raises:
        DriverError: there was no contact.
    """
    setup = fake_setup(run, speed)
    robot, scenario = setup.load_robot(), setup.load_scenario()
    settings = ArmSettings(realtime=False)
    if thresholds is not None:
        settings = settings.with_hit_thresholds(thresholds)
    job = HitJob("", fake_plan(setup), settings, scenario.detection_threshold, need=thresholds)
    progress = Progress(f"{run}, {speed:g} m/s")
    with FakeProcess(setup) as fake:
        outcome = run_hit(replace(job, address=fake.address), start_of_lockstep)
        log = fake.log
        highest = CollisionBehavior(*fake.highest_thresholds)
    progress.close(ending(outcome))
    peaks = [float(np.linalg.norm(each.forces, axis=1).max(initial=0.0)) for each in log]
    first = next((i for i, force in enumerate(peaks) if force > CONTACT_FORCE), None)
    if first is None:
        raise DriverError(f"{run}: {outcome.refusal or outcome.fault or 'nothing was hit'}")
    before = log[max(0, first - 1)]
    velocity = ArmDynamics(robot)(before.q, before.dq).velocity
    arrival = float(-np.array(scenario.normal) @ velocity)
    observed = observed_peaks(robot, log)
    return FakeHit(
        run, speed, arrival, max(peaks), outcome.reflexes, outcome.fault, highest, observed
    )


def start_of_lockstep() -> int:
    """Return the stamp of the first state of a fake arm [ns]."""
    return START_NS


def _text(runs: list[FakeHit]) -> str:
    """Return a line per run."""
    lines = [["run", "contact m/s", "peak N", "observed N", "threshold N", "ended by"]]
    for each in runs:
        observed, limit = each.observed.force[:3].max(), each.thresholds.force[:3].max()
        forces = (f"{force:.0f}" for force in (each.peak_force_n, observed, limit))
        ended = ", ".join(each.reflexes) or "the controller"
        lines.append([each.run, f"{each.contact_speed_mps:.3f}", *forces, ended])
    return "\n".join(aligned(lines, left=(0, -1)))

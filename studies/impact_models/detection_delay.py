# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Delay between contact and its effect on the joint torques (H8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from impact_detector.detectors.torque_error import TorqueErrorDetector
from impact_detector.signals.sample import JointSample
from impact_predictor.contact_force.laws import Viscoelastic
from impact_robots import ArmDynamics, Robot
from impact_robots.kinematics import inverse_kinematics
from impact_robots.surface import Surface
from impact_sim import PANDA_NOISE, CompliantWall, Interface, Measurement, Simulation
from studies.impact_models.velocity_approach import VelocityApproach
from studies.published import parameter, read
from studies.wall_configurations import NORMAL

# Not published, but bracketed: k/c = 0.015 m/s gives a restitution below 0.15 at 0.1 m/s as in
# Wang 2022, and 0.125 m/s its contact durations of 16 to 20 ms (rough fit to the axes of Fig. 7).
LAWS = {"k/c 0.015": Viscoelastic(1.2e5, 8e6), "k/c 0.125": Viscoelastic(1.0e5, 8e5)}
CONFIGURATIONS = ("iim_cfg_1", "iim_cfg_2", "iim_cfg_3")
RUN_UP = 0.04  # [m]
TOUCH_FORCE = 3.0  # of the wall's sensor, six times its noise: the true time of contact [N]
FORCE_PERIOD = 40e-6  # of that sensor [s]
TRANSPORT = 1e-3  # the detector sees a sample one cycle after it was taken [s]
MISSED = 0.05  # longer than this is a miss [s]


@dataclass(frozen=True)
class DelayedDetection:
    """One impact."""

    configuration: str
    law: str
    speed: float  # commanded [m/s]
    threshold: float  # tau_0 [N.m]
    delay: float  # from contact to detection [s]; NaN missed, negative a false alarm


def thresholds() -> tuple[float, float, float]:
    """Return tau_0 of the three configurations [N.m]."""
    (both,), (third,) = parameter("iim.detect.tau0_cfg12"), parameter("iim.detect.tau0_cfg3")
    return both, both, third


def detect_one(
    robot: Robot, q: np.ndarray, speed: float, threshold: float, law: Viscoelastic, seed: int
) -> float:
    """Return the delay of the detection in one impact [s]; see :class:`DelayedDetection`.

    Args:
        robot: the arm.
        q: joint positions at the impact, shape (7,) [rad].
        speed: normal speed [m/s].
        threshold: tau_0 [N.m].
        law: of the contact.
        seed: of the noise, and of where in the cycle the contact falls.
    """
    phase = np.random.default_rng(seed).uniform(0.0, 1e-3 * speed)
    start = inverse_kinematics(robot, q, (RUN_UP + phase) * NORMAL)
    wall = CompliantWall(Surface(ArmDynamics(robot).position(q), NORMAL), law)
    simulation = Simulation(robot, wall, noise=PANDA_NOISE, seed=seed, interface=Interface.VELOCITY)
    simulation.reset(start)
    command = VelocityApproach(robot, start, -speed * NORMAL)
    detector = TorqueErrorDetector(robot.detection_joints, threshold, bias_samples=0)
    touch = float("nan")
    while True:
        dq, torque = command.step()
        measured = simulation.step(dq)
        now = measured.time_ns * 1e-9
        if np.isnan(touch):
            touch = _touch(measured)
        sample = JointSample(measured.time_ns, measured.q, measured.dq, measured.tau, torque)
        if detector.update(sample).detection is not None:
            return now + TRANSPORT - touch if np.isfinite(touch) else -now
        if now - touch > MISSED:
            return float("nan")


def _touch(measured: Measurement) -> float:
    """Return the time of the first sample with contact force [s], NaN without one."""
    pushing = np.flatnonzero(measured.forces @ NORMAL > TOUCH_FORCE)
    if not pushing.size:
        return float("nan")
    return measured.time_ns * 1e-9 - (len(measured.forces) - 1 - pushing[0]) * FORCE_PERIOD


def detection_delays(
    robot: Robot, seed: int, progress: Callable[[float, str], None] = lambda *_: None
) -> list[DelayedDetection]:
    """Simulate configurations and speeds of Wang 2022, once with each contact law."""
    positions = {line["name"]: line for line in read("chosen_scenario_configurations")}
    speeds = parameter("iim.contact_speed_ref")
    plan = [
        (name, law, speed, threshold)
        for law in LAWS
        for name, threshold in zip(CONFIGURATIONS, thresholds(), strict=True)
        for speed in speeds
    ]
    found = []
    for index, (name, law, speed, threshold) in enumerate(plan):
        progress(index / len(plan), f"detection {index + 1} of {len(plan)}")
        q = np.array([float(positions[name][f"q{joint}_rad"]) for joint in range(1, 8)])
        delay = detect_one(robot, q, speed, threshold, LAWS[law], seed + index)
        found.append(DelayedDetection(name, law, speed, threshold, delay))
    return found

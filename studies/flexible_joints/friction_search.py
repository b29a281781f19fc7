# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The friction identification of Rey Arias 2024, on impacts whose friction is known (H14)."""

from __future__ import annotations

import numpy as np

from impact_detector.estimators.gross_velocity import gross_velocity
from impact_predictor.identification.friction_identification import (
    MeasuredImpact,
    identify_friction,
    prediction_error,
)
from impact_robots import ArmDynamics, Robot, contact_rotation
from impact_sim.arm.passive_impact import passive_impact
from studies.flexible_joints.planar_study import UP, planar_law
from studies.published import parameter
from studies.row import Row, judged
from studies.wall_configurations import approach

# Type 4 of Rey Arias 2024: the tool straight down, motion along +x, 26 degrees below horizontal;
# the pose is not published.
STANCE = np.array([0.0, 0.3, 0.0, -2.2, 0.0, 2.5, 0.0])  # [rad]
APPROACH = np.radians(26.0)
SPEEDS = (0.10, 0.125, 0.15, 0.175, 0.20)  # Rey Arias 2024: 0.1 to 0.2 m/s, five repetitions
TOLERANCE = 0.10  # relative; the published force gauge agreed within 10 percent


def friction_trials(robot: Robot, friction: float) -> list[MeasuredImpact]:
    """Simulate motion type 4 with a friction coefficient [-], gravity compensation alone."""
    dynamics = ArmDynamics(robot)
    still = dynamics(STANCE, np.zeros(robot.dof))
    direction = np.array([np.cos(APPROACH), 0.0, -np.sin(APPROACH)])
    (window,) = parameter("flex.fit_window")
    rotation, trials = contact_rotation(UP), []
    for speed in SPEEDS:
        dq = approach(still, speed * direction)
        run = passive_impact(
            robot, STANCE, dq, UP, planar_law(), friction=friction, after_contact=window + 0.01
        )
        after = gross_velocity(run.t, run.q, run.contact_start.time, window).velocity
        state = dynamics(run.contact_start.q, run.contact_start.dq)
        trials.append(MeasuredImpact(state, rotation, after))
    return trials


def row(robot: Robot) -> Row:
    """Return the row H14."""
    (true,) = parameter("flex.mu")
    trials = friction_trials(robot, true)
    found = {
        model: identify_friction(trials, robot.motor_inertias[model], law="sliding")
        for model in ("M+B_theta", "M+B_rho")
    }
    apparent, reflected = (estimate.friction for estimate in found.values())
    rms = {mu: float(np.sqrt(np.mean(_error(trials, robot, mu) ** 2))) for mu in (true, 0.0)}
    return judged(
        "H14",
        published=f"{true:g}",
        ours=f"{apparent:.3f} (B_theta), {reflected:.3f} (B_rho)",
        difference=f"{apparent - true:+.3f}",
        holds=abs(apparent - true) < TOLERANCE * true,
        note=f"simulation with a known {true:g}, type 4; the real data are not at hand. Rms error"
        f" {np.degrees(rms[true]):.2f} deg/s with it, {np.degrees(rms[0.0]):.2f} without friction",
        figures={
            "friction_true": true,
            "friction_b_theta": apparent,
            "friction_b_rho": reflected,
            "rms_radps": rms[true],
            "rms_frictionless_radps": rms[0.0],
        },
    )


def _error(trials: list[MeasuredImpact], robot: Robot, friction: float) -> np.ndarray:
    """Return the errors of the published map with M+B_theta, shape (k, n) [rad/s]."""
    inertia = robot.apparent_motor_inertia
    return prediction_error(trials, inertia, friction, law="sliding")

# SPDX-License-Identifier: Apache-2.0
"""P1's identification of the friction coefficient, on impacts whose friction is known (H14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from impact_analysis.reproduce.planar_study import UP, planar_law
from impact_analysis.reproduce.published import parameter
from impact_analysis.reproduce.row import Row, judged
from impact_analysis.reproduce.wall_configurations import approach
from impact_detector.gross_velocity import gross_velocity
from impact_predictor import contact_jacobian, impact_map
from impact_robots import ArmDynamics, ArmState, Robot, contact_rotation
from impact_sim.passive_impact import passive_impact

# Type 4 of P1: the tool straight down, motion along +x, 26 degrees below horizontal; the pose is
# not published.
STANCE = np.array([0.0, 0.3, 0.0, -2.2, 0.0, 2.5, 0.0])  # [rad]
APPROACH = np.radians(26.0)
SPEEDS = (0.10, 0.125, 0.15, 0.175, 0.20)  # P1: 0.1 to 0.2 m/s, five repetitions
TOLERANCE = 0.10  # relative; P1's force gauge agreed within 10 percent


@dataclass(frozen=True)
class FrictionTrial:
    """One impact."""

    state: ArmState  # at the touch
    after: np.ndarray  # gross joint velocities after it, shape (n,) [rad/s]


def friction_trials(robot: Robot, friction: float) -> list[FrictionTrial]:
    """Simulate P1's type 4 with a friction coefficient [-], gravity compensation alone."""
    dynamics = ArmDynamics(robot)
    still = dynamics(STANCE, np.zeros(robot.dof))
    direction = np.array([np.cos(APPROACH), 0.0, -np.sin(APPROACH)])
    (window,) = parameter("flex.fit_window")
    trials = []
    for speed in SPEEDS:
        dq = approach(still, speed * direction)
        run = passive_impact(
            robot, STANCE, dq, UP, planar_law(), friction=friction, after_touch=window + 0.01
        )
        after = gross_velocity(run.t, run.q, run.touch.time, window).velocity
        trials.append(FrictionTrial(dynamics(run.touch.q, run.touch.dq), after))
    return trials


def squared_error(trials: Sequence[FrictionTrial], inertia: np.ndarray, friction: float) -> float:
    """Return the summed squared error of the published map [rad^2/s^2]; P1 (17), (18).

    Args:
        trials: impacts of one type.
        inertia: diagonal of B, shape (n,) [kg.m^2].
        friction: coefficient that the map assumes [-].
    """
    rotation, total = contact_rotation(UP), 0.0
    for trial in trials:
        J = contact_jacobian(trial.state, rotation)
        predicted = impact_map(
            trial.state.M, inertia, J, trial.state.dq, friction=friction, law="sliding"
        )
        total += float(np.sum((predicted.dq_after - trial.after) ** 2))
    return total


def identify_friction(trials: Sequence[FrictionTrial], inertia: np.ndarray) -> float:
    """Return the coefficient in 0 to 1 with the least error; specification, section 8, ID-MU."""
    found = minimize_scalar(
        lambda mu: squared_error(trials, inertia, mu), bounds=(0.0, 1.0), method="bounded"
    )
    return float(found.x)


def row(robot: Robot) -> Row:
    """Return the row H14."""
    (true,) = parameter("flex.mu")
    trials = friction_trials(robot, true)
    apparent = identify_friction(trials, robot.apparent_motor_inertia)
    reflected = identify_friction(trials, robot.reflected_motor_inertia)
    count = len(trials) * robot.dof
    rms = {
        mu: float(np.sqrt(squared_error(trials, robot.apparent_motor_inertia, mu) / count))
        for mu in (true, 0.0)
    }
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

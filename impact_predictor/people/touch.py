# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Move until contact: the force that a touch stays below, and the speed for a force."""

from __future__ import annotations

from typing import NamedTuple

from impact_predictor.people.highest import highest_speed
from impact_predictor.people.push import Push
from impact_predictor.people.regions import PersonError


class TouchForce(NamedTuple):
    """Of a touch at a speed."""

    ceiling_N: float  # promised: no simulated case exceeded it [N]
    peak_sim_N: float  # simulated [N]
    hold_sim_N: float  # simulated, after the stop [N]
    trig_s: float | None  # detection since contact; none: not detected [s]
    m_: float  # of the arm with its motors [kg]
    kc_: float  # of the arm's loop [N/m]
    ks_: float  # of loop and contact in series [N/m]
    dc_: float  # of the loop [N.s/m]
    Fi_: float  # of the impact alone [N]
    H_: float  # of the push until the arm stops [N]


def touch_force(push: Push, speed: float) -> TouchForce:
    """Return the forces of a touch at a speed [m/s].

    Raises:
        PredictionError: the robot's YAML does not define the required fields.
    """
    run = push.run(speed)
    return TouchForce(
        push.ceiling(speed),
        run.peak,
        run.end,
        run.trigger,
        push.aim.mass(push.loop.motor_inertia),
        push.loop.stiffness_along(push.aim),
        push.static_stiffness,
        push.loop.damping_along(push.aim),
        push.formula(speed),
        push.pushed(speed),
    )


def touch_speed(push: Push, force: float) -> float:
    """Return the highest speed at which the ceiling is at most a force [N], in m/s.

    Raises:
        PersonError: none is; says the least force that could be promised.
    """
    least = push.ceiling(0.0)
    if force <= least:
        raise PersonError(
            f"touch: expected a force above {least:.3g} N, of which the detection takes its part,"
            f" got {force:g} N"
        )
    return highest_speed(lambda v: push.ceiling(v) / force)


def touch_speed_simulated(push: Push, force: float) -> float:
    """Return the highest speed at which the simulated peak is at most a force [N], in m/s."""
    return highest_speed(lambda v: push.run(v).peak / force)

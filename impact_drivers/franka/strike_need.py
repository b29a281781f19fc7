# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predicted observation of the arm's collision detection in a strike, and the speed it allows."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from impact_drivers.franka.arm.collision_behavior import OBSERVER_GAIN, CollisionBehavior
from impact_drivers.franka.arm.settings import ArmSettings
from impact_predictor.exceptions import PredictionError
from impact_predictor.reflex.predicted import lever
from impact_predictor.reflex.thresholds import check_range
from impact_predictor.strike.effect import strike_effect
from impact_predictor.strike.strike_case import StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.strike_plan import StrikePlan

TRIES, SLOWER = 20, 0.98  # of a speed, and its ratio to one that is thought to fit
SLOWEST = 0.02  # strike that is worth its thresholds [m/s]


class ObservedStrike(NamedTuple):
    """A speed, and what the arm's collision detection may observe of the strike."""

    speed: float  # of the head along the strike [m/s]
    need: CollisionBehavior


def strike_need(plan: StrikePlan, speed: float) -> CollisionBehavior:
    r"""Return the peaks of the arm's observer in a strike, over all cases of a plan's effects.

    As :func:`~impact_drivers.franka.hit_need.hit_need`: at most :math:`\min(K p, F)`, p the impulse
    and F the peak of the force on the arm, which is the handle's, or that on a rigid head. With
    friction in any direction across the strike.

    Args:
        plan: of the strike; its arm has seven joints.
        speed: of the head along the strike [m/s].
    """
    loads = StrikeLoads(plan.striker)
    force = max(_felt(loads, each.case, speed) for each in plan.effects)
    point = plan.striker.point(plan.striker.tool.nominal.mass)
    along = plan.striker.direction @ point.J[:3]
    across = point.J[:3] - np.outer(plan.striker.direction, along)
    friction = plan.target.friction[1]
    torque = force * (np.abs(along) + friction * np.linalg.norm(across, axis=0))
    force *= float(np.hypot(1.0, friction))
    moment = force * (lever(plan.striker.robot) + float(np.linalg.norm(plan.striker.tool.head)))
    return CollisionBehavior(torque, np.repeat([force, moment], 3))


def _felt(loads: StrikeLoads, case: StrikeCase, speed: float) -> float:
    """Return the force on the arm as it may be observed [N]."""
    found, stiffness = strike_effect(loads, case, speed), case.tool.stiffness
    peak = found.peak_force if stiffness == inf else found.deflection * stiffness
    return min(OBSERVER_GAIN * found.impulse, peak)


def observed_strike(plan: StrikePlan, settings: ArmSettings, *, highest: float) -> ObservedStrike:
    """Return the fastest strike whose thresholds still stop each joint within its range.

    Args:
        plan: of the strike.
        settings: of the arm's thresholds.
        highest: speed [m/s].

    Raises:
        PredictionError: none of 0.02 m/s or more, or gravity fills the range of a joint.
    """
    striker, speed = plan.striker, highest
    gravity = np.abs(striker.point(striker.tool.mass[1]).g)
    room = striker.robot.limits.torque_range - gravity
    if (room <= 0.0).any():
        i = int(np.nanargmin(room))
        raise PredictionError(
            f"strike: gravity takes {gravity[i]:.1f} N.m of joint {i + 1}, expected less than its"
            f" range of {gravity[i] + room[i]:.1f}: another pose"
        )
    low, problem = settings.low_thresholds.torque, ""
    for _ in range(TRIES):
        if not speed >= SLOWEST:
            break
        need = strike_need(plan, speed)
        needed = settings.raised_for(need).torque
        try:
            check_range(needed, low, room)
        except PredictionError as error:
            problem = str(error)
            speed *= SLOWER / float(np.nanmax((needed / room)[needed > low]))
            continue
        return ObservedStrike(speed, need)
    raise PredictionError(f"strike: none of {SLOWEST:g} m/s or more: {problem or 'none is safe'}")

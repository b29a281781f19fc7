# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Phases of the controller, and the transition between them: a pure function of the situation."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from impact_qp.control.plan import Plan


class Phase(Enum):
    """Phase of the controller.

    Attributes:
        approaches: it is the approach.
        coasts: it follows the measured velocity after an impact.
        presses: it presses against the surface.
        brakes: it comes to rest.
        holds: it is at rest.
        moves: along the normal, at a reference speed.
        stands: comes to rest, or is at rest.
        faces: the surface, and may still move towards it.
        leaves: moves away from the surface, or soon will.
        follows: only the measurement: velocities jump, or the surface carries the command.
    """

    APPROACH = "approach"
    COAST = "coast"
    RETRACT = "retract"
    PRESS = "press"
    BRAKE = "brake"
    HOLD = "hold"

    def __init__(self, name: str) -> None:
        """Compute the attributes; a cycle reads them in less time than it finds a member."""
        self.approaches, self.coasts, self.presses = (
            name == each for each in ("approach", "coast", "press")
        )
        self.brakes, self.holds = name == "brake", name == "hold"
        self.moves = name in ("approach", "retract")
        self.stands = name in ("brake", "hold")
        self.faces = name in ("approach", "press", "brake")
        self.leaves = name in ("coast", "retract")
        self.follows = name in ("coast", "press")


AFTER = {"retract": Phase.RETRACT, "hold": Phase.BRAKE, "press": Phase.PRESS}
STOPPING = 1.0  # longest braking time, after which the arm holds [s]


class Situation(NamedTuple):
    """Inputs of the phase transition."""

    phase: Phase
    since: float  # the phase began [s]
    gap: float  # to the surface [m]
    impact: bool = False  # an impact is detected
    stopping: bool = False  # a stop was requested
    blocked: bool = False  # the arm does not move although it should
    at_rest: bool = False  # not evaluated in an approach without a stop request
    detected: bool = False  # an impact, in this cycle and not in the one before
    pushed: bool = False  # away from where it holds


def next_phase(now: Situation, plan: Plan) -> Phase:
    """Return the phase of this cycle.

    Every stop goes through BRAKE, until the arm is at rest or ``STOPPING`` is over, to HOLD, which
    holds the position at that time; an arm that is pushed away brakes and holds again. Only the
    torque interface coasts: other drivers have no gravity compensation.
    """
    phase = now.phase
    if phase.approaches and not now.stopping:
        return _approaching(now, plan)
    over = phase is Phase.BRAKE and now.since >= STOPPING
    stop = Phase.HOLD if now.at_rest or over else Phase.BRAKE
    if phase is Phase.HOLD:
        return Phase.BRAKE if now.pushed else phase
    if phase is Phase.BRAKE or now.stopping:
        return stop
    if phase is Phase.COAST and now.since >= plan.coast_time:
        return AFTER[plan.after]
    if phase is Phase.PRESS and now.gap < -plan.overrun:  # the surface is gone
        return Phase.RETRACT
    if phase is Phase.RETRACT:
        over = now.gap > plan.retract_distance or now.blocked or now.detected
        return stop if over else phase
    return phase


def _approaching(now: Situation, plan: Plan) -> Phase:
    """Return the phase after the approach: after an impact, or without one at the surface."""
    if now.impact:
        return AFTER[plan.after] if plan.sends.servo else Phase.COAST
    if now.gap < -plan.overrun:
        return Phase.RETRACT
    if now.blocked:  # by an undetected impact, or by an obstacle
        return Phase.RETRACT if now.gap <= plan.overrun else Phase.BRAKE
    return now.phase

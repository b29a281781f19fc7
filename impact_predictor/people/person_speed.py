# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest speed of an arm towards a person, by simulation, by formula and by the ceiling."""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from impact_predictor.people.aim import Aim, iso_mass
from impact_predictor.people.highest import highest_speed
from impact_predictor.people.loop import ArmLoop, Reaction
from impact_predictor.people.push import TRANSIENT_TIME, Push, PushRun
from impact_predictor.people.regions import Region

TRANSIENT, HELD = "transient", "quasi-static"
RESERVE = 0.1  # of the simulated speed
TURNING_RESERVE = 0.5  # beside it, by how far a joint is sent on: the model is frozen [1/rad]


class PersonContact(NamedTuple):
    """What an arm meets."""

    region: Region
    clamped: bool  # between the arm and something that does not move
    padding: float = inf  # stiffness of a padding on the arm; infinite: none [N/m]

    @property
    def stiffness(self) -> float:
        """Of region and padding in series [N/m]."""
        return 1.0 / (1.0 / self.region.stiffness + 1.0 / self.padding)

    @property
    def mass(self) -> float:
        """That moves; infinite if clamped [kg]."""
        return inf if self.clamped else self.region.mass

    @property
    def permissible(self) -> tuple[float, float | None]:
        """Peak, and force that remains if it can, see :meth:`.PushCeiling.used` [N]."""
        return self.region.transient_force, self.region.force if self.clamped else None


class PersonSpeed(NamedTuple):
    """Highest speeds of a point of the arm towards a region, without reserve [m/s]."""

    v_max: float  # by simulation, transient and held
    phase: str  # that binds: "transient" or "quasi-static"
    v_iso: float  # ISO/TS 15066's formula with its own mass
    v_formula_Btheta: float  # the same with M + B_theta
    turned_rad: float  # by which a joint is sent on until the force that binds, if the arm pushes
    v_ceiling: float  # at which even the ceiling is within the limit; 0: it never is
    k_N_per_m: float  # region and padding [N/m]
    m_links: float  # of the arm in the direction: M [kg]
    m_Btheta: float  # M + B_theta [kg]
    m_Brho: float  # M + B_rho [kg]
    t_first_peak_ms: float  # at v_max, since contact [ms]
    k_s_N_per_m: float | None  # of arm and contact, if a force is held [N/m]
    t_re_s: float | None  # from contact until the arm brakes, if it does [s]

    @property
    def reserve(self) -> float:
        """What a plan keeps of v_max in reserve [-]."""
        return min(1.0, RESERVE + TURNING_RESERVE * self.turned_rad)

    @property
    def planned(self) -> float:
        """Speed with this reserve [m/s]."""
        return (1.0 - self.reserve) * self.v_max


def person_speed(
    aim: Aim, contact: PersonContact, loop: ArmLoop, reaction: Reaction | None = None
) -> PersonSpeed:
    """Return the highest speeds of a point of an arm towards a person.

    Args:
        aim: point and direction.
        contact: region of the person.
        loop: of the arm.
        reaction: of the arm; none: it does not react.

    Raises:
        PredictionError: the robot's YAML does not define the required fields.
    """
    push, region = Push(aim, loop, contact.stiffness, contact.mass, reaction), contact.region

    def ratios(speed: float, force: PushRun) -> dict[str, float]:
        late = push.reaction_time(speed, force.trigger)
        held = push.held(speed, late) if push.holds else 0.0
        return {TRANSIENT: force.peak / region.transient_force, HELD: held / region.force}

    v_max = highest_speed(lambda v: max(ratios(v, push.run(v, TRANSIENT_TIME)).values()))
    last = push.run(v_max, TRANSIENT_TIME)
    found = ratios(v_max, last)
    B_theta, B_rho = aim.robot.apparent_motor_inertia, aim.robot.reflected_motor_inertia

    def formula(mass: float) -> float:
        return region.transient_force / sqrt(push.meeting_mass(mass) * contact.stiffness)

    late = push.reaction_time(v_max, last.trigger)
    phase, way = max(found, key=lambda phase: found[phase]), 0.0
    if loop.pushes:  # uniformly until the peak, at most: it may brake before
        stop = push.stopping_way(v_max, late)
        way = stop if phase == HELD else min(stop, v_max * last.peak_time)
    return PersonSpeed(
        v_max,
        phase,
        formula(iso_mass(aim.robot)),
        formula(aim.mass(B_theta)),
        way * float(np.abs(aim.way).max()) if v_max > 0.0 else 0.0,
        push.bound.speed(region.transient_force),
        contact.stiffness,
        aim.mass(),
        aim.mass(B_theta),
        aim.mass(B_rho),
        1e3 * last.first_peak_time,
        push.static_stiffness if push.holds else None,
        late if loop.pushes and reaction is not None else None,
    )

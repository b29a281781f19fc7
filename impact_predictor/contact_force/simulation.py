# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The simulated contact of one free body."""

from __future__ import annotations

import math

import numpy as np

from impact_predictor.contact_force.contact_law import LumpedLaw, RateLaw
from impact_predictor.contact_force.integration import LONGEST, SAMPLES, ContactIntegration
from impact_predictor.contact_force.profile import ContactEnd, ContactProfile
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import positive


def simulate_contact(
    law: RateLaw | LumpedLaw,
    mass: float,
    approach_speed: float,
    *,
    external_force: float = 0.0,
    external_start: float = 0.0,
    max_duration: float = LONGEST,
) -> ContactProfile:
    """Return the contact of a free body with a surface.

    Laws that remember are closed forms, the others are integrated with events. The potential
    energy is the work of the law's force at rest; all else that the contact force takes is
    dissipated, (f - f_at_rest) times the rate, which is never negative. That split is exact for
    the viscoelastic and the Hunt-Crossley law (Wang 2022, (26)-(28)) and our choice for the
    extended law.

    Args:
        law: of :data:`CONTACT_LAWS`, or another of these two kinds.
        mass: of the body, the robot's effective mass along the normal [kg].
        approach_speed: :math:`|v_n^-|` [m/s], positive.
        external_force: constant force on the body along the outward normal [N]: positive retracts,
            negative pushes in. Not with a law that remembers.
        external_start: when the external force starts, after contact [s].
        max_duration: when to stop if the contact does not end [s]; then the profile's flag is HELD.

    Raises:
        OutOfRangeError: a figure is outside its range, or an external force with a closed form.
    """
    positive(mass, "mass")
    positive(approach_speed, "approach_speed")
    positive(max_duration, "max_duration")
    if not math.isfinite(external_force):
        raise OutOfRangeError("external_force", "a finite number", external_force)
    if not 0.0 <= external_start < math.inf:
        raise OutOfRangeError("external_start", "a finite number, at least 0", external_start)
    if isinstance(law, LumpedLaw):
        if external_force:
            expected = "0 with a law that is a closed form of a free body"
            raise OutOfRangeError("external_force", expected, external_force)
        return _closed_form(law, mass, approach_speed, max_duration)
    motion = ContactIntegration(law, mass, approach_speed, external_force, external_start)
    return motion.run(max_duration)


def _closed_form(law: LumpedLaw, mass: float, speed: float, max_duration: float) -> ContactProfile:
    compression, contact = law.end_times(mass, speed)
    end = ContactEnd.FORCE_VANISHED if contact <= max_duration else ContactEnd.HELD
    last = min(contact, max_duration)
    turn = compression if compression <= last else None
    time = _instants(turn, last)
    motion = law.motion(time, mass, speed)._asdict()
    if end is ContactEnd.FORCE_VANISHED:
        motion["force"][-1] = 0.0
    none = np.zeros_like(time)
    return ContactProfile(
        mass, speed, time, external_work=none, compression_end=turn, end=end, **motion
    )


def _instants(turn: float | None, last: float) -> np.ndarray:
    """Return the times of samples; closer at contact where there is no other event."""
    if turn is None:
        return last * np.linspace(0.0, 1.0, 2 * SAMPLES + 1) ** 4
    compression = np.linspace(0.0, turn, SAMPLES + 1)
    if turn == last:
        return compression
    return np.append(compression, np.linspace(turn, last, SAMPLES + 1)[1:])

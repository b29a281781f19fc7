# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contact law of a measured impact; offline, because it takes 0.1 to 1 s."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_detector.estimators.impulse import Impulse
from impact_detector.exceptions import EstimateError
from impact_predictor.identification.contact_estimate import ContactIdentification
from impact_predictor.identification.contact_identification import identify_contact

SLOWEST_SENSOR = 1.05e-3  # longest period between samples [s]
FEWEST = 8  # samples in contact


def contact_law_of(
    contact: Impulse,
    normal: np.ndarray,
    mass: float,
    approach_speed: float,
    contact_law: str = "visco",
    **options: Any,
) -> ContactIdentification:
    """Identify stiffness, damping and restitution from the force of a contact.

    Not part of the streaming estimate, which must not delay the detector. Flags and intervals of
    the result give its uncertainty; it depends mostly on the mass (``mass_between`` identifies it).

    Args:
        contact: ``Estimate.contact``, or of :func:`integrate_impulse`.
        normal: outward normal in the axes of the force, shape (3,), any length.
        mass: effective mass along the normal [kg].
        approach_speed: normal speed at contact, positive [m/s].
        contact_law: name of one of ``impact_predictor.CONTACT_LAWS`` that has bounds.
        **options: of the same function.

    Raises:
        EstimateError: slower than 1 kHz, or fewer than 8 samples in contact.
        OutOfRangeError: mass, speed or record are of no use.
        UnknownNameError: no such contact law.
    """
    samples = len(contact.times)
    if not contact.period <= SLOWEST_SENSOR or samples < FEWEST:
        raise EstimateError(
            f"contact law: expected at least {FEWEST} samples at 1 kHz or more, got {samples}"
            f" every {contact.period * 1e3:.2f} ms"
        )
    outward = np.asarray(normal, dtype=float)
    outward = outward / np.linalg.norm(outward)
    inside = contact.times > contact.t_contact
    time = np.concatenate([[0.0], contact.times[inside] - contact.t_contact])
    force = np.concatenate([[0.0], contact.force[inside] @ outward])
    if np.isfinite(contact.t_release) and contact.t_release > contact.times[-1]:
        time = np.append(time, contact.t_release - contact.t_contact)
        force = np.append(force, 0.0)
    return identify_contact(contact_law, time, force, mass, approach_speed, **options)

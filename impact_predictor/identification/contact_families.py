# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The contact models that can be fitted to a recorded force."""

from __future__ import annotations

import numpy as np

from impact_predictor.contact_force.contact_law import (
    CONTACT_LAWS,
    ContactModel,
    FreeBodyImpact,
    FreeBodyLaw,
)
from impact_predictor.exceptions import UnknownNameError

_CURVE = 2000  # samples of a force from which events are read


def families() -> dict[str, ContactModel]:
    """Return the models whose parameters have bounds, by name."""
    return {name: model for name, model in CONTACT_LAWS.items() if model.bounds}


def family(name: str) -> ContactModel:
    """Return a model that can be fitted.

    Raises:
        UnknownNameError: there is none of that name.
    """
    found = families()
    if name not in found:
        raise UnknownNameError(CONTACT_LAWS.kind, name, found)
    return found[name]


def first_guess(
    model: ContactModel, exponent: float, peak: float, impulse: float, impact: FreeBodyImpact
) -> np.ndarray:
    """Return figures that give about the recorded peak [N] and impulse [N.s], shape (p,).

    The impulse gives the rebound speed, the peak the stiffness of the contact.
    """
    back = float(np.clip(impulse / (impact.mass * impact.approach_speed) - 1.0, 0.02, 0.98))
    return model.law.guess(model, exponent, back, peak, impact)


def release_time(
    law: FreeBodyLaw, impact: FreeBodyImpact, threshold: float, horizon: float
) -> float | None:
    """Return the last time after contact at which the force exceeds ``threshold`` [N].

    None where that is not before ``horizon`` [s].
    """
    end = min(law.curve(np.zeros(1), impact).contact_end, horizon)
    time = np.linspace(0.0, end, _CURVE)
    above = np.flatnonzero(law.curve(time, impact).force > threshold)
    if not above.size or (above[-1] == _CURVE - 1 and end == horizon):
        return None
    return float(time[min(above[-1] + 1, _CURVE - 1)])

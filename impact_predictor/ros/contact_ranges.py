# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction and restitution of a contact message, without and with uncertainty. Needs no ROS."""

from __future__ import annotations

from typing import Any

from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import friction_coefficient, restitution_coefficient

Range = tuple[float, float]
Ranges = tuple[Range, Range]  # (low, high) of friction and of restitution [-]


def uncertain(contact: Any) -> tuple[Ranges, Ranges]:
    """Return friction and restitution as ranges of zero width, and as far as they may be off.

    The wide ranges end where the quantity does: friction at 0, restitution at 0 and 1.

    Args:
        contact: impact_msgs/Contact.

    Raises:
        OutOfRangeError: a coefficient or an uncertainty is out of range.
    """
    mu, e = friction_coefficient(contact.friction), restitution_coefficient(contact.restitution)
    mu_error = _uncertainty("friction_uncertainty", contact.friction_uncertainty)
    e_error = _uncertainty("restitution_uncertainty", contact.restitution_uncertainty)
    friction = (max(mu - mu_error, 0.0), mu + mu_error)
    restitution = (max(e - e_error, 0.0), min(e + e_error, 1.0))
    return ((mu, mu), (e, e)), (friction, restitution)


def _uncertainty(name: str, value: float) -> float:
    """Return an uncertainty [-]."""
    if not 0.0 <= value < float("inf"):
        raise OutOfRangeError(name, "a finite number, at least 0", value)
    return value

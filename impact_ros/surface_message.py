# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The surface in an impact_msgs/Contact: its normal and its coefficients. Needs no ROS."""

from __future__ import annotations

from math import inf
from typing import Any

from impact_robots import OutOfRangeError, Surface
from impact_robots.validation import friction_coefficient, restitution_coefficient
from impact_ros.messages import set_vector, vector


def read_surface(contact: Any) -> Surface:
    """Return the surface, of which the message names no point.

    Ranges are the stated coefficient plus and minus its uncertainty, and end where the quantity
    does: friction at 0, restitution at 0 and 1.

    Args:
        contact: impact_msgs/Contact.

    Raises:
        OutOfRangeError: a coefficient or an uncertainty is out of range.
        RobotError: the normal is zero, or not finite.
    """
    mu, e = friction_coefficient(contact.friction), restitution_coefficient(contact.restitution)
    mu_error = _uncertainty("friction_uncertainty", contact.friction_uncertainty)
    e_error = _uncertainty("restitution_uncertainty", contact.restitution_uncertainty)
    return Surface(
        None,
        vector(contact.normal),
        (max(mu - mu_error, 0.0), mu + mu_error),
        (max(e - e_error, 0.0), min(e + e_error, 1.0)),
    )


def write_surface(contact: Any, surface: Surface) -> None:
    """Write normal, and the middle and half the width of each range.

    Args:
        contact: impact_msgs/Contact to write to.
        surface: what is known of the surface.
    """
    set_vector(contact.normal, surface.normal)
    contact.friction, contact.restitution = surface.middle
    contact.friction_uncertainty, contact.restitution_uncertainty = surface.uncertainty


def _uncertainty(name: str, value: float) -> float:
    """Return an uncertainty [-]."""
    if not 0.0 <= value < inf:
        raise OutOfRangeError(name, "a finite number, at least 0", value)
    return value

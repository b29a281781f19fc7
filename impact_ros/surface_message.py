# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The surface in an impact_msgs/Contact: its normal and its coefficients. Needs no ROS."""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import Any

from impact_robots import OutOfRangeError, Surface
from impact_robots.surface import ANY_STIFFNESS
from impact_robots.validation import friction_coefficient, restitution_coefficient
from impact_ros.messages import set_vector

_UNKNOWN = (0.0, 0.0)  # stiffness [N/m]


def read_surface(contact: Any) -> Surface:
    """Return the surface, of which the message names no point.

    Ranges are the stated coefficient plus and minus its uncertainty, and end where the quantity
    does: friction at 0, restitution at 0 and 1. A message that says nothing of the stiffness, or
    was recorded before it could, allows any.

    Args:
        contact: impact_msgs/Contact.

    Raises:
        OutOfRangeError: a coefficient, an uncertainty or the stiffness is out of range.
        RobotError: the normal is zero, or not finite.
    """
    normal = contact.normal
    return _surface(
        (normal.x, normal.y, normal.z),
        (contact.friction, contact.friction_uncertainty),
        (contact.restitution, contact.restitution_uncertainty),
        read_stiffness(contact),
    )


@lru_cache(maxsize=16)
def _surface(
    normal: tuple[float, float, float],
    friction: tuple[float, float],
    restitution: tuple[float, float],
    stiffness: tuple[float, float],
) -> Surface:
    """Return the surface; most messages are about one that was read before.

    Friction and restitution come with their uncertainty.
    """
    mu, e = friction_coefficient(friction[0]), restitution_coefficient(restitution[0])
    mu_error = _uncertainty("friction_uncertainty", friction[1])
    e_error = _uncertainty("restitution_uncertainty", restitution[1])
    return Surface(
        None,
        normal,
        (max(mu - mu_error, 0.0), mu + mu_error),
        (max(e - e_error, 0.0), min(e + e_error, 1.0)),
        stiffness,
    )


def write_surface(contact: Any, surface: Surface) -> None:
    """Write normal, middle and half the width of each coefficient's range, and the stiffness.

    Args:
        contact: impact_msgs/Contact to write to.
        surface: what is known of the surface.
    """
    set_vector(contact.normal, surface.normal)
    contact.friction, contact.restitution = surface.middle
    contact.friction_uncertainty, contact.restitution_uncertainty = surface.uncertainty
    contact.stiffness_low, contact.stiffness_high = written_stiffness(surface)


def written_stiffness(surface: Surface) -> tuple[float, float]:
    """Return the range of a surface's stiffness as a message says it [N/m]; unknown: 0, 0."""
    return _UNKNOWN if surface.stiffness == ANY_STIFFNESS else surface.stiffness


def read_stiffness(message: Any) -> tuple[float, float]:
    """Return the range of the stiffness that a message says [N/m]; unknown: any.

    Args:
        message: impact_msgs/Contact, or the request of impact_msgs/ComputeFeasibleSets.

    Raises:
        OutOfRangeError: it is none.
    """
    low = getattr(message, "stiffness_low", 0.0)  # older recordings have none
    high = getattr(message, "stiffness_high", 0.0)
    if (low, high) == _UNKNOWN:
        return ANY_STIFFNESS
    if not 0.0 < low <= high or low == inf:
        expected = "low, high with 0 < low <= high, or 0, 0: unknown"
        raise OutOfRangeError("stiffness_low, stiffness_high", expected, (low, high))
    return low, high


def _uncertainty(name: str, value: float) -> float:
    """Return an uncertainty [-]."""
    if not 0.0 <= value < inf:
        raise OutOfRangeError(name, "a finite number, at least 0", value)
    return value

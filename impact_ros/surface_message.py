# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A surface in messages: its ranges in an impact_msgs/Surface, and its normal. Needs no ROS."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import inf, isnan, nan
from typing import Any

from impact_robots import OutOfRangeError, Surface
from impact_robots.surface import ANY_STIFFNESS, RANGES
from impact_robots.validation import friction_coefficient, restitution_coefficient
from impact_ros.message_fields import Stamp, Vector

Range = tuple[float, float]
QUANTITIES = (*RANGES, "exponent")  # of the message, each with a low and a high end
_ZERO = ("friction", "restitution")  # which may be 0
_NOWHERE = Vector(0.0, 0.0, 0.0)
LARGEST_OFFSET = 1e6  # of a contact point; squares and products stay finite [m]


def said(message: Any, name: str) -> Range:
    """Return a range of an impact_msgs/Surface, NaN for an open end.

    Args:
        message: the surface.
        name: of ``QUANTITIES``.
    """
    low, high = getattr(message, f"{name}_low"), getattr(message, f"{name}_high")
    high = nan if high == 0.0 else high
    if low == 0.0 and (isnan(high) or name not in _ZERO):
        low = nan
    return low, high


def said_or(message: Any, name: str, unsaid: Range) -> Range:
    """Return a range of an impact_msgs/Surface, with the ends of ``unsaid`` for open ends."""
    low, high = said(message, name)
    return unsaid[0] if isnan(low) else low, unsaid[1] if isnan(high) else high


def surface_fields(ranges: Mapping[str, Range]) -> dict[str, float]:
    """Return the fields of an impact_msgs/Surface; a quantity without a range is open."""
    ends = {name: ranges.get(name, (0.0, 0.0)) for name in QUANTITIES}
    return {
        f"{name}_{end}": value
        for name, bounds in ends.items()
        for end, value in zip(("low", "high"), bounds, strict=True)
    }


def contact_fields(
    surface: Surface | None, frame: str = "", offset: tuple[float, ...] = _NOWHERE
) -> dict[str, Any]:
    """Return the fields of an impact_msgs/Contact, see :mod:`impact_ros.message_fields`.

    Args:
        surface: that is hit; None: all fields empty.
        frame: of the contact point; empty: the robot's contact frame.
        offset: of the contact point in that frame, shape (3,) [m].
    """
    if surface is None:
        return {
            "frame": "",
            "offset": _NOWHERE,
            "normal": _NOWHERE,
            "surface": surface_fields({}),
        }
    ranges = {name: getattr(surface, name) for name in RANGES}
    if surface.stiffness == ANY_STIFFNESS:
        del ranges["stiffness"]  # unknown
    return {
        "frame": frame,
        "offset": Vector(*offset),
        "normal": Vector(*surface.normal.tolist()),
        "surface": surface_fields(ranges),
    }


def announcement_fields(
    surface: Surface | None,
    start: int = 0,
    end: int = 0,
    frame: str = "",
    offset: tuple[float, ...] = _NOWHERE,
) -> dict[str, Any]:
    """Return the fields of an impact_msgs/ImpactAnnouncement, all but the header.

    Args:
        surface: that is hit; None: the announcement is withdrawn.
        start: of the contact window [ns].
        end: of that window [ns]; 0: until the next announcement.
        frame: see :func:`contact_fields`.
        offset: see :func:`contact_fields` [m].
    """
    return {
        "withdrawn": surface is None,
        "contact": contact_fields(surface, frame, offset),
        "window_start": Stamp(start),
        "window_end": Stamp(end),
    }


def read_surface(contact: Any) -> Surface:
    """Return the surface of an impact_msgs/Contact, without a point.

    Messages recorded before they had ranges hold the middle and half the width of friction and
    restitution, clipped to their valid ranges; still older ones hold no stiffness.

    Raises:
        OutOfRangeError: a range is out of what the quantity may be.
        RobotError: the normal is zero, or not finite.
    """
    ranges = _ranges(contact.surface) if hasattr(contact, "surface") else _older_ranges(contact)
    return _surface((contact.normal.x, contact.normal.y, contact.normal.z), *ranges)


def read_offset(point: Any) -> tuple[float, float, float]:
    """Return the offset of an impact_msgs/Contact [m].

    Raises:
        OutOfRangeError: it is not finite, or beyond ``LARGEST_OFFSET``.
    """
    offset = (point.x, point.y, point.z)
    if not all(abs(each) < LARGEST_OFFSET for each in offset):
        raise OutOfRangeError("offset", f"three finite numbers below {LARGEST_OFFSET:g}", offset)
    return offset


def surface_of(normal: Any, message: Any) -> Surface:
    """Return the surface with a geometry_msgs/Vector3 as normal, and an impact_msgs/Surface.

    Raises:
        OutOfRangeError: a range is out of what the quantity may be.
        RobotError: the normal is zero, or not finite.
    """
    return _surface((normal.x, normal.y, normal.z), *_ranges(message))


@lru_cache(maxsize=16)
def _surface(
    normal: tuple[float, float, float], friction: Range, restitution: Range, stiffness: Range
) -> Surface:
    """Return the surface, cached: most messages repeat the previous one."""
    return Surface(None, normal, friction, restitution, stiffness)


def _ranges(message: Any) -> tuple[Range, Range, Range]:
    """Return friction, restitution and stiffness; an open stiffness is ``ANY_STIFFNESS``."""
    return (
        (message.friction_low, message.friction_high),
        (message.restitution_low, message.restitution_high),
        said_or(message, "stiffness", ANY_STIFFNESS),
    )


def _older_ranges(contact: Any) -> tuple[Range, Range, Range]:
    """Return the ranges of a contact in a recording from before impact_msgs/Surface."""
    mu = friction_coefficient(contact.friction)
    e = restitution_coefficient(contact.restitution)
    halves = contact.friction_uncertainty, contact.restitution_uncertainty
    if not all(0.0 <= half < inf for half in halves):
        name = "friction_uncertainty, restitution_uncertainty"
        raise OutOfRangeError(name, "finite numbers, at least 0", halves)
    known = hasattr(contact, "stiffness_low")
    return (
        (max(mu - halves[0], 0.0), mu + halves[0]),
        (max(e - halves[1], 0.0), min(e + halves[1], 1.0)),
        said_or(contact, "stiffness", ANY_STIFFNESS) if known else ANY_STIFFNESS,
    )

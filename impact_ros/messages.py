# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Message fields in and out: time stamps in integers, arrays in place. Needs no ROS to import."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from impact_ros.exceptions import MessageError
from impact_ros.joints import JointArrays, JointReader, reorder

__all__ = [
    "JointArrays",
    "JointReader",
    "fill",
    "from_nanoseconds",
    "in_nanoseconds",
    "non_finite",
    "reorder",
    "rotation_of",
    "set_orientation",
    "set_vector",
    "to_nanoseconds",
    "vector",
]

NANOSECONDS = 1_000_000_000
SECONDS_LIMIT = 2**31
SPAN = 86400  # margin for durations that are added to a stamp [s]
STAMP, STAMP_AT = Struct("<iI"), 4  # seconds and nanoseconds of a header, in serialised messages
UNIT = 1e-3  # tolerance of a quaternion's norm [-]


def fill(target: Any, values: ArrayLike | Sequence[Any]) -> None:
    """Write values into a message's array field, in place.

    Assigning too few values to a fixed array would send memory beyond it; this raises.

    Args:
        target: The field itself: numpy array (`float64[7]`), array.array (`float64[]`) or list.
        values: As many values as a fixed field holds; any number for others. An array of any
            shape is written row by row.

    Raises:
        MessageError: The number of values differs from that of a fixed field.

    Example:
        fill(message.values, torque)
    """
    if isinstance(target, array):
        _fill_sequence(target, values)
    elif isinstance(target, np.ndarray):
        given = np.asarray(values)
        if given.size != target.size:
            raise MessageError(f"expected {target.size} values, got {given.size}")
        target[:] = given.reshape(-1)
    else:
        target[:] = values


def _fill_sequence(target: array[Any], values: ArrayLike) -> None:
    given = np.asarray(values).reshape(-1)
    if given.size != len(target):
        del target[:]
        target.frombytes(bytes(given.size * target.itemsize))
    if given.size:
        np.frombuffer(target, dtype=target.typecode)[:] = given


def set_vector(target: Any, values: ArrayLike) -> None:
    """Write three numbers into a geometry_msgs Vector3 or Point.

    Args:
        target: Field with x, y and z.
        values: Numbers, shape (3,).

    Raises:
        MessageError: Not three numbers.
    """
    given = np.asarray(values, dtype=float)
    if given.shape != (3,):
        raise MessageError(f"expected 3 values, got shape {given.shape}")
    target.x, target.y, target.z = given.tolist()


def vector(source: Any) -> np.ndarray:
    """Read a geometry_msgs Vector3 or Point, shape (3,)."""
    return np.array([source.x, source.y, source.z])


def set_orientation(target: Any, rotation: np.ndarray) -> None:
    """Write a rotation, shape (3, 3), into a geometry_msgs Quaternion."""
    target.w, target.x, target.y, target.z = _wxyz(rotation.tobytes())


@lru_cache(maxsize=16)
def _wxyz(rotation: bytes) -> list[float]:
    """Return the quaternion of a rotation (3, 3), cached: surfaces repeat."""
    from impact_robots.state.quaternions import quaternion_wxyz  # loads slowly

    wxyz: list[float] = quaternion_wxyz(np.frombuffer(rotation).reshape(3, 3)).tolist()
    return wxyz


def rotation_of(source: Any) -> np.ndarray:
    """Read a geometry_msgs Quaternion, normalised, as a rotation, shape (3, 3).

    Raises:
        MessageError: Its norm differs from 1 by more than ``UNIT``.
    """
    import pinocchio as pin  # loads slowly

    quaternion = pin.Quaternion(source.w, source.x, source.y, source.z)
    if not abs(quaternion.norm() - 1.0) <= UNIT:
        got = [source.x, source.y, source.z, source.w]
        raise MessageError(f"expected a unit quaternion, got {got}")
    rotation: np.ndarray = quaternion.normalized().toRotationMatrix()
    return rotation


def to_nanoseconds(stamp: Any) -> int:
    """Return a stamp in nanoseconds, exactly.

    Args:
        stamp: builtin_interfaces Time or Duration.

    Raises:
        MessageError: Invalid stamp: a second or more of nanoseconds, or seconds too close to
            the end of 32 bits.
    """
    return in_nanoseconds(stamp.sec, stamp.nanosec)


def in_nanoseconds(seconds: int, rest: int) -> int:
    """Return the fields of a stamp in nanoseconds, exactly.

    Args:
        seconds: Of 32 bits [s].
        rest: Below a second [ns].

    Raises:
        MessageError: As of ``to_nanoseconds``.
    """
    if not (0 <= rest < NANOSECONDS and -SECONDS_LIMIT <= seconds < SECONDS_LIMIT - SPAN):
        raise MessageError(
            f"expected a stamp below {SECONDS_LIMIT - SPAN} s with nanosec below {NANOSECONDS},"
            f" got sec {seconds}, nanosec {rest}"
        )
    return int(seconds * NANOSECONDS + rest)


def from_nanoseconds(nanoseconds: int, stamp: Any = None) -> Any:
    """Write nanoseconds into a stamp, exactly.

    Args:
        nanoseconds: Integer time; negative times round down to the second.
        stamp: Stamp to write to; a new builtin_interfaces Time without one.

    Returns:
        The stamp.

    Raises:
        MessageError: Not an integer, or beyond what 32 bits of seconds hold.
    """
    if isinstance(nanoseconds, bool) or not isinstance(nanoseconds, (int, np.integer)):
        raise MessageError(f"expected integer nanoseconds, got {nanoseconds!r}")
    seconds, rest = divmod(int(nanoseconds), NANOSECONDS)
    if not -SECONDS_LIMIT <= seconds < SECONDS_LIMIT:
        raise MessageError(f"expected seconds within 32 bits, got {seconds}")
    if stamp is None:
        from builtin_interfaces.msg import Time

        stamp = Time()
    stamp.sec, stamp.nanosec = seconds, rest
    return stamp


def non_finite(names: Sequence[str], **columns: np.ndarray) -> list[str]:
    """List the joint values that are NaN or infinite.

    Args:
        names: Names of the n joints.
        **columns: What each array is, and the array of shape (n,).

    Returns:
        "joint4 velocity" for each such value; empty when all are finite.
    """
    found = []
    for label, values in columns.items():
        if math.isfinite(sum(values.tolist())):  # fast path: all finite
            continue
        good = np.isfinite(values)
        if not good.all():
            found += [f"{names[i]} {label}" for i in np.flatnonzero(~good).tolist()]
    return found

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint states, reordered to the joint order of the robot. Needs no ROS to import."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from impact_ros.exceptions import MessageError

MAX_NAMES = 1000  # upper limit of joints of a robot


class JointArrays(NamedTuple):
    """A joint state in a known joint order.

    Attributes:
        position: Shape (n,) [rad; m], NaN when the message has none.
        velocity: Shape (n,) [rad/s; m/s], NaN when the message has none.
        effort: Shape (n,) [N.m; N], NaN when the message has none.
    """

    position: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray


def reorder(names: Sequence[str], wanted: Sequence[str]) -> np.ndarray:
    """Find where each wanted joint is.

    Args:
        names: Joint names in the order of the data; extra ones are ignored.
        wanted: Names of the n joints in the requested order.

    Returns:
        Index array of shape (n,): `data[index]` is in the wanted order.

    Raises:
        MessageError: Joints are missing, or a wanted one is given twice.
    """
    names = list(names)
    if len(names) > MAX_NAMES:
        raise MessageError(f"expected at most {MAX_NAMES} joint names, got {len(names)}")
    missing = [name for name in wanted if name not in names]
    if missing:
        got = ", ".join(map(_shown, names[:10])) if names else "none"
        got += f" and {len(names) - 10} more" if len(names) > 10 else ""
        raise MessageError(
            f"expected joints {', '.join(wanted)}, missing {', '.join(missing)}; got {got}"
        )
    twice = [name for name in wanted if names.count(name) > 1]
    if twice:
        raise MessageError(f"expected each joint once, got {', '.join(twice)} more than once")
    return np.array([names.index(name) for name in wanted], dtype=np.intp)


def _shown(name: str) -> str:
    """Return a joint's name, shortened and escaped for one log line."""
    return name if name.isprintable() and len(name) <= 50 else ascii(name[:50])


class JointReader:
    """Reads joint states; looks names up again only when they change.

    Attributes:
        names: Names of the n joints, in the order of the arrays returned.
    """

    def __init__(self, names: Sequence[str]) -> None:
        """Keep the order wanted.

        Args:
            names: Names of the n joints.
        """
        self.names = tuple(names)
        self._seen: list[str] | None = None
        self._index = np.empty(0, dtype=np.intp)
        self._unknown = np.full(len(self.names), np.nan)

    def read(self, message: Any) -> JointArrays:
        """Read one message. Values are not checked: see `messages.non_finite`.

        Args:
            message: sensor_msgs JointState, or anything with name, position, velocity and effort.

        Returns:
            New arrays in the order of `names`.

        Raises:
            MessageError: Joints are missing or duplicated, or an array is neither empty nor
                complete.
        """
        if message.name != self._seen:
            self._index = reorder(message.name, self.names)
            self._seen = list(message.name)
        numbers = getattr(message, "numbers", None)  # of a streamed state: all at once
        if numbers is not None and numbers.shape[1] == len(self._seen):
            rows = numbers.take(self._index, axis=1)
            return JointArrays(
                *[self._unknown.copy() if row is None else rows[row] for row in message.rows]
            )
        return JointArrays(
            self._column("position", message.position),
            self._column("velocity", message.velocity),
            self._column("effort", message.effort),
        )

    def is_foreign(self, message: Any) -> bool:
        """Tell whether a message names joints, but none of these, as of a gripper on this topic."""
        return bool(message.name) and set(self.names).isdisjoint(message.name)

    def _column(self, label: str, values: Any) -> np.ndarray:
        count = len(values)
        if count == len(self._seen or ()):
            return np.asarray(values, dtype=float)[self._index]
        if count:
            expected = len(self._seen or ())
            raise MessageError(f"expected {expected} values of {label} (or none), got {count}")
        return self._unknown.copy()

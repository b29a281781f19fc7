# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Messages into samples: shared by the node and by the reader of bags. Needs no ROS to import."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_detector.attribution.expectation import Announcement
from impact_detector.exceptions import DetectorError
from impact_detector.signals.sample import ForceSample, JointSample, from_seconds
from impact_robots import OutOfRangeError, RobotError
from impact_ros.messages import JointReader, to_nanoseconds, vector
from impact_ros.surface_message import read_offset, read_surface

SHORTEST_PERIOD, LONGEST_PERIOD = 1e-6, 1.0  # between samples of a batch [s]
MOST_SAMPLES = 100_000  # of a batch: 4 s at 25 kHz
LARGEST_FORCE = 1e9  # beyond this a force is none; its square would overflow sooner or later [N]

__all__ = [
    "announcement",
    "batch_sample",
    "joint_sample",
    "reference_values",
    "unreadable",
    "wrench_sample",
]


def joint_sample(message: Any, reader: JointReader) -> JointSample:
    """Return a measured sensor_msgs/JointState as a sample in the reader's joint order.

    Raises:
        MessageError: joints are missing or double, or arrays of wrong length.
    """
    arrays = reader.read(message)
    tau = None if len(message.effort) == 0 else arrays.effort
    return JointSample(to_nanoseconds(message.header.stamp), arrays.position, arrays.velocity, tau)


def announcement(message: Any) -> Announcement:
    """Return an impact_msgs/ImpactAnnouncement.

    Raises:
        DetectorError: a number is out of its range.
    """
    time = to_nanoseconds(message.header.stamp)
    if message.withdrawn:
        return Announcement(time)
    contact, end = message.contact, to_nanoseconds(message.window_end)
    try:
        surface, offset = read_surface(contact), read_offset(contact.offset)
    except (RobotError, OutOfRangeError) as error:
        raise DetectorError(f"announcement: {error}") from None
    start = to_nanoseconds(message.window_start)
    return Announcement(time, surface, start, end or None, contact.frame, offset)


def unreadable(message: Any, reader: JointReader) -> JointSample:
    """Return a sample of NaN only, so that an unreadable state also gets a detection status."""
    nothing = np.full(len(reader.names), np.nan)
    return JointSample(to_nanoseconds(message.header.stamp), nothing, nothing, None)


def reference_values(
    message: Any, reader: JointReader
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the effort [N.m] and velocity [rad/s] of a desired sensor_msgs/JointState, each (n,).

    Returns:
        None for fields that are missing or not finite.

    Raises:
        MessageError: joints are missing or double, or arrays of wrong length.
    """
    arrays = reader.read(message)
    return _if_finite(arrays.effort), _if_finite(arrays.velocity)


def wrench_sample(message: Any) -> ForceSample:
    """Return a geometry_msgs/WrenchStamped as one force sample.

    Raises:
        MessageError: the stamp is none.
    """
    force = vector(message.wrench.force)[np.newaxis]
    return ForceSample(to_nanoseconds(message.header.stamp), _possible(force))


def batch_sample(message: Any) -> ForceSample:
    """Return an impact_msgs/WrenchBatch as its force samples.

    Raises:
        DetectorError: no samples or too many, not three numbers each, or a period that is none.
        MessageError: the stamp is none.
    """
    size, period = len(message.force), float(message.sample_period)
    if not size or size % 3:
        raise DetectorError(f"force: expected three numbers per sample, got {size} numbers")
    if size > 3 * MOST_SAMPLES:
        raise DetectorError(f"force: expected at most {MOST_SAMPLES} samples, got {size // 3}")
    if not SHORTEST_PERIOD <= period <= LONGEST_PERIOD:
        expected = f"{SHORTEST_PERIOD:g} to {LONGEST_PERIOD:g} [s]"
        raise DetectorError(f"sample_period: expected {expected}, got {period}")
    time = to_nanoseconds(message.header.stamp)
    force = np.array(message.force, dtype=float).reshape(-1, 3)
    return ForceSample(time, _possible(force), from_seconds(period))


def _if_finite(values: np.ndarray) -> np.ndarray | None:
    return values if np.isfinite(values).all() else None


def _possible(force: np.ndarray) -> np.ndarray:
    """Return forces, shape (N, 3), with NaN for numbers that are no force."""
    return np.where(np.abs(force) < LARGEST_FORCE, force, np.nan)

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint torques measured in an impact, beside their limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_bags.exceptions import RecordingError
from impact_bags.reading.run_record import RunRecord
from impact_robots.robot import Robot

BEFORE, AFTER = 0.01, 0.03  # windows before and after the contact [s]


class MeasuredLoad(NamedTuple):
    """Measured joint torques of one impact, each of the joint closest to its limit."""

    change_joint: str
    change: float  # largest change since the contact [N.m]
    change_limit: float  # [N.m]
    torque_joint: str
    torque: float  # largest magnitude, gravity included [N.m]
    torque_limit: float  # range, infinite if there is none [N.m]

    @property
    def fraction(self) -> float:
        """Largest used fraction of a limit [-]; above 1: exceeded."""
        return max(self.change / self.change_limit, self.torque / self.torque_limit)


def measured_load(record: RunRecord, robot: Robot, contact_time: float) -> MeasuredLoad:
    """Return the largest measured torques within 30 ms of a contact.

    Args:
        record: of the run.
        robot: whose limits count.
        contact_time: of the recording [s].

    Raises:
        RecordingError: no samples before or after the contact.
    """
    since, tau = record.torques.seconds - contact_time, record.torques.values
    before, after = (since > -BEFORE) & (since <= 0.0), (since > 0.0) & (since <= AFTER)
    if not before.any() or not after.any():
        raise RecordingError("no joint torques before or after the contact")
    change = np.abs(tau[after] - tau[before].mean(axis=0)).max(axis=0)
    torque = np.abs(tau[after]).max(axis=0)
    limits = robot.limits
    range_ = np.where(np.isnan(limits.torque_range), np.inf, limits.torque_range)
    largest, highest = (
        int(np.argmax(change / limits.impulsive_torque)),
        int(np.argmax(torque / range_)),
    )
    return MeasuredLoad(
        robot.joint_names[largest],
        float(change[largest]),
        float(limits.impulsive_torque[largest]),
        robot.joint_names[highest],
        float(torque[highest]),
        float(range_[highest]),
    )

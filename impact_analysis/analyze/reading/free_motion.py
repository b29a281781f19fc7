# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Free motion of an arm before an impact, in short windows: what a payload is found by."""

from __future__ import annotations

import numpy as np

from impact_detector.signals.buffers import JointRecord

WINDOW = 0.05  # [s]
BEFORE_TOUCH = 0.03  # the last one ends [s]
FEW = 6  # samples of one that tell nothing
AFTER_IMPACT = 0.2  # before that it may still touch, or vibrate [s]


def free_windows(t: np.ndarray, joints: JointRecord, last_impact: float) -> np.ndarray:
    """Return means of q, dq, ddq and torque over each window before a touch, shape (k, 4, n).

    Args:
        t: times since the touch, shape (N,) [s].
        joints: samples at these times.
        last_impact: time of the impact before, -inf: none [s].
    """
    begin, found = max(float(t[0]), last_impact + AFTER_IMPACT), []
    end = -BEFORE_TOUCH
    while end - WINDOW >= begin:
        part = (t >= end - WINDOW) & (t < end)
        end -= WINDOW
        if part.sum() < FEW or not np.isfinite(joints.tau[part]).all():
            continue
        centred = t[part] - t[part].mean()
        slope = centred @ joints.dq[part] / (centred @ centred)
        means = [column[part].mean(axis=0) for column in (joints.q, joints.dq, joints.tau)]
        found.append([*means[:2], slope, means[2]])
    return np.array(found).reshape(-1, 4, joints.q.shape[1])

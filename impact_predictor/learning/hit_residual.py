# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Residuals of the model of a hit, over their standard deviations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_predictor.joint_load.load import joint_load
from impact_predictor.joint_load.motion_records import TICK
from impact_predictor.learning.hit_window import HitWindow
from impact_predictor.learning.learning_box import LearningBox

LATE = 3.5e-3  # largest offset of contact from its detection, either sign [s]
SHIFTS = np.linspace(-LATE, LATE, 57)


def modelled(box: LearningBox, window: HitWindow, x: np.ndarray) -> np.ndarray:
    """Return the changes of torque, position, velocity since contact, shape (ticks + 1, 3, n)."""
    case = box.case(box.figures(x))
    arm = window.arm.scaled(case.scale)
    contact = case.contact(arm.M_inverse, window.point.J[:3], window.point.velocity)
    duration = window.time[-1] + LATE + TICK
    load = joint_load(arm, [contact], duration=duration, command=window.command, with_history=True)
    assert load.history is not None  # by with_history
    found = np.stack([load.history.load, load.history.position, load.history.velocity], axis=1)
    return np.concatenate([np.zeros_like(found[:1]), found])


def residual(window: HitWindow, model: np.ndarray, late: float) -> np.ndarray:
    """Return the whitened residual of a hit, shape (m 3 n,) [-].

    Args:
        window: of m samples.
        model: of :func:`modelled`.
        late: the contact, after it was detected [s].
    """
    return residuals(window, model, np.array([late]))[0]


def residuals(window: HitWindow, model: np.ndarray, late: np.ndarray) -> np.ndarray:
    """Return the residual of each of k contact times, shape (k, m 3 n), see :func:`residual`."""
    place = np.clip((window.time - late[:, None]) / TICK, 0.0, len(model) - 1.001)
    before = place.astype(int)
    share = (place - before)[..., None, None]
    at = (1.0 - share) * model[before] + share * model[before + 1]
    left = (window.change - at).transpose(2, 3, 1, 0)  # signals, joints, samples, times
    return np.asarray((window.whitening @ left).transpose(3, 2, 0, 1)).reshape(len(late), -1)


def contact_time(window: HitWindow, model: np.ndarray) -> tuple[float, float]:
    """Return the contact time after its detection [s], and the squared residual there."""
    costs = (residuals(window, model, SHIFTS) ** 2).sum(axis=1)
    best = int(np.argmin(costs))
    return float(SHIFTS[best]), float(costs[best])


def all_residuals(
    box: LearningBox, windows: Sequence[HitWindow], z: np.ndarray
) -> list[np.ndarray]:
    """Return the residual of each hit at z: p unknowns, then the contact times in ms."""
    x, late = z[: box.size], 1e-3 * z[box.size :]
    pairs = zip(windows, late, strict=True)
    return [residual(each, modelled(box, each, x), t) for each, t in pairs]

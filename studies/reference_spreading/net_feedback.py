# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Net feedback vanishes if the predicted velocity is the true one: van Steen 2025 (H19).

A unit mass follows a reference by PD control with perfect feed-forward, is hit, and follows the
reference of after the impact; velocity feedback fades in over the interim. a_net, the integral of
the feedback, should be v_ref - v_true: a line of slope 1 whose root is the true velocity.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from impact_analysis.present.table import Column, Table
from studies.published import parameter
from studies.row import Row, judged

STIFFNESS = 150.0  # k_p, not published [1/s^2]
INTERIM = 0.1  # Delta t_int, not published [s]
STEP = 1e-4  # of the integration [s]
BEFORE, AFTER = 0.50, 0.515  # true velocities; "post 1.03x" of the scenario rs_1dof [m/s]
VIBRATION_HZ, VIBRATION = 15.0, 0.02  # of the hit arm, decaying, on the velocity [Hz], [m/s]
DECAY = 8.0  # of the vibration [1/s]
ROOT_TOLERANCE = 0.02  # relative error of the root that counts as found
SLOPE_TOLERANCE = 0.10


@dataclass(frozen=True)
class NetFeedback:
    """A line through net feedback over reference velocity."""

    levels: np.ndarray  # reference velocities after the impact, shape (5,) [m/s]
    net: np.ndarray  # net feedback at each, shape (5,) [m/s]
    slope: float
    root: float  # reference velocity without net feedback [m/s]


def net_feedback(reference: float, *, vibration: float = 0.0) -> float:
    """Return the net feedback [m/s] for a velocity reference [m/s]; van Steen 2025 (28).

    Args:
        reference: velocity of the post-impact reference [m/s].
        vibration: amplitude of a decaying vibration that the impact starts [m/s].
    """
    start, end = (value for (value,) in map(parameter, ("rs.t1_offset", "rs.t2_offset")))
    x, v, net = start * BEFORE, BEFORE, 0.0
    times = np.arange(round(start / STEP), round(end / STEP)) * STEP
    for t in times:
        if t >= 0.0 > t - STEP:
            v = AFTER
        shake = _shake(t, vibration)
        gain = min(1.0, t / INTERIM) if t >= 0.0 else 1.0
        wanted = reference if t >= 0.0 else BEFORE
        a = STIFFNESS * (wanted * t - x) + gain * 2.0 * np.sqrt(STIFFNESS) * (wanted - v - shake)
        net += a * STEP
        v += a * STEP
        x += (v + shake) * STEP
    return net


def _shake(t: float, amplitude: float) -> float:
    """Return the velocity of the vibration at a time after the impact [m/s]."""
    if t < 0.0:
        return 0.0
    return amplitude * float(np.exp(-DECAY * t) * np.sin(2.0 * np.pi * VIBRATION_HZ * t))


def fit(*, vibration: float = 0.0) -> NetFeedback:
    """Return the line through the five published references, 80 to 120 % of the prediction."""
    levels = np.array(parameter("rs.levels")) * AFTER
    net = np.array([net_feedback(level, vibration=vibration) for level in levels])
    slope, offset = np.polyfit(levels, net, 1)
    return NetFeedback(levels, net, float(slope), float(-offset / slope))


def row(still: NetFeedback, shaken: NetFeedback) -> Row:
    """Return the row H19, from the mass alone and from one that vibrates."""
    errors = [line.root / AFTER - 1.0 for line in (still, shaken)]
    slopes = [line.slope for line in (still, shaken)]
    holds = max(map(abs, errors)) < ROOT_TOLERANCE and all(
        abs(slope - 1.0) < SLOPE_TOLERANCE for slope in slopes
    )
    return judged(
        "H19",
        ours=f"slope {slopes[0]:.3f}, with vibration {slopes[1]:.3f}",
        difference=f"root {errors[0]:+.2%}, with vibration {errors[1]:+.2%}",
        holds=holds,
        note=f"one unit mass, true velocity {AFTER:g} m/s, PD with the velocity gain faded in;"
        f" vibration of {VIBRATION:g} m/s at {VIBRATION_HZ:g} Hz; gains are not published",
        figures={
            "slope": still.slope,
            "root_mps": still.root,
            "slope_with_vibration": shaken.slope,
            "root_with_vibration_mps": shaken.root,
            "true_velocity_mps": AFTER,
        },
    )


def study(still: NetFeedback, shaken: NetFeedback) -> Table:
    """Return the table of levels."""
    return Table(
        "net_feedback",
        f"Net feedback [m/s] over the reference velocity [m/s]; the true one is {AFTER:g}",
        (
            Column("reference_velocity_mps", "reference", ".4f", itemgetter(0)),
            Column("net_feedback_mps", "net feedback", ".4f", itemgetter(1)),
            Column("net_feedback_with_vibration_mps", "with vibration", ".4f", itemgetter(2)),
        ),
        list(zip(still.levels, still.net, shaken.net, strict=True)),
    )

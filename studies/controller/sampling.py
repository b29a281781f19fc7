# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Error of an impulse measured by a slow force sensor: sampling rates, Wang 2023 (H24)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_analysis.present.table import Column, Table
from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.contact_force.simulation import simulate_contact
from studies.published import parameter
from studies.row import Row, judged

MASS = 3.0  # effective, fitted to Fig. 7 of Wang 2022 [kg]
STIFFNESS = 1.2e5  # [N/m]
RATIOS = (0.15, 0.06, 0.015)  # k/c, from a soft to a very peaked profile [m/s]
TRIALS = 1000  # phases of the sampling, evenly spread
SIMILAR = 0.01  # relative error of the mean that counts as none


@dataclass(frozen=True)
class SampledImpulse:
    """Impulses of one profile at one rate, over all phases."""

    ratio: float  # k/c [m/s]
    rate: float  # [Hz]
    impulse: float  # true [N.s]
    bias: float  # mean over trials, relative [-]
    spread: float  # standard deviation over trials, relative [-]


def sampled_impulses() -> list[SampledImpulse]:
    """Integrate sampled profiles by the trapezoidal rule."""
    (speed,) = parameter("qp.sampling_study_speed")
    found = []
    for ratio in RATIOS:
        profile = simulate_contact(Viscoelastic(STIFFNESS, STIFFNESS / ratio), MASS, speed)
        true = float(profile.impulse[-1])
        for rate in parameter("qp.sampling_study_rates"):
            sums = np.array([_sum(profile.time, profile.force, rate, i) for i in range(TRIALS)])
            errors = sums / true - 1.0
            found.append(
                SampledImpulse(ratio, rate, true, float(errors.mean()), float(errors.std()))
            )
    return found


def _sum(time: np.ndarray, force: np.ndarray, rate: float, trial: int) -> float:
    """Return the impulse of a profile that is sampled at a phase [N.s].

    The trapezoids of a signal that is zero outside add up to the sum of its samples.
    """
    first = trial / TRIALS / rate
    samples = np.arange(first, time[-1], 1.0 / rate)
    return float(np.interp(samples, time, force).sum() / rate)


def row(found: list[SampledImpulse]) -> Row:
    """Return the row H24."""
    slowest = min(item.rate for item in found)
    slow = [item for item in found if item.rate == slowest]
    bias = max(abs(item.bias) for item in found)
    low, high = min(i.spread for i in slow), max(i.spread for i in slow)
    return judged(
        "H24",
        ours=f"mean within {bias:.1%} at every rate",
        difference=f"{bias:.1%}",
        holds=bias < SIMILAR,
        note=f"viscoelastic profiles, {TRIALS} phases: the mean has no bias, but a single trial at"
        f" {slowest:g} Hz is off by {low:.0%} to {high:.0%} (standard deviation) as k/c falls from"
        f" {RATIOS[0]:g} to {RATIOS[-1]:g} m/s, the mean of the ten by {low / 10**0.5:.0%} to"
        f" {high / 10**0.5:.0%}",
        figures={
            "largest_relative_bias": bias,
            "smallest_relative_spread_slowest": low,
            "largest_relative_spread_slowest": high,
        },
    )


def study(found: list[SampledImpulse]) -> Table:
    """Return the table of rates."""
    return Table(
        "sampling",
        "Impulse from a sampled force: relative error, mean and standard deviation [%]",
        (
            Column("stiffness_over_damping_mps", "k/c [m/s]", "g", "ratio"),
            Column("rate_hz", "rate [Hz]", "g", "rate"),
            Column("impulse_ns", of="impulse"),
            Column("relative_bias", "mean", "+.2f", "bias", 100),
            Column("relative_spread", "deviation", ".2f", "spread", 100),
        ),
        found,
    )

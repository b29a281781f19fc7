# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reliability of a prediction: its violated assumptions, as text."""

from __future__ import annotations

from impact_predictor.impact_result import ContactMode, Flag
from impact_predictor.prediction.prediction import Prediction

TRUSTED_RATIO = 0.85  # e_a above which the composite rigid body may be trusted; Wang 2022, VI


def caveats(prediction: Prediction) -> tuple[str, ...]:
    """Return one sentence per violated assumption of a prediction."""
    flags = prediction.flags
    sentences = [text for flag, text in _SENTENCES.items() if flag in flags]
    if Flag.APPROACHING not in flags:
        sentences.insert(0, "the contact point does not approach: no impact, nothing changes")
    if prediction.mode is ContactMode.NONE:
        return tuple(sentences)
    ratio = prediction.approximate_to_exact_ratio
    if prediction.inverse_inertia == "crb" and not ratio > TRUSTED_RATIO:
        sentences.append(
            f"e_a is {ratio:.2f}, not above {TRUSTED_RATIO}: the arm does not move as one body, "
            "so the composite-rigid-body mass may be far off"
        )
    return tuple(sentences)


_SENTENCES = {
    Flag.JAMMING: "jamming: the sliding law has no solution here, the velocities are NaN",
    Flag.SINGULAR_JACOBIAN: "the contact Jacobian is close to losing rank",
    Flag.RANK_DEFICIENT: "the 6-row Jacobian has lost rank: em is that of a pseudo-inverse",
    Flag.ENERGY_GAIN: "kinetic energy grows, which no impact can do",
    Flag.SLIP_UNDEFINED: "no slip before the impact: the sliding law left friction out",
    Flag.FRICTION_REVERSAL: "the slip turns around, so sliding friction would do work",
    Flag.AMBIGUOUS: "Coulomb's law has several solutions; the one with the least energy is shown",
    Flag.VELOCITY_LIMIT: "a joint is faster than its limit after the impact",
    Flag.STATE_LIMIT: "the state is outside the joints' limits",
}

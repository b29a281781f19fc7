# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Median errors of an impact model, beside those of a baseline on the same impacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RESAMPLED_MEDIANS = 1000
INTERVAL = (0.025, 0.975)


@dataclass(frozen=True)
class LawScore:
    """Median absolute errors in (vx, vy, w) on the held-out half, with 95 % intervals."""

    median: np.ndarray  # shape (3,) [m/s, m/s, rad/s]
    interval: np.ndarray  # low and high, shape (2, 3)
    ratio: np.ndarray  # to the baseline on the same impacts, shape (3,)
    ratio_interval: np.ndarray  # shape (2, 3)

    @property
    def beats(self) -> bool:
        """Whether every median is below the baseline's."""
        return bool((self.ratio < 1.0).all())

    @property
    def beats_confidently(self) -> bool:
        """Whether the intervals of every ratio are below 1."""
        return bool((self.ratio_interval[1] < 1.0).all())


def judge(errors: np.ndarray, reference: np.ndarray, seed: int) -> LawScore:
    """Return medians of absolute errors, beside those of a reference on the same impacts.

    Args:
        errors: absolute errors, shape (N, 3).
        reference: those of the reference, shape (N, 3); resampled together with ``errors``.
        seed: of the bootstrap.
    """
    rng = np.random.default_rng([seed, RESAMPLED_MEDIANS])
    rows = rng.integers(len(errors), size=(RESAMPLED_MEDIANS, len(errors)))
    medians = np.median(errors[rows], axis=1)
    ratios = medians / np.median(reference[rows], axis=1)
    median = np.median(errors, axis=0)
    return LawScore(
        median=median,
        interval=np.quantile(medians, INTERVAL, axis=0),
        ratio=median / np.median(reference, axis=0),
        ratio_interval=np.quantile(ratios, INTERVAL, axis=0),
    )

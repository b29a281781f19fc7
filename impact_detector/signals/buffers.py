# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Ring buffers of the last measurements, as long as an estimate needs them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from impact_detector.signals.sample import LARGEST, ForceSample, JointSample, all_finite

Record = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class JointRecord:
    """Joint samples in columns; n joints."""

    time: np.ndarray  # integers, shape (N,) [ns]
    q: np.ndarray  # shape (N, n) [rad]
    dq: np.ndarray  # shape (N, n) [rad/s]
    tau: np.ndarray  # NaN where unknown, shape (N, n) [N.m]

    def since(self, origin: int) -> np.ndarray:
        """Return the times relative to ``origin`` [ns], shape (N,) [s]."""
        return (self.time - origin) * 1e-9


class RecentJoints:
    """Joint samples of the last ``keep`` nanoseconds."""

    def __init__(self, keep: int) -> None:
        """Store samples for ``keep`` [ns] of measured time."""
        self._keep = keep
        self._samples: deque[JointSample] = deque()

    @property
    def newest(self) -> int | None:
        """Time of the newest sample [ns]."""
        return self._samples[-1].time if self._samples else None

    def is_backward(self, time: int) -> bool:
        """Return whether ``time`` [ns] lies before the newest sample."""
        return self.newest is not None and time < self.newest

    def add(self, sample: JointSample) -> None:
        """Add a sample; a repeated one, or one with NaN in its motion, is left out."""
        samples, tau = self._samples, sample.tau
        if samples and samples[-1].time == sample.time:
            return
        if not all_finite(sample.q, sample.dq, tau):
            if tau is None or not all_finite(sample.q, sample.dq):
                return
            sample = sample._replace(tau=np.where(np.abs(tau) < LARGEST, tau, np.nan))
        samples.append(sample)
        while samples[0].time < sample.time - self._keep:
            samples.popleft()

    def record(self) -> JointRecord:
        """Return all stored samples; without any the shapes are (0, 0)."""
        samples = self._samples
        if not samples:
            nothing = np.zeros((0, 0))
            return JointRecord(np.zeros(0, dtype=np.int64), nothing, nothing, nothing)
        unknown = np.full_like(samples[0].dq, np.nan)
        return JointRecord(
            time=np.array([sample.time for sample in samples], dtype=np.int64),
            q=np.array([sample.q for sample in samples]),
            dq=np.array([sample.dq for sample in samples]),
            tau=np.array([unknown if each.tau is None else each.tau for each in samples]),
        )

    def clear(self) -> None:
        """Delete all samples."""
        self._samples.clear()


class RecentForce:
    """Force samples of the last ``keep`` nanoseconds of one source."""

    def __init__(self, keep: int) -> None:
        """Store samples for ``keep`` [ns] of measured time."""
        self._keep = keep
        self._samples: deque[ForceSample] = deque()
        self.end = 0  # time of the source's last sample [ns]

    def add(self, sample: ForceSample) -> None:
        """Add samples; earlier ones clear the buffer, repeated or empty ones are ignored."""
        if self._samples and sample.time < self._samples[-1].time:
            self._samples.clear()
        repeated = self._samples and sample.time == self._samples[-1].time
        if repeated or not len(sample.force):
            return
        self._samples.append(sample)
        self.end = sample.time + sample.period * len(sample.force)
        while self._samples[0].times[-1] < sample.time - self._keep:
            self._samples.popleft()

    def since(self, origin: int, start: int) -> Record:
        """Return seconds relative to ``origin``, shape (N,), and force (N, 3), from ``start`` [ns].

        Samples with NaN are left out.
        """
        if not self._samples:
            return np.zeros(0), np.zeros((0, 3))
        time = np.concatenate([sample.times for sample in self._samples])
        force = np.vstack([sample.force for sample in self._samples])
        chosen = (time >= start) & np.isfinite(force).all(axis=1)
        return (time[chosen] - origin) * 1e-9, force[chosen]

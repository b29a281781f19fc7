# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The last measurements of a recording, of which an impact's samples are taken."""

from __future__ import annotations

from collections import deque

import numpy as np

from impact_analysis.analyze.reading.peaks_and_jumps import CONTACT_FORCE
from impact_bags.recording import Force
from impact_detector.signals.buffers import JointRecord, RecentForce, RecentJoints
from impact_detector.signals.sample import JointSample, Verdict, from_seconds
from impact_predictor.recorded_hit import RecordedHit

KEEP = from_seconds(1.2)  # of measurements: an estimate comes 0.1 to 0.6 s after the contact
STATISTICS = 1500  # of the detector, that are kept
BEFORE, AFTER = 0.05, 0.11  # of the traces, around the contact [s]
JUST_BEFORE = 2e-3  # the contact may have been this much earlier [s]
FORCE_POINTS = 400  # of a trace
GAP = 5.0  # times the usual period is a gap


class StateWatch:
    """Watches the time of joint states: gaps, repetitions, and jumps back."""

    def __init__(self) -> None:
        self.samples = 0
        self.gaps: list[float] = []  # [s]
        self.jumps: list[float] = []  # [s]
        self.repeated = 0
        self._duration = 0  # [ns]
        self._seen = 0
        self._usual = float("inf")  # [ns]
        self._last: int | None = None
        self._steps: deque[int] = deque(maxlen=200)  # [ns]

    @property
    def duration(self) -> float:
        """Measured time [s]."""
        return self._duration * 1e-9

    @property
    def period(self) -> float:
        """Usual time between samples, NaN of fewer than two [s]."""
        return float(np.median(self._steps)) * 1e-9 if self._steps else float("nan")

    def add(self, time: int, *, counts: bool = True) -> None:
        """Take the time of a joint state [ns]; one that does not count is only learnt from."""
        last, self._last = self._last, time
        self._seen += 1
        self.samples += counts
        if last is None:
            return
        step = time - last
        if self._seen % 50 == 0 and len(self._steps) > 20:
            self._usual = float(np.median(self._steps))
        irregular = step <= 0 or step > GAP * self._usual
        if not irregular:
            self._steps.append(step)
        if not counts:
            return
        if step < 0:
            self.jumps.append(-step * 1e-9)
            return
        self._duration += step
        self.repeated += step == 0
        if irregular and step > 0:
            self.gaps.append(step * 1e-9)


class Recent:
    """Joint states, forces and statistics of the last 1.2 s."""

    def __init__(self) -> None:
        self.statistics: deque[Verdict] = deque(maxlen=STATISTICS)
        self._samples: deque[JointSample] = deque()
        self._forces: dict[str, RecentForce] = {}

    @property
    def newest(self) -> int:
        """Time of the newest joint state [ns]."""
        return self._samples[-1].time

    def add_state(self, sample: JointSample) -> None:
        """Take a joint state; time that jumps back starts anew."""
        samples = self._samples
        if samples and sample.time < samples[-1].time:
            samples.clear()
        samples.append(sample)
        while samples[0].time < sample.time - KEEP:
            samples.popleft()

    def add_force(self, force: Force) -> None:
        """Take forces of one of several sensors."""
        self._forces.setdefault(force.source, RecentForce(KEEP)).add(force.sample)

    def joints(self) -> JointRecord:
        """Return the joint states, without those that are not finite."""
        recent = RecentJoints(KEEP)
        for sample in self._samples:
            recent.add(sample)
        return recent.record()

    def force(self, origin: int) -> tuple[np.ndarray, np.ndarray]:
        """Return times since ``origin`` [ns] and force of the fastest sensor, (f,) and (f, 3).

        What the sensor shows before the contact is its offset, which is subtracted.
        """
        start = origin - from_seconds(BEFORE)
        records = [force.since(origin, start) for force in self._forces.values()]
        nothing = (np.zeros(0), np.zeros((0, 3)))
        t, force = max(records, key=lambda record: len(record[0]), default=nothing)
        before = force[t < -JUST_BEFORE]
        return t, force - np.median(before, axis=0) if len(before) else force

    def trace(
        self, origin: int, joints: JointRecord, force_t: np.ndarray, force: np.ndarray
    ) -> RecordedHit:
        """Return the samples around a contact at ``origin`` [ns]; forces are those of `force`."""
        t = joints.since(origin)
        near = (t >= -BEFORE) & (t <= AFTER)
        statistics = np.array(
            [((v.time - origin) * 1e-9, v.statistic) for v in self.statistics]
        ).reshape(-1, 2)
        shown = (statistics[:, 0] >= -BEFORE) & (statistics[:, 0] <= AFTER)
        step = max(1, len(force_t) // FORCE_POINTS)
        return RecordedHit(
            t[near],
            joints.q[near],
            joints.dq[near],
            joints.tau[near],
            None,
            *_around_contact(force_t, force, step),
            *statistics[shown].T,
        )


def _around_contact(t: np.ndarray, force: np.ndarray, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Return forces, dense where they are and thin where nothing happens."""
    pushing = np.linalg.norm(force, axis=1) > CONTACT_FORCE
    if not pushing.any():
        return t[:: 5 * step], force[:: 5 * step]
    inside = np.flatnonzero(pushing)
    first, last = inside[0], inside[-1]
    dense = max(1, (last - first) // FORCE_POINTS)
    chosen = np.unique(
        np.concatenate(
            [
                np.arange(0, len(t), 5 * step),
                np.arange(max(0, first - 5 * dense), min(len(t), last + 5 * dense), dense),
            ]
        )
    )
    return t[chosen], force[chosen]

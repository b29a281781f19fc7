# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Interface of recordings to a detector, independent of the file format."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import hypot
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from impact_detector.attribution.expectation import Announcement
from impact_detector.signals.sample import ForceSample, JointSample, from_seconds

LOOK_AHEAD = from_seconds(0.5)
LARGEST = 1e9  # plausible measurement: rad, rad/s, N.m, N
_RANKS = {JointSample: 1, Announcement: 2}


@dataclass(frozen=True, slots=True)
class RecordedReference:
    """A controller's desired values; None for unusable fields."""

    time: int  # [ns]
    torque: np.ndarray | None  # shape (n,) [N.m]
    velocity: np.ndarray | None = None  # shape (n,) [rad/s]


@dataclass(frozen=True, slots=True)
class Force:
    """Samples of one of several force sensors."""

    sample: ForceSample
    source: str

    @property
    def time(self) -> int:
        """Of the first sample [ns]."""
        return self.sample.time


Item = JointSample | RecordedReference | Force | Announcement


def is_absurd(values: ArrayLike) -> bool:
    """Return whether numbers are implausibly large; NaN is ignored."""
    return bool((np.abs(np.asarray(values)) >= LARGEST).any())


def credible(sample: JointSample) -> JointSample:
    """Return the sample, or one of NaN if it has implausibly large numbers.

    Squares of such numbers overflow in the detectors.
    """
    arrays = [each for each in (sample.q, sample.dq, sample.tau) if each is not None]
    if all(hypot(*each.tolist()) < LARGEST for each in arrays):  # the usual case, and faster
        return sample
    if not any(is_absurd(each) for each in arrays):
        return sample
    nothing = np.full(len(sample.q), np.nan)
    return JointSample(sample.time, nothing, nothing, None)


class Recording(Protocol):
    """A file opened for detection."""

    name: str
    state_topic: str  # of the joint states; empty: of a table
    has_reference: bool  # desired torques were recorded
    pairing_rule: str  # of impact_detector.signals.reference_torque, for these desired torques
    lost: list[str]  # unreadable parts of a damaged file found so far, as text

    def items(self, *, references: bool = True) -> Iterator[Item]:
        """Yield the recorded items in order of measured time, without loading all of them.

        Args:
            references: whether to read desired torques; without them it is faster.
        """


def of_topic(recording: Recording, text: str) -> str:
    """Return a text about the joint states, with their topic."""
    return f"{recording.state_topic}: {text}" if recording.state_topic else text


def in_time_order(items: Iterable[Item]) -> Iterator[Item]:
    """Sort items by time within a window of half a second.

    At equal times references and forces come first, then states, then announcements made in the
    answers to these.

    Topics are recorded in the order in which they reach the recorder, which is not quite that of
    measurement. Time that runs back further (a loop, a restart) begins a new sequence.
    """
    heap: list[tuple[int, int, int, Item]] = []
    newest: int | None = None
    for count, item in enumerate(items):
        if newest is not None and item.time < newest - LOOK_AHEAD:
            yield from _drain(heap)
            newest = None
        newest = item.time if newest is None else max(newest, item.time)
        heapq.heappush(heap, (item.time, _RANKS.get(type(item), 0), count, item))
        while heap[0][0] < newest - LOOK_AHEAD:
            yield heapq.heappop(heap)[-1]
    yield from _drain(heap)


def _drain(heap: list[tuple[int, int, int, Item]]) -> Iterator[Item]:
    while heap:
        yield heapq.heappop(heap)[-1]

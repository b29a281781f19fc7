# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which detector can judge a recording: by its torques and the rate of its joint states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_analysis.analyze.sentences import text_of
from impact_bags.recording import Recording, of_topic
from impact_detector.detectors.fused import LARGEST_GAP
from impact_detector.detectors.too_slow import too_slow
from impact_detector.signals.sample import ACCELERATION, FUSED, MOMENTUM, JointSample

LOOK = 200  # joint states at the beginning of a recording that are looked at


class Choice(NamedTuple):
    """A detector, and what that means in words."""

    detector: str
    remarks: list[str]


def choose(recording: Recording) -> Choice:
    """Return the detector on joint states that can judge a recording best.

    Raises:
        RecordingError: the file turns out to be damaged.
    """
    times: list[int] = []
    torques = False
    for item in recording.items(references=False):
        if isinstance(item, JointSample):
            times.append(item.time)
            torques |= item.tau is not None
        if len(times) == LOOK:
            break
    if times and not torques:
        return Choice(ACCELERATION, [text_of("no_torques")])
    steps = np.diff(times)
    period = round(float(np.median(steps[steps > 0]))) if np.any(steps > 0) else 0
    if period <= LARGEST_GAP:
        return Choice(FUSED, [])
    text = of_topic(recording, too_slow(FUSED, LARGEST_GAP, period))
    return Choice(MOMENTUM, [text_of("slow_for_detector", too_slow=text)])

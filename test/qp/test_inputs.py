# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Evidence is fresh: a detection status counts only near the state that it is used with."""

import pytest

pytest.importorskip("rclpy")

from impact_msgs.msg import DetectorStatus
from impact_qp.ros.inputs import Inputs
from impact_ros.messages import from_nanoseconds

MS = 1_000_000  # [ns]


def verdict(stamp, *, impact=True, ready=True):
    message = DetectorStatus(impact=impact, ready=ready)
    from_nanoseconds(stamp, message.header.stamp)
    return message


@pytest.mark.parametrize(("off", "counts"), [(0, True), (19, True), (-19, True), (21, False)])
def test_a_verdict_counts_near_the_state(panda, off, counts):
    """Old ones, and ones from the future, neither permit an approach nor end it."""
    inputs = Inputs(panda, evidence_age=0.02)
    inputs.take_status(verdict(1000 * MS))
    stamp = (1000 + off) * MS
    assert (inputs.impact(stamp), inputs.ready(stamp)) == (counts, counts)


def test_an_old_verdict_keeps_nothing_alive(panda):
    """A detector that repeats itself is one that is silent."""
    inputs = Inputs(panda, evidence_age=0.02)
    inputs.take_state(panda.stance, panda.stance, 5000 * MS)
    inputs.status_time = -1e9
    inputs.take_status(verdict(1000 * MS))
    assert inputs.status_time == -1e9
    inputs.take_status(verdict(4990 * MS))
    assert inputs.status_time > 0.0


@pytest.mark.parametrize("first", [True, False])
def test_of_two_detectors_none_hides_what_the_other_reports(panda, first):
    inputs = Inputs(panda, evidence_age=0.02)
    for k in range(1, 4):
        inputs.take_status(verdict(k * MS, impact=first, ready=not first))
        inputs.take_status(verdict(k * MS, impact=not first, ready=first))
        assert inputs.impact(k * MS) and not inputs.ready(k * MS)
    inputs.take_status(verdict(4 * MS, impact=False))
    assert not inputs.impact(4 * MS) and inputs.ready(4 * MS)

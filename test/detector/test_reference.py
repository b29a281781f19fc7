# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which desired torque a state is compared with, and when."""

import numpy as np
import pytest

from impact_detector import DetectorError, ReferencePairing, TorqueErrorDetector
from impact_detector.session import DetectorSession

MILLISECOND = 1_000_000


def torque(value):
    return np.full(2, float(value))


def found(pairing, millisecond):
    reference = pairing.find(millisecond * MILLISECOND)
    return None if reference is None else reference[0]


def filled(rule, **options):
    pairing = ReferencePairing(rule, **options)
    for k in range(5):
        pairing.add(k * MILLISECOND, torque(k))
    return pairing


def test_previous_takes_the_answer_to_the_state_before():
    assert found(filled("previous"), 3) == 2.0


def test_same_takes_the_one_of_the_same_instant():
    assert found(filled("same"), 3) == 3.0


def test_nothing_before_the_first_one():
    assert found(filled("previous"), 0) is None


def test_an_old_one_is_none():
    pairing = filled("same", max_age=0.02)
    assert found(pairing, 24) == 4.0 and found(pairing, 25) is None


def test_one_that_came_without_torque_is_none_and_does_not_fall_back():
    pairing = filled("previous")
    pairing.add(5 * MILLISECOND, None)
    assert pairing.has(5 * MILLISECOND) and found(pairing, 6) is None


def test_references_of_before_a_restart_are_not_used_after_it():
    pairing = filled("previous")
    pairing.restart(0)
    assert found(pairing, 3) == 0.0 and not pairing.has(2 * MILLISECOND)


def test_an_unknown_rule_is_refused():
    with pytest.raises(DetectorError, match="rule: expected one of previous, same, got 'next'"):
        ReferencePairing("next")


@pytest.fixture
def session():
    return DetectorSession(TorqueErrorDetector((0, 1), bias_samples=0), lockstep=True)


def statistics(outcome):
    return [status.statistic for status in outcome.statuses]


def test_the_first_state_is_answered_at_once_and_not_ready(session, sample):
    (status,) = session.add_state(sample(0)).statuses
    assert not status.ready


def test_lockstep_waits_for_the_answer_to_the_state_before(session, sample):
    session.add_state(sample(0))
    assert not session.add_state(sample(1, (3.0, 0.0))).statuses
    outcome = session.add_reference(0, torque(1.0))
    assert statistics(outcome) == [3.0]  # |3 - 1| + |0 - 1|
    assert len(outcome.detections) == 1


def test_the_order_of_delivery_does_not_matter(sample):
    def run(reference_first):
        session = DetectorSession(TorqueErrorDetector((0, 1), bias_samples=0), lockstep=True)
        results = statistics(session.add_state(sample(0)))
        for k in range(1, 6):
            inputs = [
                lambda k=k: session.add_state(sample(k, (0.1 * k, 0.0))),
                lambda k=k: session.add_reference((k - 1) * MILLISECOND, torque(0.01 * k)),
            ]
            for put in reversed(inputs) if reference_first else inputs:
                results += statistics(put())
        return results

    first, second = run(True), run(False)
    assert len(first) == 6
    np.testing.assert_array_equal(first, second)


def test_a_repeated_state_gets_its_detection_status_again_unchanged(session, sample):
    session.add_state(sample(0))
    session.add_reference(0, torque(0))
    first = session.add_state(sample(1, (5.0, 0.0)))
    again = session.add_state(sample(1, (0.0, 0.0)))
    assert statistics(again) == statistics(first) == [5.0]
    assert again.statuses[0].impact and first.detections and not again.detections


def test_waiting_ends_with_the_third_time_of_the_same_state(session, sample):
    session.add_state(sample(0))
    assert [len(session.add_state(sample(1)).statuses) for _ in range(4)] == [0, 0, 1, 1]


def test_waiting_ends_with_the_next_state_and_each_gets_one_detection_status(session, sample):
    session.add_state(sample(0))
    session.add_state(sample(1))
    session.add_reference(1 * MILLISECOND, torque(0))  # that of 0 is lost
    first, second = session.add_state(sample(2)).statuses
    assert (first.time, first.ready) == (1 * MILLISECOND, False)
    assert (second.time, second.ready) == (2 * MILLISECOND, True)


def test_an_unusable_reference_ends_the_wait_too(session, sample):
    session.add_state(sample(0))
    session.add_state(sample(1))
    (status,) = session.add_reference(0, None).statuses
    assert not status.ready


def test_a_restart_of_the_simulation_starts_anew(session, sample):
    session.add_state(sample(1000))
    session.add_reference(1000 * MILLISECOND, torque(0))
    session.add_state(sample(1001, (5.0, 0.0)))
    session.add_reference(0, torque(0))  # the answer overtakes the state that it answers
    (status,) = session.add_state(sample(0)).statuses
    assert not status.ready and not status.impact
    assert session.add_state(sample(1)).statuses[0].ready


def test_gravity_is_added_to_a_reference_that_lacks_it(sample):
    session = DetectorSession(
        TorqueErrorDetector((0, 1), bias_samples=0),
        pairing=ReferencePairing("same"),
        gravity=lambda q: np.array([1.5, 0.5]) + q,
    )
    session.add_reference(0, torque(0))
    assert statistics(session.add_state(sample(0, (1.5, 0.5)))) == [0.0]

# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What every detector on joint states keeps, a user's own among them."""

from math import isfinite, nan

import numpy as np
import pytest

from impact_cli.command_line import run as main
from impact_detector import DetectorError, JointSample, StateDetector
from impact_detector.detectors.detector_kind import DETECTORS, DetectorKind, Setup
from impact_detector.parameters import DetectorParameters, session_for, state_detectors
from impact_ros.message_fields import constant
from impact_ros.parameters import ParameterError, from_values

MILLISECOND = 1_000_000
BLOW = 400  # sample of the impact: by then every detector has learned what it learns


class SpeedDetector(StateDetector):
    """Declares an impact when any joint is too fast: a detector from outside the package."""

    needs_torque = False

    def _looked_at(self, sample):
        return (sample.dq,)

    def _statistic(self, sample):
        return float(np.abs(sample.dq).max())

    def _forget(self):
        pass


def speed_detector(setup):
    return SpeedDetector("speed", setup.threshold, rearm_time=setup.rearm_time)


SPEED = DetectorKind("speed", SpeedDetector, speed_detector, "joint velocity", "rad/s", 1.0)
KINDS = pytest.mark.parametrize("kind", [*DETECTORS.values(), SPEED], ids=lambda kind: kind.name)


@pytest.fixture(scope="module")
def quiet(panda):
    """Samples of an arm at rest with the noise of its sensors, and torques that hold it."""
    random, model = np.random.default_rng(7), panda.model
    import pinocchio as pin

    tau = pin.computeGeneralizedGravity(model, model.createData(), panda.stance)
    samples = []
    for k in range(2 * BLOW):
        e = random.standard_normal((2, 7))
        dq, measured = panda.velocity_noise * e[0], tau + panda.torque_noise * e[1]
        sample = JointSample(k * MILLISECOND, panda.stance, dq, measured, tau, np.zeros(7))
        samples.append(sample)
    return samples


@pytest.fixture(scope="module")
def struck(quiet):
    """The same arm, hit for 8 ms: joints and torques jump, and jump back."""
    blow = np.full(7, 40.0)
    return [
        each._replace(dq=each.dq + 2.0 * (1 + k - BLOW), tau=each.tau + blow)
        if BLOW <= k < BLOW + 8
        else each
        for k, each in enumerate(quiet)
    ]


def make(kind, panda, **changed):
    return kind.make(Setup(panda, kind.threshold, **changed))


@KINDS
def test_its_name_and_facts_are_those_of_its_registry(kind, panda):
    detector = make(kind, panda)
    assert isinstance(detector, kind.detector)
    assert (detector.name, detector.threshold) == (kind.name, kind.threshold)
    assert kind.statistic and kind.unit


@KINDS
def test_it_is_silent_while_nothing_happens(kind, panda, quiet):
    statuses = [make(kind, panda).update(sample) for sample in quiet[:1]]
    detector = make(kind, panda, rearm_time=0.05)
    detector.threshold = 3.0 * kind.threshold  # of acceleration alone, the default is within noise
    statuses += [detector.update(sample) for sample in quiet]
    assert sum(isfinite(status.statistic) for status in statuses) > BLOW
    assert not any(status.detection or status.impact for status in statuses)


@KINDS
def test_one_event_is_one_detection(kind, panda, struck):
    detector = make(kind, panda)
    detector.threshold = 3.0 * kind.threshold
    found = [status.detection for status in map(detector.update, struck) if status.detection]
    (detection,) = found
    assert detection.detector == kind.name
    assert 0 <= detection.detection_time - BLOW * MILLISECOND < 8 * MILLISECOND
    assert detection.statistic > detection.threshold == detector.threshold


@KINDS
def test_a_sample_with_nan_is_dropped_and_counted(kind, panda, quiet):
    detector = make(kind, panda)
    for k, sample in enumerate(quiet):
        bad = k % 100 == 50
        given = sample._replace(dq=sample.dq * nan) if bad else sample
        status = detector.update(given)
        assert not (bad and isfinite(status.statistic))
    assert detector.dropped == len(quiet) // 100
    assert isfinite(status.statistic)


@KINDS
def test_time_that_runs_backwards_starts_it_anew(kind, panda, quiet, struck):
    used, fresh = make(kind, panda), make(kind, panda)
    for sample in struck:
        used.update(sample)
    for sample in quiet[:BLOW]:
        again, first = used.update(sample), fresh.update(sample)
        np.testing.assert_equal(again, first)
    assert used.dropped == 0


@KINDS
def test_a_repeated_stamp_is_answered_unchanged(kind, panda, struck):
    detector, plain = make(kind, panda), make(kind, panda)
    for sample in struck[: BLOW + 20]:
        status = detector.update(sample)
        loud = sample._replace(dq=sample.dq + 100.0)
        repeated = detector.update(loud)
        np.testing.assert_equal(repeated, status._replace(detection=None, suppressed=None))
        np.testing.assert_equal(status, plain.update(sample))


@KINDS
def test_what_a_detector_says_that_it_needs_it_needs(kind, panda, quiet):
    class_of = kind.detector
    needs = {"tau": class_of.needs_torque, "tau_ref": class_of.needs_reference}
    for field, needed in (needs | {"dq_ref": class_of.needs_reference_velocity}).items():
        detector = make(kind, panda)
        statuses = [detector.update(sample._replace(**{field: None})) for sample in quiet]
        assert any(isfinite(status.statistic) for status in statuses) != needed, field


def test_the_suites_own_have_a_number_in_messages():
    pytest.importorskip("rclpy")
    from impact_msgs.msg import ImpactEvent

    codes = {name: constant(ImpactEvent, "DETECTOR", name) for name in (*DETECTORS, "force")}
    assert len(set(codes.values())) == len(codes)
    assert ImpactEvent.DETECTOR_UNKNOWN not in codes.values()
    assert constant(ImpactEvent, "DETECTOR", "speed") == ImpactEvent.DETECTOR_UNKNOWN


@pytest.fixture
def named(registered):
    return registered(DETECTORS, SPEED)


def test_a_detector_from_outside_works_in_the_session_by_its_parameters(named, panda, struck):
    values = {"detectors": ["speed", "acceleration"], "speed_threshold": 3}
    parameters = from_values(DetectorParameters, values)
    assert parameters.threshold_of("speed") == 3.0
    session = session_for(parameters, panda)
    outcomes = [session.add_state(sample) for sample in struck]
    found = [detection for outcome in outcomes for detection in outcome.detections]
    assert [each.detector for each in found if each.detector == "speed"] == ["speed"]
    assert all(outcome.statuses[0].detector == "speed" for outcome in outcomes)
    session.set_threshold("speed", 5.0)
    assert session.threshold == 5.0
    with pytest.raises(ParameterError, match="speed_threshold: expected a number of at least"):
        from_values(DetectorParameters, {"speed_threshold": 0.0})


def test_a_detector_from_outside_is_an_option_of_the_command(named, capsys):
    with pytest.raises(SystemExit):
        main(["detect", "--help"])
    out = " ".join(capsys.readouterr().out.split())
    assert "--speed-threshold T joint velocity [rad/s] (default: 1)" in out


def test_the_node_takes_a_detector_from_outside_and_its_threshold(named, context):
    from rclpy.parameter import Parameter

    from impact_detector.node import DetectorNode

    overrides = {"detectors": ["speed"], "speed_threshold": 2.5}
    given = [Parameter(name, value=value) for name, value in overrides.items()]
    node = DetectorNode(context=context, parameter_overrides=given)
    try:
        assert node.get_parameter("speed_threshold").value == 2.5
        (result,) = node.set_parameters([Parameter("speed_threshold", value=4.0)])
        assert result.successful and node._session.threshold == 4.0
        (result,) = node.set_parameters([Parameter("speed_threshold", value=-4.0)])
        assert not result.successful and node._session.threshold == 4.0
    finally:
        node.destroy_node()


def test_what_was_removed_is_unknown_again(panda):
    with pytest.raises(DetectorError, match=f"some of {', '.join(DETECTORS)}, each"):
        state_detectors(DetectorParameters(detectors=("speed",)), panda)
    with pytest.raises(ParameterError, match="speed_threshold: unknown"):
        from_values(DetectorParameters, {"speed_threshold": 3.0})

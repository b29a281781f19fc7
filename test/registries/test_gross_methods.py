# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What every way to a gross velocity keeps, a user's own among them."""

import numpy as np
import pytest

from impact_analysis.analyze.settings import AnalysisSettings
from impact_detector import (
    GROSS_METHODS,
    Detection,
    DetectorError,
    EstimateError,
    GrossMethod,
    GrossVelocity,
    ImpactEstimator,
    JointSample,
    Motion,
)
from impact_detector.estimators.estimate import GOOD, MISSING_SAMPLES
from impact_detector.parameters import DetectorParameters, session_for
from impact_robots import load_robot
from impact_robots.exceptions import UsageError
from impact_ros.parameters import ParameterError, from_values

BEFORE, AFTER = np.array([0.3, -0.2, 0.0]), np.array([-0.1, 0.4, 0.2])  # [rad/s]
RELEASE, WINDOW = 0.012, 0.1  # [s]


def mean_after(motion):
    """Return the mean of the velocities after the release: a method from outside the package."""
    chosen = (motion.t >= motion.release) & (motion.t <= motion.window)
    if chosen.sum() < 10 or not np.isfinite(motion.dq[chosen]).all():
        raise EstimateError(f"mean: expected at least 10 samples, got {chosen.sum()}")
    unknown = np.full(motion.dq.shape[1], np.nan)
    length = motion.window - motion.release
    return GrossVelocity(motion.dq[chosen].mean(axis=0), unknown, int(chosen.sum()), length), True


MEAN = GrossMethod("mean", mean_after, "mean velocity after the release")
METHODS = pytest.mark.parametrize(
    "method", [*GROSS_METHODS.values(), MEAN], ids=lambda method: method.name
)


def motion(t, scale=1.0):
    """A motion whose velocity jumps at contact, and is constant before and after."""
    after = (t >= 0.0)[:, None]
    v = scale * np.where(after, AFTER, BEFORE)
    return Motion(t, 1.0 + t[:, None] * v, v, scale * BEFORE, RELEASE, WINDOW, 3)


STREAM = np.arange(-80, 120) * 1e-3


@METHODS
def test_a_jump_is_found_exactly(method):
    found, good = method.find(motion(STREAM))
    np.testing.assert_allclose(found.velocity, AFTER, atol=1e-6)
    assert good and found.samples > 0


@METHODS
def test_the_answer_scales_with_the_motion_and_does_not_know_the_order_of_joints(method):
    plain, _ = method.find(motion(STREAM))
    larger, _ = method.find(motion(STREAM, scale=3.0))
    np.testing.assert_allclose(larger.velocity, 3.0 * plain.velocity, atol=1e-5)
    m = motion(STREAM)
    turned = Motion(m.t, m.q[:, ::-1], m.dq[:, ::-1], m.before[::-1], m.release, m.window, m.degree)
    np.testing.assert_allclose(method.find(turned)[0].velocity[::-1], AFTER, atol=1e-6)


@METHODS
def test_what_was_not_measured_is_an_error_and_no_number(method):
    for t in (STREAM[STREAM < 0.005], STREAM[::40]):
        with pytest.raises(EstimateError):
            method.find(motion(t))


@pytest.fixture
def named(registered):
    return registered(GROSS_METHODS, MEAN)


@METHODS
def test_the_streaming_estimate_names_it_and_has_its_answer(method, named):
    for stream, expected in ((STREAM, AFTER), (STREAM[::40], None)):
        estimator = ImpactEstimator(WINDOW, method=method.name)
        estimator.start(Detection("fused", 0, 0, 20.0, 15.0))
        m, estimate = motion(stream), None
        for t, q, dq in zip(m.t, m.q, m.dq, strict=True):
            estimate = estimate or estimator.update(JointSample(round(t * 1e9), q, dq, None))
        estimate = estimate or estimator.update(JointSample(10**9, q, dq, None))
        assert estimate.method.split("_")[0] == method.name
        if expected is None:
            assert estimate.quality & MISSING_SAMPLES and np.isnan(estimate.gross_velocity).all()
        else:
            np.testing.assert_allclose(estimate.gross_velocity, expected, atol=2e-3)
            assert estimate.quality == GOOD


def test_a_method_from_outside_is_a_choice_of_parameters_and_settings(named):
    parameters = from_values(DetectorParameters, {"estimate_method": "mean"})
    session_for(parameters, load_robot("panda"))
    assert AnalysisSettings(method="mean").detector().estimate_method == "mean"


def test_what_was_removed_is_unknown_again():
    choices = f"expected one of {', '.join(GROSS_METHODS)}, got 'mean'"
    with pytest.raises(ParameterError, match=f"estimate_method: {choices}"):
        from_values(DetectorParameters, {"estimate_method": "mean"})
    with pytest.raises(DetectorError, match=f"method: {choices}"):
        ImpactEstimator(method="mean")
    with pytest.raises(UsageError, match=f"method: {choices}"):
        AnalysisSettings(method="mean")

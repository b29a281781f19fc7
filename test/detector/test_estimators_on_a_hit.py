# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""All estimators on a simulated hit with sensor noise, against what the plant really did."""

from types import SimpleNamespace

import numpy as np
import pytest
from iim_hit import NORMAL, Q, iim_hit, led

from impact_detector import (
    Detection,
    DetectorError,
    EstimateError,
    ForceSample,
    ImpactEstimator,
    JointSample,
    torque_impulse,
)
from impact_detector.attribution.expectation import Announcement
from impact_detector.estimators import streaming as estimate
from impact_detector.estimators.gross_methods import GROSS_METHODS
from impact_detector.parameters import DetectorParameters, session_for
from impact_robots import ArmDynamics, Surface, load_robot

MILLISECOND = 1_000_000
LEAD = 200  # milliseconds of motion before contact
OFFSET = 4e-4  # from the last sample before contact to contact [s]


@pytest.fixture(scope="module", params=[0, 1, 2])
def hit(request, panda):
    """Steady motion, then a passive impact; noise of a real Panda, forces at 25 kHz."""
    pytest.importorskip("mujoco")
    from impact_sim.driver.sensors import PANDA_NOISE

    dq, run = iim_hit(panda, 0.15, friction=0.1)
    q, velocity, tau = led(dq, run, LEAD)
    touch = LEAD * 1e-3 + run.contact_start.time - run.t[0]
    tau[:LEAD] = [_steady_torque(panda, each, dq) for each in q[:LEAD]]
    random, shape = np.random.default_rng(request.param), (LEAD + len(run.q), 7)
    force = np.zeros((25 * (shape[0] + 1), 3))
    first = round(touch / 4e-5)
    measured = run.contact_force[::4]
    force[first : first + len(measured)] = measured[: len(force) - first]
    return SimpleNamespace(
        touch=touch,
        before=run.contact_start.dq,
        release=_release(run),
        impulse=run.contact_force.sum(axis=0) * run.contact_step,
        q=q + random.normal(0, PANDA_NOISE.position, shape),
        dq=velocity + random.normal(0, PANDA_NOISE.velocity, shape),
        tau=tau + random.normal(0, PANDA_NOISE.torque, shape),
        force=force + random.normal(0, PANDA_NOISE.force, force.shape),
        run=run,
    )


def _steady_torque(panda, q, dq):
    """Return what moves the arm without acceleration, shape (7,) [N.m]."""
    return ArmDynamics(panda)(q, dq).h


def _release(run):
    """Return the velocity at the release, vibration taken out by a fit on exact positions."""
    from impact_detector import gross_velocity

    duration = np.flatnonzero(~run.contact_force.any(axis=1))[0] * run.contact_step
    t = run.t - run.contact_start.time
    return gross_velocity(t, run.q, float(duration), 0.1 - float(duration), 2).velocity


def play(hit, every=1, *, skip=(), tau=True, announcement=None, **options):
    """Feed the hit to an estimator, each ``every``-th force sample; return the estimate."""
    estimator = ImpactEstimator(0.08, **options)
    if announcement is not None:
        estimator.announce(announcement)
    detection = round((hit.touch + 1.2e-3) * 1e3) * MILLISECOND
    found = None
    for k in range(len(hit.q)):
        stamp = k * MILLISECOND
        if k not in skip:
            torque = hit.tau[k] if tau else None
            found = estimator.update(JointSample(stamp, hit.q[k], hit.dq[k], torque)) or found
        if stamp == detection:
            estimator.start(Detection("fused", stamp - MILLISECOND, stamp, 20.0, 15.0))
        if every:
            index = np.arange(25 * k, 25 * k + 25)
            for i in index[index % every == 0]:
                sample = ForceSample(int(i) * 40_000, hit.force[i : i + 1])
                found = estimator.update_force(sample) or found
    return found


@pytest.mark.parametrize("force", [1, 0])
@pytest.mark.parametrize("method", ["release", "oscillation"])
def test_the_velocity_after_is_within_half_a_degree_per_second(hit, method, force):
    found = play(hit, force, method=method)
    assert found.quality == estimate.GOOD and found.method == method
    assert np.degrees(rms(found.gross_velocity - hit.release)) < 0.2


def test_the_published_fit_sees_the_contact_and_the_window_the_vibration(hit):
    for method in ("polynomial", "window"):
        found = play(hit, method=method)
        assert 0.2 < np.degrees(rms(found.gross_velocity - hit.release)) < 2.5


def test_the_velocity_before_is_within_a_tenth_of_a_degree_per_second(hit):
    for force in (1, 0):
        assert np.degrees(rms(play(hit, force).velocity_before - hit.before)) < 0.1


def test_the_touch_is_found_with_and_without_a_force_sensor(hit):
    for force, error in ((1, 1e-4), (0, 5e-4)):
        found = play(hit, force)
        assert abs(found.impact_time * 1e-9 - hit.touch) < error
        assert abs(found.impact_time * 1e-9 - hit.touch) < 4 * found.impact_time_std + 4e-5


def test_joint_torques_weigh_the_impulse(panda, hit):
    found = play(hit, 0, robot=panda, base_normal=NORMAL)
    assert found.impulse_source == "torque"
    error = (found.impulse - hit.impulse) @ hit.impulse / np.linalg.norm(hit.impulse)
    assert abs(error) < 4 * found.impulse_std < 0.16 * np.linalg.norm(hit.impulse)
    assert found.normal_impulse == pytest.approx(hit.impulse @ NORMAL, rel=0.05)


def test_another_link_than_the_contact_points_gets_no_impulse_from_torques(hit):
    found = play(hit, 0, robot=load_robot("panda", contact_frame="panda_link4"), base_normal=NORMAL)
    assert found.assessment.location.link in ("panda_link6", "panda_link7")
    assert found.impulse_source == "" and np.isnan(found.impulse).all()
    assert np.isnan(found.restitution)


def test_an_announced_normal_goes_before_the_parameter(panda, hit):
    said = Announcement(0, Surface(None, NORMAL, 0.3, 0.3))
    found = play(hit, 0, robot=panda, base_normal=(0.0, 0.0, 1.0), announcement=said)
    assert found.normal_impulse == pytest.approx(hit.impulse @ NORMAL, rel=0.05)
    assert found.assessment.expected and 0.0 < found.restitution < 0.5
    unsaid = play(hit, 0, robot=panda)
    assert np.isnan(unsaid.restitution) and unsaid.assessment.expected is None


def test_the_parameters_of_the_node_reach_the_estimator(panda, hit):
    parameters = DetectorParameters(
        contact_normal=tuple(NORMAL), estimate_method="release", estimate_window=0.08
    )
    session, found = session_for(parameters, panda), []
    for k in range(len(hit.q)):
        sample = JointSample(k * MILLISECOND, hit.q[k], hit.dq[k], hit.tau[k])
        found += session.add_state(sample).estimates
    (found,) = found
    assert (found.method, found.impulse_source) == ("release", "torque")
    assert found.normal_impulse == pytest.approx(hit.impulse @ NORMAL, rel=0.05)
    assert 0.0 < found.restitution < 0.5


def test_a_fast_force_sensor_is_believed_before_torques_and_a_slow_one_is_not(panda, hit):
    fast = play(hit, 1, robot=panda, normal=NORMAL, base_normal=NORMAL)
    assert fast.impulse_source == "force"
    np.testing.assert_allclose(fast.impulse, hit.impulse, atol=0.01 * np.linalg.norm(hit.impulse))
    slow = play(hit, 125, robot=panda, normal=NORMAL, base_normal=NORMAL)
    assert slow.impulse_source == "torque" and slow.quality & estimate.UNDERSAMPLED
    assert slow.normal_impulse == pytest.approx(hit.impulse @ NORMAL, rel=0.05)


def test_restitution_is_that_of_the_release_whatever_the_method(panda, hit):
    J = ArmDynamics(panda)(Q, np.zeros(7)).J[:3]
    exact = -(NORMAL @ J @ hit.release) / (NORMAL @ J @ hit.before)
    for method in GROSS_METHODS:
        found = play(hit, method=method, robot=panda, base_normal=NORMAL)
        assert found.restitution == pytest.approx(exact, abs=0.01)
    assert np.isnan(play(hit, robot=panda).restitution)


def test_a_constant_torque_error_does_no_harm(panda, hit):
    """A payload that the model does not know, or a sensor's bias."""
    wrong = SimpleNamespace(**{**hit.__dict__, "tau": hit.tau + 1.5})
    found = play(wrong, 0, robot=panda)
    np.testing.assert_allclose(found.impulse, hit.impulse, atol=0.08 * np.linalg.norm(hit.impulse))


def test_without_torques_the_impulse_is_unknown(panda, hit):
    found = play(hit, 0, tau=False, robot=panda)
    assert found.impulse_source == "" and np.isnan([*found.impulse, found.impulse_std]).all()


@pytest.mark.parametrize("method", GROSS_METHODS)
def test_missing_samples_are_a_quality_bit(hit, method):
    found = play(hit, method=method, skip=range(LEAD + 10, LEAD + 40))
    assert found.quality & estimate.MISSING_SAMPLES and np.isnan(found.gross_velocity).all()


def test_a_contact_that_lasts_is_a_quality_bit(panda, hit):
    pressing = hit.force.copy()
    pressing[round(hit.touch / 4e-5) + 100 :] += 30.0 * NORMAL
    held = SimpleNamespace(**{**hit.__dict__, "force": pressing})
    found = play(held, robot=panda, base_normal=NORMAL)
    assert found.quality & estimate.IN_CONTACT
    assert np.isnan(found.restitution) and found.impulse_source == ""


def test_torque_impulse_says_what_it_lacks(panda, hit):
    t = np.arange(len(hit.q)) * 1e-3
    early = t < hit.touch + 0.02
    with pytest.raises(EstimateError, match="expected 10 samples before and after the contact"):
        torque_impulse(panda, t[early], hit.q[early], hit.dq[early], hit.tau[early], hit.touch)
    tau = hit.tau.copy()
    tau[LEAD + 5, 2] = np.nan
    with pytest.raises(EstimateError, match="torques are missing"):
        torque_impulse(panda, t, hit.q, hit.dq, tau, hit.touch)


def test_an_unknown_method_is_refused():
    with pytest.raises(
        DetectorError, match=f"expected one of {', '.join(GROSS_METHODS)}, got 'magic'"
    ):
        ImpactEstimator(method="magic")


def rms(values):
    return np.sqrt(np.mean(np.square(values)))
